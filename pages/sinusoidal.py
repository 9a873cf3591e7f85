"""sinusoidal"""

import streamlit as st

from ui.shell import ensure_shell

ensure_shell()
st.title("sinusoidal")
