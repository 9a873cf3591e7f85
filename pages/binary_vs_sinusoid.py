"""Binary against sinusoid: the bits of the positions beside the waves that do the same without jumps."""

from pe_core.chapters import binary_vs_sinusoid as chapter
from pe_core.encodings import binary, sinusoidal
from pe_core.figures import lanes, scrubbed_table
from pe_core.measures import jumps
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import Apart, FirstScreen
from ui.parts import Controls, Exercise, Mathematics, Measured, Picture, Table, Text, Title

draw_chapter(
    "binary_vs_sinusoid",
    Title("Binary against sinusoid"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(chapter.CODES),
            picture=Picture(chapter.twin_table, "bs_table", told="table-alternative", height=580),
        ),
        Text("look"),
        Text("about"),
        Text("[[folded]]"),
    ),
    Looks(
        "bs_look",
        {
            "Wave by wave": Look(
                Text("lanes"),
                Picture(chapter.lanes, "bs_lanes", told="lanes-alternative", height=620),
                code=(lanes.lanes, jumps.nearest_pair, jumps.bit_periods),
            ),
            "Rates": Look(
                Text("rates"),
                Picture(chapter.speeds, "bs_speeds", told="rates-alternative", height=360),
                Table(chapter.speed_table, stay=("bit k",)),
                code=(chapter.speeds, jumps.flip_rates, sinusoidal.wavelengths),
            ),
            "Jumps": Look(
                Text("jumps"),
                Picture(chapter.steps, "bs_steps", told="jumps-alternative", height=360),
                code=(chapter.steps, jumps.hamming_steps, jumps.euclidean_steps),
            ),
            "Overflow": Look(
                Apart(
                    Text("overflow"),
                    Controls(chapter.TOO_FEW_BITS),
                    Text("[[written]]"),
                    Picture(chapter.earlier, "bs_earlier", told="overflow-alternative", height=360),
                    Text("overflow-wave"),
                ),
                code=(chapter.earlier, jumps.overflow),
            ),
            "Bytes": Look(
                Measured(chapter.memory),
                Text("bytes"),
                code=(chapter.memory, binary.bits_for),
            ),
            "Exercise": Look(
                Exercise("bs_guess", 0, chapter.MAX_FLIPS, chapter.flips_of_a_round, question=chapter.a_round),
                code=(jumps.flip_rates,),
            ),
        },
    ),
    Mathematics(binary.table, sinusoidal.table, scrubbed_table.twin_table),
)
