"""Home: what this is about in one moving picture, the ways in, what a loss means, and why texts are long."""

import streamlit as st

from ui.frame.room import BELOW
from ui.frame.shell import ensure_shell
from ui.language.words import _
from ui.lecture.presenting import scene_of_link
from ui.widgets.prose import Text, with_links

ensure_shell()
text = Text("home")
presented = scene_of_link() is not None
if not presented:
    st.title(_("Positional Encoding Explorer"), anchor=False)
    st.markdown(text("intro"))

# Not before the first words are on the screen: it loads pandas and Altair, and what stands below the ways in torch.
from pe_core.chapters.home import facts, memory  # noqa: E402
from ui import home  # noqa: E402

if presented:
    home.moving_picture(text)
else:
    with st.container(key=BELOW):
        home.moving_picture(text)
        with st.container(key="home_ways"):
            home.ways_in(text)
    st.subheader(_("Six ideas in two minutes"))
    home.tell_story(text)
    home.let_draw()
    st.subheader(_("What happens at the line"))
    for section in ("losses", "table", "order", "method"):
        st.markdown(text(section, facts()))
    st.subheader(_("Why anybody wants longer texts"))
    st.markdown(text("memory", memory()))
    st.markdown(with_links(text("caches", memory())))
    st.subheader(_("Not one run, but several"))
    from ui.lab.results import draw_trained  # with torch

    draw_trained("home_gallery")
    st.markdown(text("about"))
