// A cookie comes with the first message of every session, so no page has to wait for it. Where another window of the
// same browser was faster, its key is taken.

// The key that a cookie of this name holds; undefined if there is none.
export const keyIn = (cookies, name) => cookies.match(new RegExp(`(?:^|; )${name}=([0-9a-f]{32})(?:;|$)`))?.[1];

export default function ({data, setStateValue}) {
    const found = keyIn(document.cookie, data.cookie);
    if (found && found !== data.replaces) {
        if (found !== data.key) setStateValue('key', found);
        return;
    }
    const secure = location.protocol === 'https:' ? '; Secure' : '';
    document.cookie = `${data.cookie}=${data.key}; Path=/; Max-Age=${data.seconds}; SameSite=Lax${secure}`;
}
