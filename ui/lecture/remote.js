import {clock, filled, part} from './common.js';

const OWN_KEYS =
    'input:not([type="checkbox"]):not([type="radio"]), textarea, select, button, ' +
    '[contenteditable="true"], [role="slider"], [role="combobox"], [role="grid"], [data-testid="stDataFrame"]';
const OPEN = '[role="dialog"], [role="listbox"], [role="menu"]';
const PATIENCE = 3000; // milliseconds after which a scene does not wait for the one before it to be drawn
const BEGIN = 300; // until the server has begun to draw what it was told last
const MARKS = ['present', 'scene', 'reveal']; // what an address says of a lecture
const ALWAYS = {PageDown: 'forward', PageUp: 'back', Escape: 'leave'};
const ELSEWHERE = {ArrowRight: 'forward', ArrowLeft: 'back', ' ': 'forward', b: 'black', B: 'black', '.': 'black'};
// These outlive the element: this module is loaded once.
let at;
let told;
let tell;
let listening;
let ticking;
let channel;
let due;
let gone = 0;

// What a key does, where what has the focus has keys of its own, or something is open over the page.
export function actionOf(key, {isOwn, isOpen}) {
    if (key === 'Escape' && isOpen) return undefined;
    return ALWAYS[key] ?? (isOwn || isOpen ? undefined : ELSEWHERE[key]);
}

// The whole number that a text says, from 0 to `last`; 0 where it says none.
export const numbered = (text, last) => Math.min(Math.max(/^[0-9]{1,4}$/.test(text ?? '') ? +text : 0, 0), last);

// The scene that an address names, from 0, and how many further sentences of it are shown.
export function placeIn(search, scenes) {
    const asked = new URLSearchParams(search);
    const place = numbered(String(+(asked.get('scene') ?? 1) - 1), scenes.length - 1);
    return {place, reveal: numbered(asked.get('reveal'), scenes[place].reveals.length)};
}

// Where a step forward (1) or back (-1) leads: to one sentence more or less of the scene, or to another scene.
export function stepped({place, reveal}, way, scenes) {
    const next = reveal + way;
    return next < 0 || next > scenes[place].reveals.length ? {place: place + way} : {reveal: next};
}

// An address that says how many further sentences are shown.
export function withReveal(address, reveal) {
    const url = new URL(address);
    if (reveal) url.searchParams.set('reveal', reveal);
    else url.searchParams.delete('reveal');
    return url;
}

// Whether an address names a scene and no more, as /?present=45&scene=7 does: its page and state are in its link.
export function isBare(here, link) {
    const named = [...here.searchParams.keys()].some(name => !MARKS.includes(name));
    return link.pathname !== here.pathname || (!named && link.searchParams.size > 2) || !here.searchParams.has('scene');
}

const store = () => `lecture ${told.name}`;
const read = () => JSON.parse(sessionStorage.getItem(store()) ?? '{}');
const write = more => sessionStorage.setItem(store(), JSON.stringify({...read(), ...more}));
const asked = name => new URLSearchParams(location.search).get(name);
const pathOf = url => url.pathname + url.search;
const scene = () => told.scenes[at.place];

const ofAddress = () => ({name: told.name, ...placeIn(location.search, told.scenes)});

// The address of a scene, with what was set on it. One that is still on its way has none of its own yet.
function keep() {
    if (due || asked('present') !== told.name || asked('scene') !== String(at.place + 1)) return;
    write({kept: {...read().kept, [at.place]: pathOf(withReveal(location.href, at.reveal))}});
}

function follow(link, replace) {
    history[replace ? 'replaceState' : 'pushState'](null, '', link);
    dispatchEvent(new PopStateEvent('popstate'));
}

// The server writes into the address what it draws, so a scene begins when the one before it is there.
function arrive(since) {
    clearTimeout(due);
    due = undefined;
    const now = performance.now();
    const idle = document.querySelector('[data-test-script-state="notRunning"]');
    if (now - since < PATIENCE && (now - gone < BEGIN || !idle)) {
        due = setTimeout(arrive, 50, since);
        return;
    }
    const url = new URL(read().kept?.[at.place] ?? scene().link, location.href);
    gone = now;
    follow(pathOf(withReveal(url, at.reveal)));
}

