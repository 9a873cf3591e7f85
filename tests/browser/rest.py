"""When a page is at rest: all that it was told has been drawn, and it has nothing more to tell its server."""

import json
from itertools import count
from typing import Any

from playwright.sync_api import Page, TimeoutError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.waiting import PATIENCE

_CALLS = count(1)
# What the page has still to come to, from the first look at it on. `owed`: 2 once its server was asked for a run, 1
# once that has begun, 0 once a run has come to its end; Streamlit shows no run before the server has begun one. `soon`:
# its timers and idle times. `loading`: the scripts of its components, which listen to nobody before.
_NOTES = """(() => {
    const notes = {owed: 0, soon: new Set(), loading: new Set(), call: 0, frames: 0, seen: null}, known = new WeakSet();
    const fields = function* (bytes) {  // what a message of Protocol Buffers holds: tags and values, parts as bytes
        let at = 0;
        const number = () => {
            for (let value = 0, by = 1;; by *= 128) {
                const byte = bytes[at++];
                value += (byte & 127) * by;
                if (byte < 128) return value;
            }
        };
        while (at < bytes.length) {
            const tag = number(), value = number();
            if (tag % 8 !== 2) yield [tag, value];
            else yield [tag, bytes.subarray(at, at += value)];
        }
    };
    const heard = ({data}) => {
        for (const [tag, value] of fields(new Uint8Array(data))) {
            if (tag === NEW_SESSION && notes.owed) notes.owed = 1;
            if (tag === SCRIPT_FINISHED && notes.owed === 1 && value !== EARLY) notes.owed = 0;
        }
    };
    // What a page asks for by itself, again and again, nobody waits for.
    const asks = ([[tag, request]]) => tag === RERUN_SCRIPT && ![...fields(request)].some(([tag]) => tag === BY_ITSELF);
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (message) {
        if (!known.has(this)) this.addEventListener('message', heard);
        known.add(this);
        if (asks([...fields(message)])) notes.owed = 2;
        return send.call(this, message);
    };
    for (const [begin, end] of [['setTimeout', 'clearTimeout'], ['requestIdleCallback', 'cancelIdleCallback']]) {
        const ask = window[begin], forget = window[end];
        window[begin] = (work, when, ...more) => {
            const done = (...given) => {
                notes.soon.delete(name);
                return work(...given);
            };
            const asked = ask(done, when, ...more), name = begin + asked;
            if (!(when > SOON)) notes.soon.add(name);
            return asked;
        };
        window[end] = asked => {
            notes.soon.delete(begin + asked);
            forget(asked);
        };
    }
    const make = URL.createObjectURL;
    URL.createObjectURL = part => {
        const address = make.call(URL, part);
        if (part.type === 'text/javascript') {
            notes.loading.add(address);
            import(address).catch(() => {}).finally(() => notes.loading.delete(address));  // the page asks for it too
        }
        return address;
    };
    return notes;
})()"""
_NUMBERS = {
    "NEW_SESSION": ForwardMsg.NEW_SESSION_FIELD_NUMBER << 3 | 2,
    "SCRIPT_FINISHED": ForwardMsg.SCRIPT_FINISHED_FIELD_NUMBER << 3,
    "EARLY": ForwardMsg.FINISHED_EARLY_FOR_RERUN,
    "RERUN_SCRIPT": BackMsg.RERUN_SCRIPT_FIELD_NUMBER << 3 | 2,
    "BY_ITSELF": ClientState.IS_AUTO_RERUN_FIELD_NUMBER << 3,
    "SOON": 500,  # milliseconds: a slider waits for 200, a control in a picture for 400
}
for _name, _number in _NUMBERS.items():
    _NOTES = _NOTES.replace(_name, str(_number))
BEGIN = f"window.notesOfRest ??= {_NOTES}"
# What plays is never at rest, so that timers are not waited for there.
_SETTLED = f"""([call, frames, asked]) => {{
    const notes = {BEGIN};
    if (notes.call !== call) Object.assign(notes, {{call, frames: 0, seen: null}});
    const app = document.querySelector('[data-testid="stApp"][data-test-connection-state="CONNECTED"]');
    const ended = app?.dataset.testScriptState === 'notRunning' && !notes.owed && !notes.loading.size
        && !document.querySelector('[data-testid="stSkeleton"]')
        && (!notes.soon.size || document.querySelector('[data-playing]'));
    const found = ended ? (LOOK)(asked) : null, now = JSON.stringify(found);
    notes.frames = found && now === notes.seen ? notes.frames + 1 : 0;
    notes.seen = now;
    return notes.frames >= frames && notes;
}}"""
_LEFT = """() => {
    const {owed, soon, loading, seen} = window.notesOfRest ?? {};
    const state = document.querySelector(`[data-testid="stApp"]`)?.dataset.testScriptState;
    return [state, owed, [...soon ?? []], [...loading ?? []], seen?.slice(0, 200)];
}"""


def settled(
    page: Page, look: str = "() => true", asked: object = None, *, frames: int = 3, timeout: float = 1_000 * PATIENCE
) -> Any:
    """Return what a look at the page gives, once that is something, is the same for some frames, and all has ended.

    That is: the page is connected, its script has run to the end, no answer to what it has told its server is on its
    way, its components are loaded, and no timer of the page is due soon. The limit is in milliseconds.
    """
    arg = [next(_CALLS), frames, asked]
    try:
        found = page.wait_for_function(_SETTLED.replace("LOOK", look), arg=arg, timeout=timeout)
    except TimeoutError as error:
        error.add_note(f"still to come, what is asked of the server, timers, and what was seen: {page.evaluate(_LEFT)}")
        raise
    return json.loads(found.evaluate("notes => notes.seen"))
