"""Entry point: page settings, navigation, warm-up. Run with `streamlit run app.py`."""

import streamlit as st

from ui.frame.paging import neighbours, open_page, turn_pages
from ui.frame.shell import enter_shell, page_list
from ui.frame.turns import turn
from ui.start import follow_run, take_away, warm_up

st.set_page_config(page_title="Positional Encoding Explorer", page_icon="content/icon.png", layout="wide")
pages = page_list()
page = st.navigation(pages)
ways = neighbours(page, pages)
enter_shell()
open_page(ways)
with turn():
    page.run()
    turn_pages(ways, between=take_away)
    follow_run(page)
warm_up()  # last, so that the first page is on the screen before the heavy imports
