"""Inspect a model: what its configuration does with positions, how far its pairs turn, and what a change would do."""

from pe_core.chapters import models
from pe_core.measures.rotation import first_negative
from pe_core.models import inspected
from pe_core.models.what_if import what_if
from ui.chapter import Live, draw_chapter
from ui.groups import Unless
from ui.models import choose, show_lines, warn
from ui.parts import Code, Controls, Exercise, Heading, Mathematics, Measured, Own, Picture, Table, Text, Title

draw_chapter(
    "models",
    Title("Inspect a model"),
    Text("intro"),
    Live(
        Own(choose),
        Measured(models.told),
        Text("summary"),
        Text("[[origin]]", "[[unchecked]]"),
        Own(warn, asks=False),
        Unless(
            models.missing,
            Picture(models.wavelengths, "model_waves", told="wavelengths-alternative", height=440),
            Text("read", "[[scaled]]", "[[sharper]]"),
            Table(models.layers),
            Text("preferred"),
        ),
        Heading("What if"),
        Unless(
            models.no_change,
            Text("what-if"),
            Controls(models.WHAT_IF),
            Measured(models.problem),
            Unless(
                models.refused,
                Picture(models.changed_wavelengths, "model_changed", told="changed-alternative", height=400),
                Text("changed", "[[stands-in]]"),
                Text("lines"),
                Own(show_lines, asks=False),
            ),
            how="caption",
        ),
        Heading("Where each value comes from"),
        Text("fields"),
        Table(models.fields),
        Text("unknown"),
    ),
    Code(inspected, models.wavelengths, what_if, first_negative),
    Mathematics(),
    Heading("Exercise"),
    Exercise("model_guess", 0, 4, models.never_turning),
)
