// A picture that moves by itself while it is seen, until somebody touches it. Where each mark stands comes from the
// server; here they only go from one value to the next.

const SHEET = 'http://www.w3.org/2000/svg';
const SEEN = 0.6; // of the picture, before it begins
const drawn = new WeakMap();

// The value that a list has after a part of the way through it, from 0 to 1.
export function valueAt(values, part) {
    const at = part * (values.length - 1);
    const before = Math.min(Math.floor(at), values.length - 2);
    return values.length === 1 ? values[0] : values[before] + (at - before) * (values[before + 1] - values[before]);
}

// How far a picture is some milliseconds later; a window that was not drawn for a while goes on from where it was. The
// time of a first frame may lie before that of its start.
export const later = (part, ms, seconds) => Math.min(part + Math.min(Math.max(ms, 0), 250) / 1000 / seconds, 1);

// The step that a picture has come to, of so many.
export const stepAt = (part, steps) => Math.floor(part * (steps - 1) + 1e-6);

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

function marked({tag, look, fixed = {}, moving = {}, words = ''}) {
    const element = document.createElementNS(SHEET, tag);
    element.setAttribute('class', look);
    for (const [name, value] of Object.entries(fixed)) element.setAttribute(name, value);
    element.textContent = words;
    const places = Object.entries(moving);
    return {
        element,
        put: part => {
            for (const [name, values] of places) element.setAttribute(name, valueAt(values, part));
        },
    };
}

function draw(box, {picture, size, title, alternative, counts, play, pause}) {
    const [sheet, button, slider, said] = ['svg', 'button', 'input', 'output'].map(tag => box.querySelector(tag));
    const marks = picture.marks.map(marked);
    const last = picture.steps.length - 1;
    let part = 0;
    let asked = null;
    let before;
    let untouched = true;

    sheet.setAttribute('viewBox', `0 0 ${size.join(' ')}`);
    sheet.setAttribute('aria-label', alternative);
    sheet.replaceChildren(...marks.map(one => one.element));
    slider.max = last;
    slider.setAttribute('aria-label', counts);

    function put(to) {
        part = to;
        for (const one of marks) one.put(part);
        const step = stepAt(part, picture.steps.length);
        slider.value = step;
        said.textContent = `${counts} ${picture.steps[step]}`;
        slider.setAttribute('aria-valuetext', picture.steps[step]);
    }
    function label(does) {
        button.textContent = does;
        button.setAttribute('aria-label', `${does}: ${title}`);
    }
    function rest() {
        cancelAnimationFrame(asked);
        asked = null;
        label(play);
    }
    function frame(now) {
        if (!box.isConnected) return;
        asked = requestAnimationFrame(frame);
        put(later(part, now - before, picture.seconds));
        before = now;
        if (part === 1) rest();
    }
    function start() {
        if (asked !== null) return;
        if (part === 1) put(0);
        before = performance.now();
        label(pause);
        asked = requestAnimationFrame(frame);
    }
    function touch() {
        untouched = false;
        rest();
    }
    button.onclick = () => {
        const plays = asked !== null;
        touch();
        if (!plays) start();
    };
    sheet.onpointerdown = touch;
    slider.onpointerdown = touch;
    slider.oninput = () => {
        touch();
        put(slider.value / last);
    };
    box.onfocusin = ({target}) => {
        if (target.matches(':focus-visible')) touch();
    };
    rest();
    put(isStill() ? 1 : 0);
    new IntersectionObserver(
        ([{isIntersecting}]) => {
            if (!untouched || isStill()) return;
            if (!isIntersecting) return rest();
            if (part < 1) start();
        },
        {threshold: SEEN},
    ).observe(sheet);
}

export default function ({data, parentElement}) {
    const box = parentElement.querySelector('.moving');
    const told = JSON.stringify(data);
    if (drawn.get(box) === told) return; // the page was drawn anew, and the picture stays where it is
    drawn.set(box, told);
    draw(box, data);
}
