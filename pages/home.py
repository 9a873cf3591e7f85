"""Home: what this is, the length cliff at once, and the ways in."""

import streamlit as st

from ui.shell import ensure_shell

ensure_shell()
st.title("Positional Encoding Explorer")
