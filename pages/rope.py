"""RoPE: a query and a key turned pair by pair, and what their score then knows of their positions."""

from pe_core.chapters import rope
from pe_core.encodings import rotary
from pe_core.measures import rotation
from pe_core.measures.channels import unfinished
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import Columns, FirstScreen, Group
from ui.parts import Controls, Exercise, Mathematics, Measured, Picture, Text, Title

draw_chapter(
    "rope",
    Title("RoPE"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(rope.PLACES),
            Controls(rope.HEAD),
            picture=Picture(rope.dials, "rope_dials", told="dials-alternative", height=400),
        ),
        Text("look"),
        Text("measured"),
        Text("[[some]]", how="caption"),
    ),
    Looks(
        "rope_look",
        {
            "Distance": Look(
                Text("distance"),
                Picture(rope.scores_by_distance, "rope_distance", told="distance-alternative", height=400),
                code=(rope.scores_by_distance, rotation.scores, rotation.decay_bound, rotation.partial_sums),
            ),
            "Turns": Look(
                Controls(rope.LENGTH),
                Text("turns"),
                Picture(rope.wavelengths, "rope_turns", told="turns-alternative", height=360),
                code=(rope.wavelengths, unfinished, rotation.angles_met),
            ),
            "Three forms": Look(
                Measured(rope.forms),
                Text("forms"),
                Text("forms-table"),
                code=(rotation.real_form, rotation.complex_form, rotation.matrix, rotation.without_minus),
            ),
            "Layouts": Look(
                Measured(rope.layouts),
                Text("layouts"),
                Columns(
                    *(
                        Group(
                            Text(layout),
                            Picture(
                                rope.rotation_matrix,
                                f"rope_{layout}",
                                told="layouts-alternative",
                                height=320,
                                fixed={"layout": layout},
                            ),
                        )
                        for layout in rotary.LAYOUTS
                    )
                ),
                Text("layouts-measured"),
                code=(rope.rotation_matrix, rotary.rotate, rotation.half_order),
            ),
            "Exercise": Look(
                Exercise("rope_guess", 0, rope.MAX_GUESS, rope.lowest_score),
                code=(rotation.scores,),
            ),
        },
    ),
    Mathematics(rope.dials, rotary.frequencies, rotary.rotate, rotation.shifted),
)
