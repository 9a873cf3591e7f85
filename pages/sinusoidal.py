"""The sinusoidal encoding: the table, what its columns and rows are, and what holds between positions."""

from typing import get_args

from pe_core.chapters import sinusoidal as chapter
from pe_core.chapters import sinusoidal_base as bases
from pe_core.chapters import sinusoidal_example as example
from pe_core.chapters import sinusoidal_steps as steps
from pe_core.encodings import sinusoidal
from pe_core.figures import dials, heatmap, points, waves
from pe_core.measures import channels, similarity
from pe_core.measures import similarity as measured
from ui import sinusoidal as own
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import Columns, FirstScreen, Group, Unless
from ui.parts import Controls, Exercise, Heading, Mathematics, Measured, Own, Picture, Text, Title
from ui.steps import Steps

draw_chapter(
    "sinusoidal",
    Title("Sinusoidal encoding"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(chapter.TABLE, columns=(2, 2, 2, 4)),
            picture=Picture(
                chapter.table,
                "table",
                told="table-alternative[[empty]]",
                height=420,
                selection="part",
                take=chapter.look_where_dragged,
            ),
        ),
        Text("look"),
        Text("facts[[empty]]", "[[one-position]]", "[[odd]]", how="text"),
        Measured(bases.speeds),
        Text("[[speeds]]", how="caption"),
    ),
    Looks(
        "topic",
        {
            "Waves": Look(
                Own(own.pick_channels),
                Picture(chapter.waves, "waves", told="waves-alternative", height=360),
                Own(own.say_channels),
                code=(waves.waves, channels.channel, channels.Channel),
            ),
            "Detail": Look(
                Columns(Controls(chapter.middle_position), Controls(chapter.middle_channel)),
                Picture(chapter.detail, "table_detail", told="detail-alternative", height=360),
                code=(heatmap.heatmap, heatmap.part_around),
            ),
            "Wavelengths": Look(
                Unless(
                    chapter.without_pairs,
                    Text("wavelengths-measured"),
                    Picture(chapter.wavelengths, "wavelengths", told="wavelengths-alternative", height=340),
                    Text("wavelengths-wider"),
                ),
                code=(points.wavelengths, sinusoidal.wavelengths, channels.unfinished),
            ),
            "Clock hands": Look(
                Unless(
                    chapter.without_pairs,
                    Text("clocks-measured"),
                    Text("[[odd]]"),
                    Picture(chapter.clock_hands, "clocks", told="clocks-alternative", height=440),
                    Text("[[some]]", how="caption"),
                ),
                code=(dials.clocks, sinusoidal.frequencies, channels.evenly),
            ),
            "First positions": Look(
                Text("first-measured"),
                Picture(
                    chapter.first_positions,
                    "first",
                    told="first-alternative",
                    height=440,
                    fixed={"bases": chapter.FIRST_BASES},
                ),
                code=(dials.circles, sinusoidal.table, channels.spread),
            ),
            "Similarity": Look(
                Unless(
                    chapter.without_similarity,
                    Picture(
                        chapter.similarity,
                        "similarity",
                        told=("similarity-alternative", "[[rise]]"),
                        height=320,
                    ),
                    Text("[[rise]]"),
                    Text("[[direction]]"),
                    Measured(chapter.other_tables),
                    Columns(
                        Group(Text("similarity-bases"), Text("similarity-bases-table")),
                        Group(Text("similarity-widths"), Text("similarity-widths-table")),
                    ),
                ),
                code=(
                    waves.similarity,
                    measured.dot_products,
                    measured.rises,
                    measured.neighbour_cosine,
                    measured.direction_gap,
                ),
            ),
            "Shift matrix": Look(
                Unless(
                    chapter.without_shift,
                    Controls(chapter.OFFSET),
                    Picture(chapter.shift_matrix, "shift", told="shift-alternative", height=420),
                    Measured(chapter.shift_errors),
                    Text("shift-measured"),
                    Text("[[harmless]]"),
                    Text("[[part]]", how="caption"),
                    Text("[[other-layout]]", how="caption"),
                ),
                code=(sinusoidal.shift_matrix, similarity.shift_error, similarity.plain_angle_matrix),
            ),
            "Derivation": Look(
                Unless(
                    chapter.without_shift,
                    Columns(Controls(steps.PLACE), Controls(chapter.OFFSET)),
                    Steps(
                        "sinusoid",
                        steps.STEP,
                        steps.derivation,
                        {
                            4: Picture(steps.block, "steps_block", told="block-alternative", height=260),
                            5: Picture(chapter.shift_matrix, "steps_shift", told="shift-alternative", height=380),
                            7: Picture(steps.products, "steps_products", told="products-alternative", height=300),
                        },
                    ),
                ),
                code=(steps.derivation, sinusoidal.shift_matrix, measured.dot_products),
            ),
            "Why 10,000": Look(
                Unless(
                    chapter.without_rise,
                    Text("why-base"),
                    Picture(bases.by_base, "why_base", told="why-base-alternative", height=340),
                ),
                code=(bases.by_base, bases.alike),
            ),
            "Where it comes from": Look(
                Text("taylor"),
                code=(measured.dot_products,),
            ),
            "E + P": Look(
                Controls(steps.SENTENCE),
                Columns(
                    *(
                        Group(
                            Text(f"added-{side}"),
                            Picture(
                                steps.added,
                                f"added_{side}",
                                told=f"added-{side}-alternative",
                                height=280,
                                fixed={"side": side},
                            ),
                        )
                        for side in get_args(steps.Side)
                    )
                ),
                Measured(steps.sums),
                Text("sum-table"),
                Text("[[twice]]"),
                code=(steps.added, steps.embedding, sinusoidal.table),
            ),
            "Worked example": Look(
                Controls(example.EXAMPLE),
                Measured(example.worked_example),
                Text("example-steps"),
                Text("example-result"),
                Text("example-zero"),
                Text("example-row"),
                code=(example.steps, sinusoidal.frequencies, sinusoidal.angles),
            ),
            "Layouts": Look(
                Columns(
                    *(
                        Group(
                            Text(layout),
                            Picture(
                                chapter.one_layout,
                                f"layout_{layout}",
                                told="layouts-alternative",
                                height=300,
                                fixed={"layout": layout},
                            ),
                        )
                        for layout in sinusoidal.VARIANTS
                    )
                ),
                Text("layouts-table"),
                Text("[[norms]]"),
                code=(heatmap.picture, sinusoidal.table, channels.compare),
            ),
            "Exercise": Look(
                Unless(
                    chapter.without_rise,
                    Exercise("guess", 1, chapter.MAX_GUESS, chapter.first_rise),
                ),
                code=(measured.first_rise, measured.dot_products),
            ),
        },
    ),
    Mathematics(sinusoidal.frequencies, sinusoidal.table, heatmap.picture),
    Heading("Write it yourself"),
    Own(own.draw_writing),
)
