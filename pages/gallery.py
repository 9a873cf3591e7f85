"""Gallery: every encoding trained with several seeds, and who keeps its loss on longer texts."""

from pe_core.chapters import gallery, gallery_papers, gallery_texts
from pe_core.lab.experiment import end_of_window
from pe_core.lab.results import gallery as results
from pe_core.lab.results import papers, statistics
from pe_core.lab.sweeps import gallery as making
from pe_core.measures import agreement, bootstrap
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.gallery import choose_encodings, draw_numbers, lead_to_lab, lead_to_lab_with
from ui.groups import FirstScreen, Unless
from ui.parts import Controls, Exercise, Given, Mathematics, Measured, Own, Picture, Text, Title

COMPARISON = (
    Measured(gallery_papers.systems),
    Unless(
        gallery_papers.missing,
        Text("[[papers]]"),
        Picture(
            gallery_papers.orders,
            "gal_orders_[[table]]",
            told="orders-alternative",
            height=gallery_papers.orders_height,
        ),
        Text("[[verdict]]"),
        Text("papers-table"),
        Text("[[table]]-note"),
        how="markdown",
    ),
)

draw_chapter(
    "gallery",
    Title("Gallery"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls({**gallery.LENGTH, **gallery.MEASURE}),
            picture=Picture(gallery.ranking, "gal_ranking", told="ranking-alternative", height=gallery.ranking_height),
            rows=True,
        ),
        Text("look"),
        Text("[[by]]"),
        Text("measured"),
    ),
    Text("about"),
    Measured(gallery.origin),
    Text("origin"),
    Looks(
        "gal_look",
        {
            "Loss by length": Look(
                Own(choose_encodings),
                Unless(
                    gallery.none_chosen,
                    Measured(gallery.losses),
                    Text("lengths"),
                    Picture(gallery.by_length, "gal_lengths", told="lengths-alternative", height=400),
                    Own(lead_to_lab, asks=False),
                    how="markdown",
                ),
                code=(gallery.by_length, statistics.mean_losses),
            ),
            "Paper and ours": Look(
                Controls(gallery_papers.TABLE),
                *COMPARISON,
                Measured(gallery_papers.seed_by_seed),
                Text("[[asked]]"),
                Own(lead_to_lab_with, asks=False),
                code=(papers.compare, agreement.kendall_tau, papers.Table),
            ),
            "Another text": Look(
                Text("texts"),
                Picture(gallery_texts.two_texts, "gal_texts", told="texts-alternative", height=460),
                Text("texts-found"),
                code=(gallery_texts.two_texts, agreement.kendall_tau),
            ),
            "Repairs": Look(
                Given(gallery_papers.OF_REPAIRS),
                Text("repairs"),
                Picture(gallery.repairs, "gal_repairs", told="repairs-alternative", height=gallery.repairs_height),
                *COMPARISON,
                code=(gallery.repairs, results.repaired),
            ),
            "All numbers": Look(
                Text("table"),
                Own(draw_numbers, asks=False),
                code=(results.standings, results.next_apart),
            ),
            "Exercise": Look(
                Exercise("gal_guess", 0, 3, gallery.pairs_apart),
                code=(results.pair, agreement.holm),
            ),
        },
    ),
    Mathematics(making.sweep, end_of_window.end_loss, agreement.p_value, agreement.holm, bootstrap.interval),
)
