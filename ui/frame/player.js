// One module for all pages. Vega makes the slider anew when a picture is drawn anew, so that the document is watched.

const FRAMES = 30; // a second
const SPEEDS = [2, 8, 32, 128]; // steps a second
const PATIENCE = 16; // seconds that going through all steps takes at most, unless another speed is chosen
let watching;
let due;
let begun = false;

// How many steps a second a slider that has so many steps goes through, unless another speed is chosen.
export const speedOf = steps => SPEEDS.find(one => steps / one <= PATIENCE) ?? SPEEDS.at(-1);

// Where a slider stands some milliseconds later; a window that was not drawn for a while goes on from where it was.
export const later = (at, ms, {speed, step, max}) => Math.min(at + (Math.min(ms, 250) / 1000) * speed * step, max);

// The value of a slider that stands there: the step that it has come to, unless values between two steps mean something.
export const valueAt = (at, {flows, min, step}) =>
    flows ? at.toFixed(2) : Math.floor((at - min) / step + 1e-6) * step + min;

// Whether a slider of this name is played. One that stands for a control of the page is not seen, unless it plays that.
export const isPlayed = (name, {pointed, ofPage, played}) =>
    name !== pointed && (!name.startsWith(ofPage) || name.startsWith(played));

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
const sliders = () => [...document.querySelectorAll('.vega-bind input[type="range"]')];
const words = slider => slider.closest('.vega-bind').querySelector('.vega-bind-name')?.textContent.trim() ?? '';

function put(slider, value) {
    const before = slider.value;
    slider.value = value;
    if (slider.value === before) return;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    const number = slider.nextElementSibling; // Vega writes the value there
    if (slider.step === 'any' && number) number.textContent = Math.round(slider.value);
}

function add(slider, {flowing, atOnce, ...said}) {
    const name = words(slider);
    const box = document.createElement('span');
    const button = document.createElement('button');
    const speed = document.createElement('select');
    const step = +slider.step;
    const flows = slider.name.startsWith(flowing);
    let asked = null;
    let drawn;
    let at;
    box.className = 'player';
    button.type = 'button';
    const label = does => {
        button.textContent = does;
        button.setAttribute('aria-label', `${does}: ${name}`);
    };
    const rest = () => label(isStill() ? said.step : said.play);
    speed.setAttribute('aria-label', `${said.speed}: ${name}`);
    for (const one of SPEEDS) speed.add(new Option(said.rate.replace('#', one), one));
    speed.value = speedOf((slider.max - slider.min) / step);

    function stop() {
        cancelAnimationFrame(asked);
        asked = null;
        delete slider.dataset.playing;
        slider.step = step; // a value between two steps goes to the nearest
        slider.dispatchEvent(new Event('input', {bubbles: true}));
        rest();
    }
    function frame(now) {
        if (!slider.isConnected) return;
        asked = requestAnimationFrame(frame);
        const gone = now - drawn;
        if (gone < 1000 / FRAMES - 4) return; // every second frame of a screen that has 60
        drawn = now;
        at = later(at, gone, {speed: speed.value, step, max: +slider.max});
        put(slider, valueAt(at, {flows, min: +slider.min, step}));
        if (at >= slider.max) stop();
    }
    function start() {
        label(said.pause);
        slider.dataset.playing = ''; // it is not at rest, however slow
        if (flows) slider.step = 'any';
        drawn = performance.now();
        asked = requestAnimationFrame(frame);
    }
    button.addEventListener('click', () => {
        delete slider.dataset.untouched;
        if (asked !== null) return stop();
        at = +slider.value >= +slider.max ? +slider.min : +slider.value;
        if (isStill()) return put(slider, at === +slider.value ? at + step : at);
        start();
    });
    slider.addEventListener('input', event => {
        if (!event.isTrusted) return;
        delete slider.dataset.untouched;
        at = +slider.value;
    });
    rest();
    box.append(button, speed);
    slider.closest('.vega-bind').append(box);
    if (begun || isStill() || !slider.name.startsWith(atOnce) || slider.value !== slider.max) return;
    begun = true; // once, however often the picture is drawn anew
    slider.dataset.untouched = ''; // nobody has moved it, so that no link has to say where it stands
    at = +slider.min;
    start();
}

// Sliders of the same words on a page stand for the same thing. Vega sets them without an event where a picture is
// clicked, so that each is asked whether it has moved.
export function link(all) {
    for (const moved of all.filter(slider => slider.value !== slider.shown)) {
        moved.shown = moved.value;
        for (const other of all) {
            if (other === moved || words(other) !== words(moved)) continue;
            if (other.step !== 'any') put(other, moved.value);
            other.shown = other.value;
        }
    }
}

function look(names) {
    due = false;
    const all = sliders();
    for (const slider of all) {
        const has = slider.closest('.vega-bind').querySelector('.player');
        if (!has && isPlayed(slider.name, names)) add(slider, names);
        slider.shown ??= slider.value;
    }
    link(all);
}

// What draws pictures is asked for before the first one comes: a fresh server, which then loads its libraries, answers
// slowly. It stands beside the script of the page.
function prepare(name) {
    const script = document.querySelector('script[type="module"][src]');
    if (name && script) import(new URL(name, script.src).href).catch(() => {}); // Streamlit asks for it once more
}

export default function ({data}) {
    prepare(data.charts);
    watching?.disconnect();
    watching = new MutationObserver(() => {
        if (due) return;
        due = true;
        requestAnimationFrame(() => look(data));
    });
    watching.observe(document.body, {childList: true, subtree: true});
    look(data);
    const mine = watching;
    return () => mine.disconnect();
}
