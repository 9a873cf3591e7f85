"""Words that are dragged into another order, in the browser; the server is told when one is let go."""

from collections.abc import Callable, Sequence

import streamlit as st

from ui.language.words import _

_HTML = '<div class="label"></div><div class="words" role="group"></div><div class="ways"></div>'
# The words are a visitor's: they reach the page as text only.
_JS = """
const FAR = 4;  // pixels that make a drag of a click

export default function ({data, parentElement, setTriggerValue}) {
    const row = parentElement.querySelector('.words'), ways = parentElement.querySelector('.ways');
    const {label, words, places} = data;
    parentElement.querySelector('.label').textContent = label;
    row.setAttribute('aria-label', label);
    const filled = gaps => data.name.split('#').map((piece, number) => piece + (gaps[number] ?? '')).join('');
    const now = () => [...row.children].map(chip => chip.place);
    const tell = () => {
        name();
        if (now().join('.') !== row.told) setTriggerValue('order', row.told = now().join('.'));
    };
    const name = () => [...row.children].forEach((chip, at) => chip.setAttribute(
        'aria-label', filled([words[chip.place], at + 1, words.length])));
    const put = order => {
        const chips = new Map([...row.children].map(chip => [chip.place, chip]));
        row.append(...order.map(place => chips.get(place)));
        tell();
    };

    function dragged(chip, event) {
        if (event.button || event.isPrimary === false) return;
        const from = event.clientX, high = event.clientY, id = event.pointerId;
        let moving = false;
        chip.setPointerCapture(id);
        chip.onpointermove = move => {
            moving ||= Math.hypot(move.clientX - from, move.clientY - high) > FAR;
            if (!moving) return;
            chip.classList.add('held');
            const over = [...row.children].find(other => {
                const box = other.getBoundingClientRect();
                return move.clientX >= box.left && move.clientX < box.right
                    && move.clientY >= box.top && move.clientY < box.bottom;
            });
            if (!over || over === chip) return;
            const box = over.getBoundingClientRect(), all = [...row.children];
            const ahead = all.indexOf(over) > all.indexOf(chip), middle = box.left + box.width / 2;
            if (ahead && move.clientX > middle) over.after(chip);
            if (!ahead && move.clientX < middle) over.before(chip);
            if (!chip.hasPointerCapture(id)) chip.setPointerCapture(id);  // lost where a chip is put elsewhere
        };
        chip.onpointerup = chip.onpointercancel = () => {
            chip.onpointermove = chip.onpointerup = chip.onpointercancel = null;
            chip.classList.remove('held');
            if (moving) tell();
        };
    }
    function pressed(chip, event) {
        const other = {ArrowLeft: chip.previousSibling, ArrowRight: chip.nextSibling}[event.key];
        if (!other) return;
        event.preventDefault();
        event.key === 'ArrowLeft' ? other.before(chip) : other.after(chip);
        chip.focus();
        tell();
    }
    function chip(place) {
        const made = document.createElement('button');
        made.type = 'button';
        made.place = place;
        made.textContent = words[place];
        made.addEventListener('pointerdown', event => dragged(made, event));
        made.addEventListener('keydown', event => pressed(made, event));
        return made;
    }
    if (row.told !== places.join('.') || row.words !== words.join(' ')) {
        row.told = places.join('.');
        row.words = words.join(' ');
        row.replaceChildren(...places.map(chip));
    }
    name();
    const first = words.map((_, place) => place);
    const orders = [
        () => first,
        () => now().reverse(),
        () => first.map(place => [Math.random(), place]).sort((a, b) => a[0] - b[0]).map(pair => pair[1]),
    ];
    ways.replaceChildren(...orders.map((order, number) => {
        const way = document.createElement('button');
        way.type = 'button';
        way.textContent = data.ways[number];
        way.onclick = () => put(order());
        return way;
    }));
}
"""
_CSS = """
:host, div {font-family: var(--st-font); color: var(--st-text-color)}
.label {font-size: 0.875rem; margin-bottom: 0.25rem}
.words, .ways {display: flex; flex-wrap: wrap; gap: 0.375rem}
.ways {margin-top: 0.375rem}
button {min-height: 2rem; padding: 0 0.625rem; border-radius: 0.5rem; font: inherit; color: inherit; cursor: pointer}
.words button {
    cursor: grab; touch-action: pan-y; user-select: none; -webkit-user-select: none; font-size: 1rem;
    border: 1px solid var(--st-primary-color); background: var(--st-secondary-background-color);
}
.words .held {cursor: grabbing; background: var(--st-primary-color); color: var(--st-background-color)}
.ways button {
    font-size: 0.875rem; background: transparent; border: 1px solid color-mix(in srgb, currentColor 40%, transparent);
}
button:focus-visible {outline: 2px solid var(--st-primary-color); outline-offset: 2px}
@media (pointer: coarse) {button {min-height: 2.75rem; min-width: 2.75rem}}
"""
_WORDS = st.components.v2.component("dragged_words", html=_HTML, css=_CSS, js=_JS)


def draw_words(name: str, label: str, words: Sequence[str], places: Sequence[int], take: Callable[[str], None]) -> None:
    """Draw `words` so that each of `places` has the word of that number; `take` gets the places after a drag, 2.0.1.

    What it gets comes from the browser and is yet to be checked.
    """
    key = f"{name}_words"

    def dragged() -> None:
        said = st.session_state[key].order
        if isinstance(said, str):
            take(said)

    ways = [_("As written"), _("Turn around"), _("Shuffle")]
    data = {"label": label, "words": list(words), "places": list(places), "ways": ways}
    data["name"] = _("#, word # of #; arrow keys move it")  # of one word, for who does not see them
    _WORDS(key=key, data=data, on_order_change=dragged)
