"""What loads torch only when it is needed: the foot of a page, the visitor's run, the warm-up of the process."""

import threading
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui.frame.process import Once, collect_in_rounds


def draw_foot(page: StreamlitPage, pages: Mapping[str, Sequence[StreamlitPage]]) -> None:
    """Link the pages before and after a page; between them offer its link, pictures and Python."""
    from ui.lecture.presenting import offer_view
    from ui.widgets.take_away import offer

    row = [other for section in pages.values() for other in section]
    place = [other.url_path for other in row].index(page.url_path)
    before, middle, after = st.columns(3)
    with middle:
        offer()
        if page.url_path != "lectures":
            offer_view(page)
    if place > 0:
        before.page_link(row[place - 1], icon=":material/arrow_back:")
    if place + 1 < len(row):
        after.page_link(row[place + 1], icon=":material/arrow_forward:")


def follow_run(page: StreamlitPage) -> None:
    """Show on every page but the lab itself where the visitor's run stands."""
    if "run" in st.session_state and page.url_path != "lab":
        from ui.lab.panel import follow_from_afar

        follow_from_afar()


@Once
def warm_up() -> None:
    """Import what is heavy, once per process; from then on garbage is collected in rounds."""
    import torch

    torch.set_num_threads(1)  # tables are small: a second thread costs more in waiting than it saves

    from pe_core.figures import heatmap  # noqa: F401

    threading.Thread(target=prepare_lab, name="lab", daemon=True).start()

    collect_in_rounds()


def prepare_lab() -> None:
    """Do what the first visitor of the lab would wait for: without it that page costs a second, and 60 MB for a moment.

    It measures the small steps, reads the text that the page begins with, and lets Altair build its kinds of pictures;
    those of other runs of a text differ in names, colours and numbers only.
    """
    from pe_core.chapters import gallery, lab
    from pe_core.lab.experiment import datasets
    from ui.lab.jobs import calibration
    from ui.lab.setup import earlier_run

    _ = calibration().paces, datasets.built_in().seen_in_training  # kept where they are made
    record = earlier_run()
    for picture in (lab.training_curves, lab.length_losses, lab.position_losses, lab.length_cost):
        picture(record)
    gallery.by_length(record.config.encodings)
