// What the window that presents and the window of notes share.

// Milliseconds as minutes and seconds.
export function clock(ms) {
    const all = Math.max(0, Math.floor(ms / 1000));
    return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, '0')}`;
}

// Words with each # replaced by the next gap, as it is.
export const filled = (words, ...gaps) => gaps.reduce((said, gap) => said.replace('#', () => gap), words);

// An element with words: they are put in as text, never as HTML.
export function part(kind, name, words = '') {
    const made = document.createElement(kind);
    made.className = name;
    made.textContent = words;
    return made;
}
