// What stands where it stood before the visitor did anything is not moved, and stays out of the link.

const REST = 400; // milliseconds after which a control counts as at rest
const first = new WeakMap();
const INPUTS = '[class*="st-key-picture_of_"] .vega-bindings input:not([data-untouched])'; // but what plays by itself
let listening;
let timer;
let held = false;

const inputs = () => document.querySelectorAll(INPUTS);
const shown = input => (input.type === 'checkbox' ? String(input.checked) : input.value);

function nameOf(input, flowing) {
    const box = input.closest('[class*="st-key-picture_of_"]');
    return `${/st-key-picture_of_(\S+)/.exec(box.className)[1]}_${input.name.replace(flowing, '')}`;
}

// What is dragged for the page goes by where the drag began: the server itself writes it into the link, and moves it.
function look({ofPage}) {
    for (const input of inputs()) {
        if (!first.has(input) || (input.name.startsWith(ofPage) && !timer)) first.set(input, shown(input));
    }
}

// What the controls of pictures have been moved to, by name; what belongs into the address is written into `search`.
// Where each stood at first, and stands now if it stands for a control of the page, is in `first`.
export function movedOf(all, search, first, {flowing, ofPage, pointed}) {
    const moved = {};
    for (const input of all) {
        const name = nameOf(input, flowing);
        const value = shown(input);
        if (input.name === pointed) continue;
        if (input.name.startsWith(ofPage)) {
            const {said = first.get(input), choices} = input.played ?? {};
            if (value !== said) moved[input.name] = choices ? choices[value] : value;
            first.set(input, value);
            if (input.played) input.played.said = value;
            continue;
        }
        // One of a picture that was drawn since the pointer went down has not moved.
        if (!first.has(input)) {
            first.set(input, value);
            continue;
        }
        const before = search.get(name) ?? first.get(input);
        if (before === value) continue;
        search.set(name, value);
        moved[name] = value;
    }
    return moved;
}

function write(names, tell) {
    const url = new URL(location.href);
    const moved = movedOf(inputs(), url.searchParams, first, names);
    if (!Object.keys(moved).length) return;
    history.replaceState(history.state, '', url);
    tell(moved);
}

export default function ({data, setTriggerValue}) {
    listening?.abort(); // Streamlit calls this anew without ending what was before
    const mine = new AbortController();
    const signal = mine.signal;
    listening = mine;
    const later = () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
            if (document.querySelector('.vega-bindings [data-playing]')) return later();
            timer = null;
            write(data, moved => setTriggerValue('moved', moved));
        }, REST);
    };
    const begin = event => {
        look(data);
        held = event.type === 'pointerdown';
        if (held) clearTimeout(timer); // what has come to rest just before is told when this drag has, too
    };
    const end = () => {
        held = false;
        later();
    };
    for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, begin, {signal, capture: true});
    // The page's answer to a value of the middle of a drag would put what is dragged back to it.
    const heard = event => {
        if (!held && event.target.closest?.('.vega-bindings')) later();
    };
    document.addEventListener('input', heard, {signal, capture: true});
    // A drag may end beside the picture.
    for (const type of ['pointerup', 'pointercancel']) document.addEventListener(type, end, {signal, capture: true});
    return () => mine.abort();
}
