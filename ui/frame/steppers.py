"""Buttons for a step less and a step more at every slider that has more steps than a mouse can hit.

That goes for the sliders of Streamlit and for those of pictures. The keyboard has its arrow keys for the same.
"""

import streamlit as st

from ui.language.words import _

MAX_STEPS = 150  # steps that a mouse still hits: a slider beside a picture is some 240 pixels wide

# One module for all pages. A slider of Streamlit is stepped as an arrow key steps it, which also tells the server; one
# of Vega takes a value.
_STEPPERS = """
const SLIDERS = '.stSlider input[type="range"], .vega-bind input[type="range"]';
let watching, due;

function step(slider, by) {
    const arrow = {key: by < 0 ? 'ArrowLeft' : 'ArrowRight', bubbles: true};
    if (slider.closest('.stSlider')) {
        slider.dispatchEvent(new KeyboardEvent('keydown', arrow));
        slider.dispatchEvent(new KeyboardEvent('keyup', arrow));
        return;
    }
    delete slider.dataset.untouched;
    slider.value = +slider.value + by * slider.step;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
}

function add(slider, place, said) {
    const name = slider.getAttribute('aria-label') ?? place.querySelector('.vega-bind-name').textContent.trim();
    const box = document.createElement('span');
    box.className = 'stepper';
    for (const [sign, words, by] of [['−', said.less, -1], ['+', said.more, 1]]) {
        const button = document.createElement('button');
        button.type = 'button';
        button.tabIndex = -1;  // who uses the keyboard has the arrow keys
        button.textContent = sign;
        button.setAttribute('aria-label', `${name}: ${words}`);
        // Streamlit may make the slider anew within what stands around it.
        button.onclick = () => step(place.querySelector('input[type="range"]'), by);
        box.append(button);
    }
    place.insertBefore(box, place.querySelector('.player'));  // whichever of the two comes first
}

function look({most, ...said}) {
    due = false;
    for (const slider of document.querySelectorAll(SLIDERS)) {
        const place = slider.closest('.stSlider, .vega-bind'), there = place.querySelector('.stepper');
        const many = (slider.max - slider.min) / slider.step > most;
        if (many && !there) add(slider, place, said);
        if (!many) there?.remove();
    }
}

export default function ({data}) {
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
.st-key-steppers {display: none}
.stepper {display: inline-flex; gap: 0.25rem}
.stSlider:has(> .stepper) {position: relative}
.stSlider:has(> .stepper) > label {padding-right: 4rem}
.stSlider > .stepper {position: absolute; right: 0; top: -0.25rem}
.stepper button {
    width: 1.75rem; height: 1.75rem; padding: 0; border: 1px solid color-mix(in srgb, currentColor 40%, transparent);
    border-radius: 0.5rem; background: transparent; color: inherit; font: inherit; line-height: 1; cursor: pointer;
    touch-action: manipulation;
}
.stepper button:hover {border-color: currentColor}
@media (pointer: coarse) {
    .stepper button {width: 2.75rem; height: 2.75rem}
    .stSlider:has(> .stepper) > label {padding-right: 6.25rem}
    .stSlider > .stepper {top: -1rem}
}
"""
_BUTTONS = st.components.v2.component("steppers", css=_CSS, js=_STEPPERS, isolate_styles=False)


def step_sliders() -> None:
    """Let every slider of the page that has many steps be stepped; it stands before the page."""
    _BUTTONS(key="steppers", data={"most": MAX_STEPS, "less": _("one step less"), "more": _("one step more")})
