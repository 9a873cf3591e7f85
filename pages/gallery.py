"""Gallery: every encoding trained with several seeds, and who keeps its loss on longer texts."""

from pe_core.chapters import gallery
from pe_core.lab.results import gallery as results
from pe_core.lab.results import papers, statistics
from pe_core.lab.sweeps import gallery as making
from pe_core.measures import agreement
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.gallery import choose_encodings, draw_numbers, lead_to_lab, lead_to_lab_with
from ui.groups import Unless
from ui.parts import Controls, Exercise, Given, Mathematics, Measured, Own, Picture, Text, Title

COMPARISON = (
    Measured(gallery.systems),
    Unless(
        gallery.missing,
        Text("[[papers]]"),
        Picture(gallery.orders, "gal_orders_[[table]]", told="orders-alternative", height=gallery.orders_height),
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
        Controls(gallery.LENGTH),
        Text("measured"),
        Picture(gallery.ranking, "gal_ranking", told="ranking-alternative", height=gallery.ranking_height),
    ),
    Text("look"),
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
                Controls(gallery.TABLE),
                *COMPARISON,
                Measured(gallery.seed_by_seed),
                Text("[[asked]]"),
                Own(lead_to_lab_with, asks=False),
                code=(papers.compare, agreement.kendall_tau, papers.Table),
            ),
            "Repairs": Look(
                Given(gallery.OF_REPAIRS),
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
                code=(results.apart, agreement.distinguishable),
            ),
        },
    ),
    Mathematics(making.sweep, results.standings, agreement.p_value),
)
