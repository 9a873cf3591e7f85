"""binary_vs_sinusoid"""

import streamlit as st

from ui.shell import ensure_shell

ensure_shell()
st.title("binary_vs_sinusoid")
