"""Who votes: a random number that the browser makes up once and keeps, so that each device has one vote."""

import streamlit as st

# `crypto.randomUUID` is missing where a page has no certificate, as on a laptop in a lecture hall.
_JS = """
const NAME = 'poll device';
let device, told;  // outlive the element

function made() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

export default function ({setStateValue}) {
    try {
        device ??= localStorage.getItem(NAME);
        if (!/^[0-9a-f]{32}$/.test(device ?? '')) localStorage.setItem(NAME, device = made());
    } catch {
        device ??= made();  // a browser that keeps nothing votes as long as its window is open
    }
    if (told !== device) setStateValue('device', told = device);
}
"""
_KEY = "poll_voter"
_VOTER = st.components.v2.component(_KEY, js=_JS)


def device() -> str:
    """Return what the browser calls this device, as it says; empty before it has said so."""
    said = _VOTER(key=_KEY, on_device_change=lambda: None).device
    return said if isinstance(said, str) else ""
