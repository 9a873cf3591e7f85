"""Claims, checked: predict first, then the computation runs and gives the verdict."""

import streamlit as st

from ui import claims as draw
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()
text = sections("claims")

st.title("Claims, checked")
write(text["intro"])
claim, at_once = draw.choose(text)
st.subheader(f"“{claim.summary}”")


@fragment
def settle() -> None:
    """All that the controls of the claim change, and only that."""
    draw.draw_claim(claim, at_once, text)


settle()
draw.draw_origin(claim, text)
show_source(claim.decide, *claim.sources)
write(text["look"])

st.subheader("The mathematics")
write(text["mathematics"])

st.subheader("Exercise")
draw.draw_exercise(text)
draw.draw_overview(at_once, text)