function go(place) {
    if (place < 0 || place >= told.scenes.length) return;
    keep();
    const link = read().kept?.[place] ?? told.scenes[place].link;
    const reveal = new URL(link, location.href).searchParams.get('reveal');
    at = {name: told.name, place, reveal: numbered(reveal, told.scenes[place].reveals.length)};
    draw();
    arrive(performance.now());
}

function step(way) {
    const {place, reveal} = stepped(at, way, told.scenes);
    if (place !== undefined) return go(place);
    at.reveal = reveal;
    draw();
    if (due) return; // it goes with the scene
    history.replaceState(history.state, '', withReveal(location.href, reveal));
    tell(reveal);
    gone = performance.now(); // the server draws for this too, and a scene that came meanwhile would stay empty
}

function leave() {
    const url = new URL(location.href);
    for (const name of [...MARKS, 'notes']) url.searchParams.delete(name);
    sessionStorage.removeItem(store());
    clearTimeout(due);
    at = due = undefined;
    document.querySelector('.lecture-black')?.remove();
    follow(pathOf(url));
}

function black() {
    const cover = document.querySelector('.lecture-black');
    if (cover) cover.remove();
    else document.body.append(part('div', 'lecture-black'));
}

const ACTIONS = {forward: () => step(1), back: () => step(-1), leave, black};

function pressed(event) {
    if (!at || event.ctrlKey || event.altKey || event.metaKey) return;
    const isOwn = (document.activeElement ?? document.body).closest(OWN_KEYS);
    const action = actionOf(event.key, {isOwn, isOpen: document.querySelector(OPEN)});
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) ACTIONS[action]();
}

const announce = () => channel.postMessage({place: at.place, reveal: at.reveal, start: read().start, lecture: told});

function draw() {
    const box = document.querySelector('.lecture-words');
    if (!box || !at) return;
    const {sentence, reveals} = scene();
    const shown = reveals.slice(0, at.reveal).map(words => part('li', '', words));
    const list = part('ul', 'lecture-reveals');
    list.append(...shown);
    box.replaceChildren(part('h1', 'lecture-sentence', sentence), ...(shown.length ? [list] : []));
    tick();
    announce();
}

// How much of the window the sentence takes; the picture has the rest. What stands above it may come and go unseen.
function measure() {
    const words = document.querySelector('.lecture-words');
    if (!words) return;
    const top = Math.round(words.getBoundingClientRect().bottom + document.querySelector('.stMain').scrollTop);
    document.documentElement.style.setProperty('--lecture-top', `${Math.max(top, 0)}px`);
}

function tick() {
    measure();
    const foot = document.querySelector('.lecture-foot');
    if (!foot || !at) return;
    const gone = clock(Date.now() - read().start);
    const whole = clock(told.minutes * 60_000);
    foot.textContent = `${at.place + 1} / ${told.scenes.length}, ${filled(told.said.clock, gone, whole)}`;
}

export default function ({data, parentElement, setStateValue}) {
    listening?.abort(); // Streamlit calls this anew without ending what was before
    const mine = new AbortController();
    const signal = mine.signal;
    listening = mine;
    clearInterval(ticking);
    channel?.close();
    told = data;
    tell = reveal => setStateValue('reveal', reveal);
    channel = new BroadcastChannel(store());
    channel.onmessage = ({data}) => {
        if (data === 'where' && at) announce();
    };
    if (!read().start) write({start: Date.now()});
    if (!due && (at?.name !== told.name || String(at.place + 1) !== asked('scene'))) at = ofAddress();
    const sizes = new ResizeObserver(measure);
    for (const box of [parentElement, document.body]) sizes.observe(box);
    addEventListener('keydown', pressed, {signal, capture: true});
    addEventListener(
        'popstate',
        () => {
            if (asked('present') !== told.name) return;
            at = ofAddress();
            draw();
        },
        {signal},
    );
    ticking = setInterval(tick, 1000);
    const link = new URL(scene().link, location.href);
    if (isBare(new URL(location.href), link)) {
        if (at.reveal) link.searchParams.set('reveal', at.reveal);
        follow(pathOf(link), true);
    }
    draw();
    return () => {
        mine.abort();
        clearInterval(ticking);
    };
}
