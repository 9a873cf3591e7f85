// What keeps its keys where it has the focus, and what keeps all keys as long as it is open.
const OWN_KEYS =
    'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"], ' +
    '[role="slider"], [role="spinbutton"], [role="combobox"], [role="grid"], [data-testid="stDataFrame"]';
const OPEN = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [data-testid="stPopoverBody"]';
let listening;

// Whether a key that is pressed stands for one of the lectures, which are numbered from 1.
export const isNumber = ({key, ctrlKey, altKey, metaKey, repeat}) =>
    /^[1-9]$/.test(key) && !ctrlKey && !altKey && !metaKey && !repeat;

export default function ({data}) {
    listening?.abort(); // Streamlit calls this anew without ending what was before
    const mine = new AbortController();
    listening = mine;
    document.addEventListener(
        'keydown',
        event => {
            if (!isNumber(event)) return;
            if (document.activeElement?.closest(OWN_KEYS) || document.querySelector(OPEN)) return;
            document.querySelector(`.st-key-${data}_${event.key} a`)?.click();
        },
        {signal: mine.signal},
    );
    return () => mine.abort();
}
