"""Home: what this is, the length cliff at once, and the ways in."""

import streamlit as st

from ui.frame.shell import ensure_shell
from ui.lecture.presenting import scene_of_link
from ui.widgets.prose import sections, write

ensure_shell()
text = sections("home")
presented = scene_of_link() is not None
if not presented:
    st.title("Positional Encoding Explorer")
    write(text["intro"])

# Not before the first words are on the screen: these load torch.
from ui import home  # noqa: E402
from ui.gallery import draw_trained  # noqa: E402
from ui.lab.kept import earlier_run  # noqa: E402

record = earlier_run()
home.show_cliff(record)
if not presented:
    st.page_link("pages/lab.py", label="Train it yourself", icon=":material/science:")
    st.subheader("The length cliff")
    write(text["cliff"], home.facts(record))
    home.show_ratios(record)
    write(text["method"], home.facts(record))
    write(text["about"])

    st.subheader("Not one run, but several")
    draw_trained("home_gallery")

    st.subheader("Ways in")
    home.ways_in()
