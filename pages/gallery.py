"""Gallery: every encoding trained with several seeds, and who keeps its loss on longer texts."""

from collections.abc import Sequence

import streamlit as st

from pe_core.chapters import gallery, gallery_beside
from pe_core.encodings import ENCODINGS
from pe_core.lab import gallery as making
from pe_core.lab.experiment import evaluation
from pe_core.lab.experiment.settings import MAX_ENCODINGS
from pe_core.lab.results import comparison, papers, statistics
from pe_core.lab.results import gallery as results
from pe_core.measures import uncertainty
from pe_core.parameters import Choices
from ui.frame.room import first_screen
from ui.frame.turns import fragment
from ui.page import close_page, closer_look, exercise, facts_of, mathematics, open_page, some_of
from ui.widgets.charts import picture
from ui.widgets.controls import control, row
from ui.widgets.prose import Text, show_source
from ui.widgets.tables import in_view, show_rows

LOOKS = {
    "In these runs": ("Loss by length", "Repairs", "All numbers", "Exercise"),
    "Beside others": ("Paper and ours", "Another text", "Larger models"),
}


def compare_with_paper(table: str, multiple: int, measure: str, text: Text) -> None:
    """Draw the order of a paper's table beside ours."""
    names = facts_of(gallery_beside.systems, table=table)
    try:
        orders = picture(gallery_beside.orders, table=table, multiple=multiple, measure=measure)
    except ValueError:  # the gallery lacks a system
        st.markdown(text("papers-none", names))
        return
    facts = {**names, **orders.facts}
    st.markdown(text(orders.facts["papers"], facts))
    orders.chart(f"gal_orders_{table}", text("orders-alternative", facts))
    st.markdown(text(orders.facts["verdict"], facts))
    st.markdown(text("papers-table", facts))
    st.markdown(text(f"{table}-note", facts))


def lead_to_lab(encodings: Sequence[str]) -> None:
    """Draw a link to the lab with these encodings chosen."""
    way = [("encodings", key) for key in encodings]
    st.page_link("pages/lab.py", label=text("lab"), icon=":material/science:", query_params=way)


text = open_page("gallery", "Gallery")


@fragment
def ranking_and_looks() -> None:
    """Draw the encodings in the order of their losses on longer texts, and a closer look."""
    above, controls = first_screen()
    with controls:
        multiple, measure = row(gallery.LENGTH, gallery.MEASURE)
    families = picture(gallery.by_family, multiple=multiple, measure=measure)
    families.chart("gal_families", text("ranking-alternative", families.facts), height=420, place=above)
    st.markdown(text("look"))
    st.markdown(text("measured", families.facts))

    with closer_look("gal_look", LOOKS, text) as look:
        match look:
            case "Loss by length":
                titles = {key: ENCODINGS[key].title for key in gallery.gallery_of(gallery.KEPT_FILE).runs}
                first = tuple(key for key in gallery.FIRST_SEEN if key in titles)
                several = Choices("gal_encodings", "Encodings", titles, first, needed=False, maximum=MAX_ENCODINGS)
                encodings = some_of(several, "lengths", text)
                if not encodings:
                    st.markdown(text("lengths-none"))
                else:
                    losses = facts_of(gallery.losses, encodings=encodings, multiple=multiple)
                    st.markdown(text("lengths", losses))
                    by_length = picture(gallery.by_length, encodings=encodings)
                    alternative = text("lengths-alternative", losses, by_length.facts)
                    by_length.chart("gal_lengths", alternative, height=400)
                    lead_to_lab(encodings)
                show_source(gallery.by_length, statistics.mean_losses)
            case "Paper and ours":
                table = control(gallery_beside.TABLE)
                compare_with_paper(table, multiple, measure, text)
                asked = facts_of(gallery_beside.seed_by_seed, table=table, measure=measure)
                if asked["asked"]:
                    st.markdown(text(asked["asked"], asked))
                lead_to_lab([key for key in papers.TABLES[table].rows if key in gallery.trained()])
                show_source(papers.compare, uncertainty.kendall_tau, papers.Table)
            case "Another text":
                texts = picture(gallery_beside.two_texts, multiple=multiple, measure=measure)
                st.markdown(text("texts", texts.facts))
                texts.chart("gal_texts", text("texts-alternative", texts.facts), height=460)
                st.markdown(text("texts-found", texts.facts))
                show_source(gallery_beside.two_texts, uncertainty.kendall_tau)
            case "Larger models":
                sizes = picture(gallery_beside.sizes, multiple=multiple, measure=measure)
                st.markdown(text("larger", sizes.facts))
                sizes.chart("gal_larger", text("larger-alternative", sizes.facts), height=460)
                st.markdown(text("larger-found", sizes.facts))
                st.markdown(text("larger-table", facts_of(gallery_beside.early, multiple=multiple, measure=measure)))
                read_so = facts_of(gallery_beside.large_repairs, multiple=multiple, measure=measure)
                st.markdown(text(read_so["section"], read_so))
                show_source(gallery_beside.sizes, uncertainty.spearman, uncertainty.rank_interval)
            case "Repairs":
                encoding = gallery_beside.REPAIRED_ENCODING
                repairs = picture(gallery.repairs, encoding=encoding, multiple=multiple, measure=measure)
                st.markdown(text("repairs", repairs.facts))
                repairs.chart("gal_repairs", text("repairs-alternative", repairs.facts))
                compare_with_paper(gallery_beside.REPAIRED, multiple, measure, text)
                show_source(gallery.repairs, results.repaired)
            case "All numbers":
                both = facts_of(gallery.both_measures, multiple=multiple, measure=measure)
                st.markdown(text("about"))
                st.markdown(text(both["by"], both))
                ranking = picture(gallery.ranking, multiple=multiple, measure=measure)
                st.markdown(text("ranking"))
                ranking.chart("gal_ranking", text("ranking-alternative", ranking.facts))
                st.markdown(text("table"))
                show_rows(gallery.numbers(multiple, measure), in_view("Encoding", "Verdict"), key="gal_numbers")
                st.markdown(text("origin", facts_of(gallery.origin)))
                show_source(results.standings, results.next_apart)
            case "Exercise":
                exercise(text, "gal_guess", 0, 3, gallery.pairs_apart)
                show_source(comparison.paired, uncertainty.holm)


ranking_and_looks()
mathematics(text, making.setups, evaluation.end_loss, uncertainty.p_value, uncertainty.holm, uncertainty.interval)
close_page(text)
