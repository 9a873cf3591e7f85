// `crypto.randomUUID` is missing where a page has no certificate, as on a laptop in a lecture hall.

const NAME = 'poll device';
const VOTED = 'poll voted';
let device; // outlives the element; a browser that keeps nothing votes as long as its window is open

const kept = name => {
    try {
        return localStorage.getItem(name);
    } catch {
        return null;
    }
};
const keep = (name, value) => {
    try {
        localStorage.setItem(name, value);
    } catch {}
};

// What a browser calls itself: 32 hexadecimal digits, two for each byte.
export const deviceOf = bytes => [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');

export const isDevice = text => /^[0-9a-f]{32}$/.test(text ?? '');

export default function ({data, parentElement, setTriggerValue}) {
    device ??= kept(NAME);
    if (!isDevice(device)) {
        device = deviceOf(crypto.getRandomValues(new Uint8Array(16)));
        keep(NAME, device);
    }
    if (!data.known && kept(VOTED) === data.poll) setTriggerValue('device', device);
    const ballot = parentElement.querySelector('.ballot');
    data.choices.forEach(([choice, title], place) => {
        const button = ballot.children[place] ?? ballot.appendChild(document.createElement('button'));
        button.type = 'button';
        button.textContent = title;
        button.setAttribute('aria-pressed', choice === data.chosen);
        button.onclick = () => {
            keep(VOTED, data.poll);
            setTriggerValue('vote', {device, choice});
        };
    });
}
