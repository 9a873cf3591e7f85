"""A yardstick of the page benchmark: the least a Streamlit page with a slider can be, with no picture at all."""

import streamlit as st

st.write(st.slider("Value", 0, 100, 50, key="value"))
