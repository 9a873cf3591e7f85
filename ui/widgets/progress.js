// The chapters, in the order of the course, that a stored text names; none where the text is not ours.
export function chaptersIn(text, {longest, chapters}) {
    if (text.length > longest) return [];
    try {
        const kept = JSON.parse(text);
        return Array.isArray(kept) ? chapters.filter(one => kept.includes(one)) : [];
    } catch {
        return [];
    }
}

// A browser that allows no storage has what the session has, until the page is loaded again.
function read(data) {
    try {
        return chaptersIn(localStorage.getItem(data.store) ?? '[]', data);
    } catch {
        return data.seen;
    }
}

export default function ({data, parentElement, setTriggerValue}) {
    const put = pages => {
        try {
            localStorage.setItem(data.store, JSON.stringify(pages));
        } catch {}
        if (String(pages) !== String(data.seen)) setTriggerValue('opened', pages);
    };
    const before = read(data);
    put(data.chapters.filter(one => one === data.page || before.includes(one)));
    const forget = parentElement.querySelector('.forget');
    forget.textContent = data.forget;
    forget.onclick = () => put(data.chapters.filter(one => one === data.page));
}
