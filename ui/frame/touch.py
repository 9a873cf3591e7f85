"""On a telephone, a swipe up or down that begins on a slider or in a picture scrolls the page, and changes nothing.

A tap on a mark of a picture shows its numbers, until the next touch.
"""

import streamlit as st

# Sliders of Streamlit and selections in pictures change as soon as they are touched, before anybody knows where the
# finger will go. So the touch is kept back until it goes sideways, or ends where it began. A slider of the browser
# itself cannot be made to wait, since the swipe would be lost too: it is put back once the page scrolls.
_LISTENER = """
const FAR = 6;  // pixels sideways that make a drag
const SLIDER = '[data-testid="stSlider"]', PICTURE = '[data-testid="stVegaLiteChart"] :is(svg, canvas)';
const BROWSERS_OWN = '.vega-bind input[type="range"]';
let kept, own, listening;

function tell(kind, {pointerId, clientX, clientY, screenX, screenY, target}) {
    target.dispatchEvent(new PointerEvent(kind, {
        pointerId, clientX, clientY, screenX, screenY, pointerType: 'touch', isPrimary: true, button: 0,
        buttons: kind === 'pointerdown' ? 1 : 0, bubbles: true, cancelable: true, composed: true,
    }));
}

function hand_over() {
    const touched = kept;
    kept = null;
    tell('pointerdown', touched);
    return touched;
}

// What says the numbers of a mark would stay where it is until the next mark is pointed at.
const hide_numbers = () => document.querySelector('.vg-tooltip')?.classList.remove('visible');
const at = (event, places) => event.target.closest?.(places);
const listeners = {
    pointerdown(event) {
        if (event.pointerType !== 'touch' || !event.isTrusted) return;
        kept = own = null;
        hide_numbers();
        if (at(event, BROWSERS_OWN)) own = {slider: event.target, value: event.target.value};
        if (!event.isPrimary || !at(event, `${SLIDER}, ${PICTURE}`)) return;
        // Target and place are read now: an event that is over has lost them.
        const {pointerId, clientX, clientY, screenX, screenY, target} = event;
        kept = {pointerId, clientX, clientY, screenX, screenY, target};
        event.stopImmediatePropagation();
    },
    pointermove(event) {
        if (kept && event.pointerId === kept.pointerId && Math.abs(event.clientX - kept.clientX) >= FAR) hand_over();
    },
    pointerup() {
        if (kept && at(kept, PICTURE)) {  // a tap; sliders go by the click, which comes next
            const tapped = hand_over();
            setTimeout(() => tell('pointermove', tapped));  // once the finger has left: Vega says the numbers
        }
        kept = own = null;
    },
    pointercancel() {
        if (own) {
            own.slider.value = own.value;
            own.slider.dispatchEvent(new Event('input', {bubbles: true}));
        }
        kept = own = null;
        hide_numbers();
    },
    touchstart(event) {
        if (at(event, SLIDER)) event.stopImmediatePropagation();
    },
};

export default function () {
    listening?.abort();
    const mine = listening = new AbortController();
    for (const [kind, listener] of Object.entries(listeners)) {
        window.addEventListener(kind, listener, {capture: true, passive: true, signal: mine.signal});
    }
    return () => mine.abort();
}
"""
_CSS = """
.st-key-touch {display: none}
[data-testid="stSlider"], [data-testid="stSlider"] *, [data-testid="stVegaLiteChart"] :is(svg, canvas),
.vega-bind input[type="range"] {touch-action: pan-y pinch-zoom !important}
.vg-tooltip {pointer-events: none} /* what begins on it is meant for what lies under it */
"""
_TOUCH = st.components.v2.component("touch", css=_CSS, js=_LISTENER, isolate_styles=False)


def scroll_over_controls() -> None:
    """Let a swipe up or down over a slider or a picture scroll the page; it stands before the page."""
    _TOUCH(key="touch")
