// Sliders of Streamlit and selections in pictures change as soon as they are touched, before anybody knows where the
// finger will go. So the touch is kept back until it goes sideways, or ends where it began. A slider of the browser
// itself cannot be made to wait, since the swipe would be lost too: it is put back once the page scrolls.

const FAR = 6; // pixels sideways that make a drag
const SLIDER = '[data-testid="stSlider"]';
const PICTURE = '[data-testid="stVegaLiteChart"] :is(svg, canvas)';
const BROWSERS_OWN = '.vega-bind input[type="range"]';
let kept;
let own;
let listening;

function tell(kind, {pointerId, clientX, clientY, screenX, screenY, target}) {
    target.dispatchEvent(
        new PointerEvent(kind, {
            pointerId,
            clientX,
            clientY,
            screenX,
            screenY,
            pointerType: 'touch',
            isPrimary: true,
            button: 0,
            buttons: kind === 'pointerdown' ? 1 : 0,
            bubbles: true,
            cancelable: true,
            composed: true,
        }),
    );
}

function handOver() {
    const touched = kept;
    kept = null;
    tell('pointerdown', touched);
    return touched;
}

// What says the numbers of a mark would stay where it is until the next mark is pointed at.
const hideNumbers = () => document.querySelector('.vg-tooltip')?.classList.remove('visible');
const at = (event, places) => event.target.closest?.(places);
const listeners = {
    pointerdown(event) {
        if (event.pointerType !== 'touch' || !event.isTrusted) return;
        kept = own = null;
        hideNumbers();
        if (at(event, BROWSERS_OWN)) own = {slider: event.target, value: event.target.value};
        if (!event.isPrimary || !at(event, `${SLIDER}, ${PICTURE}`)) return;
        // Target and place are read now: an event that is over has lost them.
        const {pointerId, clientX, clientY, screenX, screenY, target} = event;
        kept = {pointerId, clientX, clientY, screenX, screenY, target};
        event.stopImmediatePropagation();
    },
    pointermove(event) {
        if (kept && event.pointerId === kept.pointerId && Math.abs(event.clientX - kept.clientX) >= FAR) handOver();
    },
    pointerup() {
        // A tap on a picture. Sliders go by the click, which comes next.
        if (kept && at(kept, PICTURE)) {
            const tapped = handOver();
            setTimeout(() => tell('pointermove', tapped)); // once the finger has left: Vega says the numbers
        }
        kept = own = null;
    },
    pointercancel() {
        if (own) {
            own.slider.value = own.value;
            own.slider.dispatchEvent(new Event('input', {bubbles: true}));
        }
        kept = own = null;
        hideNumbers();
    },
    touchstart(event) {
        if (at(event, SLIDER)) event.stopImmediatePropagation();
    },
};

export default function () {
    listening?.abort();
    const mine = new AbortController();
    listening = mine;
    for (const [kind, listener] of Object.entries(listeners)) {
        window.addEventListener(kind, listener, {capture: true, passive: true, signal: mine.signal});
    }
    return () => mine.abort();
}
