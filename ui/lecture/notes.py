"""The window of the lecturer's notes: it follows the window that presents, in the browser and without the server."""

import streamlit as st

from ui.lecture.remote import COMMON, CSS, Told

_NOTES = (
    COMMON
    + """
let ticking, channel;

export default function ({data: first, parentElement}) {
    clearInterval(ticking);
    channel?.close();
    let data = first, now = {place: 0, reveal: 0, start: undefined};
    const box = parentElement.querySelector('.lecture-notes');
    const tick = () => {
        if (!data.scenes.length) return;
        const done = data.scenes.slice(0, now.place + 1).reduce((sum, scene) => sum + scene.minutes, 0);
        const gone = now.start ? clock(Date.now() - now.start) : data.said.begun;
        box.querySelector('.lecture-time').textContent = `${now.place + 1} / ${data.scenes.length}, `
            + filled(data.said.ends, gone, clock(data.minutes * 60_000), clock(done * 60_000));
    };
    const draw = () => {
        if (!data.scenes.length) {
            box.replaceChildren(part('h1', '', data.said.waiting));
            return;
        }
        const scene = data.scenes[now.place], next = data.scenes[now.place + 1];
        const reveals = part('ul', '');
        for (const [number, words] of scene.reveals.entries()) {
            reveals.append(part('li', number < now.reveal ? 'lecture-told' : '', words));
        }
        box.replaceChildren(
            part('p', 'lecture-time'), part('h1', '', scene.sentence), reveals,
            ...scene.notes.split(/\\n+/).map(words => part('p', '', words)),
            part('p', 'lecture-next', next ? filled(data.said.next, next.sentence) : data.said.last),
        );
        tick();
    };
    channel = new BroadcastChannel(`lecture ${data.name}`);
    channel.onmessage = ({data: said}) => {
        if (typeof said !== 'object') return;
        [now, data] = [said, said.lecture];
        draw();
    };
    draw();
    channel.postMessage('where');
    ticking = setInterval(tick, 1000);
    return () => { clearInterval(ticking); channel.close(); };
}
"""
)
_NOTES_KEY = "lecture_notes"
_NOTES_WINDOW = st.components.v2.component(
    _NOTES_KEY, html='<div class="lecture lecture-notes"></div>', css=CSS, js=_NOTES, isolate_styles=False
)


def draw_notes(told: Told) -> None:
    """Draw the notes of the scene that another window of this browser presents."""
    _NOTES_WINDOW(key=_NOTES_KEY, data=told)
