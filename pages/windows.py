"""Windows and sinks: who may look at whom, what comes through layers all the same, and what a softmax does about it."""

from pe_core import masks
from pe_core.chapters import windows
from pe_core.measures import entropy, masked, sinks
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import Columns, FirstScreen, Group
from ui.parts import Controls, Exercise, Heading, Mathematics, Measured, Picture, Text, Title

draw_chapter(
    "windows",
    Title("Windows and sinks"),
    Text("intro"),
    Live(
        FirstScreen(
            Columns(Controls(windows.MASK), Controls(windows.SIZES), widths=(1, 3)),
            Controls(windows.own, columns=2, together="settings"),
            picture=Columns(
                Picture(windows.who_knows_whom, "win_mask_picture", told="mask-alternative", height=400),
                Picture(windows.numbers_known, "win_numbers", told="numbers-alternative", height=400),
            ),
            below=True,
        ),
        Text("look"),
        Text("[[verdict]]"),
    ),
    Text("about"),
    Looks(
        "win_look",
        {
            "Layers": Look(
                Controls(windows.SPAN),
                Measured(windows.conventions),
                Picture(windows.reach_by_layer, "win_reach", told="layers-alternative", height=400),
                Text("layers"),
                code=(masked.through_layers, masked.rule, masked.blocks),
            ),
            "Matrix M": Look(
                Controls(windows.WALL),
                Controls(windows.KERPLE),
                Columns(
                    Picture(windows.subtracted_matrix, "win_matrix", told="matrix-alternative"),
                    Picture(windows.weight_kept, "win_kept", told="kept-alternative"),
                ),
                Text("matrix"),
                Text("matrices"),
                Columns(
                    *(
                        Group(
                            Text(f"matrix-{member}", how="caption"),
                            Picture(
                                windows.member_matrix,
                                f"win_matrix_{member.lower()}",
                                told="matrices-alternative",
                                height=300,
                                fixed={"member": member},
                            ),
                        )
                        for member in windows.BESIDE
                    )
                ),
                code=(masked.family, masked.kept, masks.subtractive),
            ),
            "Entropy": Look(
                Controls(windows.SCORES),
                Picture(windows.spreading, "win_entropy", told="entropy-alternative", height=400),
                Text("entropy"),
                code=(entropy.by_number_of_keys, entropy.entropy, entropy.expected),
            ),
            "Sinks": Look(
                Controls(windows.SINK),
                Picture(windows.sink_gone, "win_sink_picture", told="sinks-alternative", height=360),
                Text("sinks"),
                code=(sinks.row,),
            ),
            "Cache": Look(
                Controls(windows.CACHE),
                Picture(windows.cache_ids, "win_cache", told="cache-alternative", height=260),
                Text("cache"),
                code=(sinks.cache,),
            ),
        },
    ),
    Mathematics(masks.sliding_window, masks.sinks, masks.dilated, masks.prefix),
    Heading("Exercise"),
    Exercise("win_guess", 0, windows.MAX_GUESS, windows.known_in_the_end),
)
