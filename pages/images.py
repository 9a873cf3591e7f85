"""Images and video: what an encoding knows of rows and columns, and how M-RoPE numbers text, images and videos."""

from pe_core.chapters import images
from pe_core.encodings import mrope, rope_2d, sincos_2d
from pe_core.measures import patches, sequence
from ui.chapter import Live, Look, Looks, draw_chapter
from ui.groups import FirstScreen
from ui.parts import Controls, Exercise, Heading, Mathematics, Picture, Text, Title

draw_chapter(
    "images",
    Title("Images and video"),
    Text("intro"),
    Live(
        FirstScreen(
            Controls(images.ENCODINGS),
            Controls(images.SIZE),
            Controls(images.place),
            picture=Picture(
                images.distance_maps,
                "img_maps",
                told="maps-alternative",
                selection=images.CLICKED,
                take=images.clicked,
            ),
        ),
        Text("look"),
        Text("neighbours"),
    ),
    Text("about"),
    Looks(
        "img_look",
        {
            "Channels": Look(
                Controls(images.ADDED),
                Text("channels"),
                Picture(images.channel_maps, "img_channels", told="channels-alternative", height=420),
                code=(sincos_2d.mae_table, sincos_2d.detr_table, images.channel_maps),
            ),
            "Pairs by axis": Look(
                Controls(images.HEAD),
                Text("pairs"),
                Picture(images.pair_axes, "img_pairs", told="pairs-alternative"),
                code=(mrope.sections, images.allocations),
            ),
            "Ids of a sequence": Look(
                Controls(images.PARTS),
                Picture(images.sequence_ids, "img_ids", told="ids-alternative"),
                Text("ids"),
                Text("ids-table"),
                code=(mrope.position_ids, sequence.parse, images.sequence_ids),
            ),
            "Scores in a sequence": Look(
                Controls(images.PARTS),
                Controls(images.token_of),
                Picture(images.score_maps, "img_scores", told="scores-alternative", height=images.height_of_scores),
                Text("scores"),
                Text("falls"),
                code=(mrope.rotate, sequence.scores, images.score_maps),
            ),
            "Larger images": Look(
                Controls(images.SIDES),
                Picture(images.resized, "img_resized", told="resizing-alternative", height=240),
                Text("resizing"),
                code=(images.coordinates,),
            ),
        },
    ),
    Mathematics(patches.similarity, rope_2d.axial_frequencies, rope_2d.mixed_frequencies, images.distance_maps),
    Heading("Exercise"),
    Exercise("img_guess", 0, 999, images.id_after_image),
)
