"""Play, pause and speed for every picture that has a slider of its own: it moves in the browser, without the server.

A picture may ask to be played once without a click, as the one of Home does.

A picture asks for it by declaring a parameter that is bound to a range (`pe_core.figures.looks.motion`, or the scrubber
of a table): Vega draws that as a slider under the picture, and this adds the buttons.
"""

from functools import cache
from pathlib import Path

import streamlit as st

from pe_core.figures.looks.motion import AT_ONCE, FLOWING, OF_PAGE, PLAYED, POINTED
from ui.language.words import _

# One module for all pages. Vega makes the slider anew when a picture is drawn anew, so that the document is watched.
_PLAYER = """
const FRAMES = 30;  // a second
const SPEEDS = [2, 8, 32, 128];  // steps a second
const PATIENCE = 16;  // seconds that going through all steps takes at most, unless another speed is chosen
const still = matchMedia('(prefers-reduced-motion: reduce)');
let watching, due, begun = false;

const sliders = () => [...document.querySelectorAll('.vega-bind input[type="range"]')];
const words = slider => slider.closest('.vega-bind').querySelector('.vega-bind-name')?.textContent.trim() ?? '';

function put(slider, value) {
    const before = slider.value;
    slider.value = value;
    if (slider.value === before) return;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    const number = slider.nextElementSibling;  // Vega writes the value there
    if (slider.step === 'any' && number) number.textContent = Math.round(slider.value);
}

function add(slider, {flowing, atOnce, ...said}) {
    const name = words(slider), box = document.createElement('span'), button = document.createElement('button');
    const speed = document.createElement('select'), step = +slider.step, flows = slider.name.startsWith(flowing);
    let asked = null, drawn, at;
    box.className = 'player';
    button.type = 'button';
    const label = does => {
        button.textContent = does;
        button.setAttribute('aria-label', `${does}: ${name}`);
    };
    const rest = () => label(still.matches ? said.step : said.play);
    speed.setAttribute('aria-label', `${said.speed}: ${name}`);
    for (const one of SPEEDS) speed.add(new Option(said.rate.replace('#', one), one));
    const steps = (slider.max - slider.min) / step;
    speed.value = SPEEDS.find(one => steps / one <= PATIENCE) ?? SPEEDS.at(-1);

    function stop() {
        cancelAnimationFrame(asked);
        asked = null;
        delete slider.dataset.playing;
        slider.step = step;  // a value between two steps goes to the nearest
        slider.dispatchEvent(new Event('input', {bubbles: true}));
        rest();
    }
    function frame(now) {
        if (!slider.isConnected) return;
        asked = requestAnimationFrame(frame);
        const gone = now - drawn;
        if (gone < 1000 / FRAMES - 4) return;  // every second frame of a screen that has 60
        drawn = now;
        at = Math.min(at + Math.min(gone, 250) / 1000 * speed.value * step, +slider.max);
        put(slider, flows ? at.toFixed(2) : Math.floor((at - slider.min) / step + 1e-6) * step + +slider.min);
        if (at >= slider.max) stop();
    }
    function start() {
        label(said.pause);
        slider.dataset.playing = '';  // it is not at rest, however slow
        if (flows) slider.step = 'any';
        drawn = performance.now();
        asked = requestAnimationFrame(frame);
    }
    button.addEventListener('click', () => {
        delete slider.dataset.untouched;
        if (asked !== null) return stop();
        at = +slider.value >= +slider.max ? +slider.min : +slider.value;
        if (still.matches) return put(slider, at === +slider.value ? at + step : at);
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
    if (begun || still.matches || !slider.name.startsWith(atOnce) || slider.value !== slider.max) return;
    begun = true;  // once, however often the picture is drawn anew
    slider.dataset.untouched = '';  // nobody has moved it, so that no link has to say where it stands
    at = +slider.min;
    start();
}

// Sliders of the same words on a page stand for the same thing. Vega sets them without an event where a picture is
// clicked, so that each is asked whether it has moved.
function link(all) {
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
        const unseen = slider.name === names.pointed
            || (slider.name.startsWith(names.ofPage) && !slider.name.startsWith(names.played));
        if (!unseen && !slider.closest('.vega-bind').querySelector('.player')) add(slider, names);
        slider.shown ??= slider.value;
    }
    link(all);
}

// What draws pictures is asked for before the first one comes: a fresh server, which then loads its libraries, answers
// slowly. It stands beside the script of the page.
function prepare(name) {
    const script = document.querySelector('script[type="module"][src]');
    if (name && script) import(new URL(name, script.src).href).catch(() => {});  // Streamlit asks for it once more
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
"""
_CSS = """
.st-key-player {display: none}
.vega-bind .player {display: inline-flex; gap: 0.5rem}
.vega-bind .player :is(button, select) {
    min-height: 2rem; padding: 0 0.75rem; border: 1px solid color-mix(in srgb, currentColor 40%, transparent);
    border-radius: 0.5rem; background: transparent; color: inherit; font: inherit; cursor: pointer;
}
.vega-bind .player button {min-width: 5rem}
.vega-bind .player :is(button, select):hover {border-color: currentColor}
.vega-bind .player :is(button, select):focus-visible {outline: 2px solid currentColor; outline-offset: 2px}
.vega-bind .player option {background: Canvas; color: CanvasText}
@media (prefers-reduced-motion: reduce) {.vega-bind .player select {display: none}}
@media (pointer: coarse) {
    .vega-bind .player :is(button, select) {min-height: 2.75rem; min-width: 2.75rem}
    .vega-bind input[type="range"] {min-height: 2.75rem}
}
"""
_PICTURES = st.components.v2.component("player", css=_CSS, js=_PLAYER, isolate_styles=False)


@cache
def _charts() -> str:
    """Return the file with which Streamlit's page draws charts, empty where there is none of this name."""
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    return next((file.name for file in scripts.glob("ArrowVegaLiteChart.*.js")), "")


def play_pictures() -> None:
    """Let every picture of the page that has a slider of its own be played; it stands before the page."""
    words = {"play": "Play", "pause": "Pause", "step": "Step", "speed": "Speed", "rate": "# a second"}
    told = {
        "flowing": FLOWING,
        "atOnce": AT_ONCE,
        "ofPage": OF_PAGE,
        "played": PLAYED,
        "pointed": POINTED,
        "charts": _charts(),
    }
    told.update({name: _(word) for name, word in words.items()})
    _PICTURES(key="player", data=told)
