"""RoPE: a query and a key turned pair by pair, and what their score then knows of their positions."""

from pe_core.chapters import gallery, rope, rope_steps
from pe_core.encodings import rotary
from pe_core.measures import rotation
from pe_core.measures.channels import unfinished
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import Columns, FirstScreen, Group
from ui.parts import Controls, Exercise, Given, Mathematics, Measured, Picture, Text, Title
from ui.steps import Steps

draw_chapter(
    "rope",
    Title("RoPE"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(rope.PLACES),
            Controls(rope.HEAD),
            picture=Picture(rope.dials, "rope_dials", told="dials-alternative", height=460),
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
                code=(rope.by_distance, rotation.scores, rotation.decay_bound, rotation.partial_sums),
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
            "Derivation": Look(
                Steps(
                    "rope",
                    rope_steps.DERIVATION,
                    rope_steps.derivation,
                    {
                        1: Picture(rope_steps.goal, "rope_goal", told="goal-alternative", height=340),
                        7: Picture(
                            rope.rotation_matrix,
                            "rope_blocks",
                            told="layouts-alternative",
                            height=320,
                            fixed={"layout": "interleaved"},
                        ),
                    },
                ),
                code=(rope_steps.derivation, rotation.complex_form, rotation.matrix, rotation.pair_scores),
            ),
            "One dial, then eight": Look(
                Steps(
                    "dial",
                    rope_steps.DIALS,
                    rope_steps.one_pair,
                    {
                        1: Picture(
                            rope_steps.one_dial,
                            "rope_dial_start",
                            told="dial-alternative",
                            height=320,
                            fixed={"query": 0, "key": 0, "shift": 0},
                        ),
                        2: Picture(
                            rope_steps.one_dial,
                            "rope_dial_turned",
                            told="dial-alternative",
                            height=320,
                            fixed={"shift": 0},
                        ),
                        3: Picture(
                            rope_steps.one_dial,
                            "rope_dial_moved",
                            told="dial-alternative",
                            height=320,
                            fixed={"shift": rope.FAR},
                        ),
                        4: Picture(
                            rope.dials,
                            "rope_dial_all",
                            told="dials-alternative",
                            height=400,
                            fixed={"shift": rope.FAR},
                        ),
                    },
                ),
                code=(rope_steps.one_dial, rotation.score),
            ),
            "Four steps of attention": Look(
                Given(rope_steps.SENTENCE),
                Steps(
                    "attention",
                    rope_steps.ATTENTION,
                    rope_steps.attention,
                    {
                        4: Picture(
                            rope_steps.example_scores, "rope_example", told="example-scores-alternative", height=300
                        )
                    },
                ),
                code=(rope_steps.example, rope_steps.example_scores, rotary.rotate_both),
            ),
            "Line by line": Look(
                Given({"encodings": ("none", "sinusoidal", "rope", "alibi")}),
                Measured(rope_steps.line_by_line),
                Measured(gallery.whole_texts),
                Text("lines"),
                Text("lines-trained"),
                code=(rotation.real_form, gallery.whole_texts),
            ),
            "Exercise": Look(
                Exercise("rope_guess", 0, rope.MAX_GUESS, rope.lowest_score),
                code=(rotation.scores,),
            ),
        },
    ),
    Mathematics(rope.dials, rotary.frequencies, rotary.rotate, rotation.shifted),
)
