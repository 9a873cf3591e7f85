"""A yardstick of the page benchmark: the plainest Streamlit page with a slider and a picture that it moves."""

import numpy as np
import streamlit as st

st.line_chart(np.sin(np.arange(200) * st.slider("Value", 0, 100, 50, key="value") / 50))
