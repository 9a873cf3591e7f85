"""Inspect a model: what its configuration does with positions, how far its pairs turn, and what a change would do."""

from pe_core.chapters import models
from pe_core.measures.rotation import first_negative
from pe_core.models import inspected
from ui.chapter import Live, draw_chapter
from ui.groups import Unless
from ui.models import choose, warn
from ui.parts import Code, Exercise, Heading, Mathematics, Measured, Own, Picture, Table, Text, Title

draw_chapter(
    "inspect",
    Title("Inspect a model"),
    Text("intro"),
    Live(
        Own(choose),
        Measured(models.told),
        Text("summary"),
        Text("[[origin]]", "[[unchecked]]", how="caption"),
        Own(warn, asks=False),
        Unless(
            models.missing,
            Picture(models.wavelengths, "model_waves", told="wavelengths-alternative", height=440),
            Text("read", "[[scaled]]", "[[sharper]]"),
            Table(models.layers),
            Text("preferred"),
        ),
        Heading("Who says so"),
        Text("fields"),
        Table(models.fields),
        Text("unknown"),
    ),
    Code(inspected, models.wavelengths, first_negative),
    Mathematics(),
    Heading("Exercise"),
    Exercise("model_guess", 0, 4, models.never_turning),
)
