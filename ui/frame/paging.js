// Streamlit keeps how far a page is scrolled where it draws the next one in the same stroke: 3 of 16 turns from the
// middle of a page led to the middle of the next. This hears of the new address before that is painted where the browser
// tells of it (`navigation`), else with the data of the new page.

let path = location.pathname; // both outlive the element: the browser loads this module once
let listening;

function toTheTop() {
    if (path === location.pathname) return;
    path = location.pathname;
    document.querySelector('[data-testid="stMain"]').scrollTop = 0;
}

export default function () {
    listening?.abort(); // Streamlit calls this anew without ending what was before
    const mine = new AbortController();
    listening = mine;
    window.navigation?.addEventListener('currententrychange', toTheTop, {signal: mine.signal});
    toTheTop();
    return () => mine.abort();
}
