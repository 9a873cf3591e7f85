"""Home: what this is about in one moving picture, the ways in, what a loss means, and why texts are long."""

import streamlit as st

from ui.frame.shell import ensure_shell
from ui.language.words import _
from ui.lecture.presenting import scene_of_link
from ui.widgets.prose import Text

ensure_shell()
text = Text("home")
presented = scene_of_link() is not None
if not presented:
    st.title(_("Positional Encoding Explorer"), anchor=False)
    st.markdown(text("intro"))

# Not before the first words are on the screen: it loads pandas and Altair, and what stands below the ways in torch.
from ui import home  # noqa: E402

if presented:
    home.moving_picture(text)
else:
    home.first_screen(text)
    st.subheader(_("Six ideas in two minutes"))
    home.tell_story(text)
    home.let_draw()
    st.subheader(_("What happens at the line"))
    home.tell_losses(text)
    st.subheader(_("Why anybody wants longer texts"))
    home.tell_memory(text)
    st.subheader(_("Not one run, but several"))
    home.several_seeds()
    st.markdown(text("about"))
