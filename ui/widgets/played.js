// What the page has said is kept at the slider: one that Vega has made anew has nothing, and goes to where the page
// stands. What the page only repeats, since the slider has told it, moves nothing: the visitor may be farther by now.

const watches = new WeakMap(); // by picture

export function follow(slider, {at, choices}) {
    const number = slider.nextElementSibling;
    if (!slider.played) {
        slider.addEventListener('input', () => {
            number.textContent = choices[slider.value];
        });
    }
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
    watches.get(picture)?.disconnect(); // Streamlit calls this anew without ending what was before
    const watching = new MutationObserver(look);
    watches.set(picture, watching);
    watching.observe(picture, {childList: true, subtree: true});
    look();
    return () => watching.disconnect();
}
