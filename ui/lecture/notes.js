import {clock, filled, part} from './common.js';

let ticking;
let channel;

// Where a lecture stands: the scene, the minutes since it began, all of them, and those at which the scene ends.
export function timeLine({scenes, minutes, said}, {place, start}, now) {
    const done = scenes.slice(0, place + 1).reduce((sum, scene) => sum + scene.minutes, 0);
    const gone = start ? clock(now - start) : said.begun;
    const words = filled(said.ends, gone, clock(minutes * 60_000), clock(done * 60_000));
    return `${place + 1} / ${scenes.length}, ${words}`;
}

export default function ({data: first, parentElement}) {
    clearInterval(ticking);
    channel?.close();
    let data = first;
    let now = {place: 0, reveal: 0, start: undefined};
    const box = parentElement.querySelector('.lecture-notes');
    const tick = () => {
        if (!data.scenes.length) return;
        box.querySelector('.lecture-time').textContent = timeLine(data, now, Date.now());
    };
    const draw = () => {
        if (!data.scenes.length) {
            box.replaceChildren(part('h1', '', data.said.waiting));
            return;
        }
        const scene = data.scenes[now.place];
        const next = data.scenes[now.place + 1];
        const reveals = part('ul', '');
        for (const [number, words] of scene.reveals.entries()) {
            reveals.append(part('li', number < now.reveal ? 'lecture-told' : '', words));
        }
        box.replaceChildren(
            part('p', 'lecture-time'),
            part('h1', '', scene.sentence),
            reveals,
            ...scene.notes.split(/\n+/).map(words => part('p', '', words)),
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
    return () => {
        clearInterval(ticking);
        channel.close();
    };
}
