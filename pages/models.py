"""Inspect a model: what its configuration does with positions, how far its pairs turn, and what a change would do."""

from pe_core.chapters import models, models_what_if
from pe_core.measures.rotation import first_negative
from pe_core.models import inspected
from pe_core.models.what_if import what_if
from ui.chapter import Live, draw_chapter
from ui.groups import FirstScreen, Unless
from ui.models import choose, show_change, warn
from ui.parts import Code, Controls, Exercise, Heading, Lines, Mathematics, Measured, Own, Picture, Text, Title

draw_chapter(
    "models",
    Title("Inspect a model"),
    Text("intro"),
    Live(
        Measured(models.told),
        FirstScreen(
            Own(choose),
            picture=Unless(
                models.missing,
                Picture(models.wavelengths, "model_waves", told="wavelengths-alternative", height=440),
                Text("read", "[[scaled]]", "[[sharper]]"),
                Text("[[by-axis]]"),
                Text("preferred"),
            ),
        ),
        Unless(models.missing, Lines(models.layers), how=None),  # wider than the picture
        Text("summary"),
        Text("[[origin]]"),
        Text("[[growing]]"),
        Own(warn, asks=False),
        Text("about"),
        Heading("What if"),
        Unless(
            models_what_if.no_change,
            Text("what-if"),
            Controls(models_what_if.WHAT_IF),
            Controls(models_what_if.asked_more, together="more"),
            Measured(models_what_if.problem),
            Unless(
                models_what_if.refused,
                Picture(models_what_if.changed_wavelengths, "model_changed", told="changed-alternative", height=400),
                Text("changed", "[[stands-still]]", "[[stands-in]]"),
                Text("lines"),
                Own(show_change, asks=False),
            ),
            how="caption",
        ),
        Heading("Where each value comes from"),
        Text("fields"),
        Lines(models.fields),
        Text("unknown"),
    ),
    Code(inspected, models.wavelengths, what_if, first_negative),
    Mathematics(),
    Heading("Exercise"),
    Exercise("model_guess", 0, 4, models.never_turning),
)
