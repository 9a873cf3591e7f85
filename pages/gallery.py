"""Gallery: every encoding trained with several seeds, and who keeps its loss on longer texts."""

import streamlit as st

from pe_core.chapters import gallery as pictures
from pe_core.lab.results import gallery, papers, statistics
from pe_core.lab.sweeps import gallery as making
from pe_core.measures import agreement
from ui.frame.shell import ensure_shell
from ui.frame.turns import fragment
from ui.gallery import looks as gallery_looks
from ui.gallery import page as draw
from ui.gallery import papers as gallery_papers
from ui.widgets.looks import Look, choose_look
from ui.widgets.prose import sections, write
from ui.widgets.source import show_source

ensure_shell()

LOOKS = {
    "Loss by length": Look(gallery_looks.draw_lengths, (pictures.by_length, statistics.mean_losses)),
    "Paper and ours": Look(gallery_papers.draw_papers, (papers.compare, agreement.kendall_tau, papers.Table)),
    "Repairs": Look(gallery_papers.draw_repairs, (pictures.repairs, gallery.repaired)),
    "All numbers": Look(gallery_looks.draw_table, (gallery.standings, gallery.next_apart)),
    "Exercise": Look(gallery_looks.draw_exercise, (gallery.apart, agreement.distinguishable)),
}
text = sections("gallery")

st.title("Gallery")
write(text["intro"])
ranking_place = st.container()
write(text["look"])
draw.draw_origin(text)

look = choose_look("gal_look", LOOKS)
look_place = st.container()
show_source(*look.sources)

st.subheader("The mathematics")
write(text["mathematics"])
show_source(making.sweep, gallery.standings, agreement.p_value)


@fragment
def show_pictures() -> None:
    """All that the controls change, and only that."""
    with ranking_place:
        chosen = draw.choose()
        draw.draw_ranking(chosen, text)
    with look_place:
        look.draw(chosen, text)


show_pictures()
