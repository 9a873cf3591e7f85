"""Pictures in which a control of the page is played: they have all its choices, and go through them in the browser.

What such a picture holds is large and the same at every choice. So it is sent once: where the page's control stands is
told beside it, in a few bytes.
"""

from collections.abc import Container, Mapping
from typing import Any

import streamlit as st

from pe_core.figures.looks import bound
from pe_core.figures.looks.motion import NOW, PLAYED

_BEGUN = "_frames_of_played"  # where a session keeps with which choice a picture has begun, by key

# What the page has said is kept at the slider: one that Vega has made anew has nothing, and goes to where the page
# stands. What the page only repeats, since the slider has told it, moves nothing: the visitor may be farther by now.
_FOLLOWER = """
const watches = new WeakMap();  // by picture

function follow(slider, {at, choices}) {
    const number = slider.nextElementSibling;
    if (!slider.played) slider.addEventListener('input', () => { number.textContent = choices[slider.value]; });
    const said = slider.played?.said;
    slider.played = {said: String(at), choices};
    if (said === String(at)) return;
    slider.value = at;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
}

export default function ({data, parentElement}) {
    const picture = parentElement.closest('[class*="st-key-picture_of_"]');
    const look = () => {
        for (const slider of picture.querySelectorAll(`.vega-bindings input[name="${data.name}"]`)) {
            if (slider.played?.from !== data) follow(slider, data);
            slider.played.from = data;
        }
    };
    watches.get(picture)?.disconnect();  // Streamlit calls this anew without ending what was before
    const watching = new MutationObserver(look);
    watches.set(picture, watching);
    watching.observe(picture, {childList: true, subtree: true});
    look();
    return () => watching.disconnect();
}
"""
_CSS = f"""
[class*="st-key-played_of_"] {{display: none}}
.vega-bind input[name^="{PLAYED}"] {{display: none}} /* the page has a slider for it */
.vega-bind:has(input[name^="{PLAYED}"]) .vega-bind-name {{min-width: 0}}
@media (max-width: 1199px) {{
    .vega-bind:has(input[name^="{PLAYED}"]) .vega-bind-name {{display: none}} /* so that all stands in one row */
}}
"""
_FOLLOW = st.components.v2.component("played", css=_CSS, js=_FOLLOWER, isolate_styles=False)


def as_begun(key: str, frames: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the frames of a picture, of one that is played as they were when it came to the page."""
    if NOW not in frames:
        return frames
    begun: dict[str, Any] = st.session_state.setdefault(_BEGUN, {})
    return {**frames, NOW: begun.setdefault(key, frames[NOW])}


def forget_others(shown: Container[str]) -> None:
    """Forget how pictures have begun that are not `shown` any more, by key."""
    begun: dict[str, Any] = st.session_state.get(_BEGUN, {})
    st.session_state[_BEGUN] = {key: frame for key, frame in begun.items() if key in shown}


def follow(key: str, spec: Mapping[str, Any], frames: Mapping[str, Any]) -> None:
    """Tell a picture that is played where the page's control stands; it is drawn beside the picture."""
    for name, control in bound.of_page(spec).items():
        if name.startswith(PLAYED):
            at = int(frames[NOW][control.name].iloc[0])
            _FOLLOW(key=f"played_of_{key}", data={"name": name, "at": at, "choices": list(map(str, control.choices))})
