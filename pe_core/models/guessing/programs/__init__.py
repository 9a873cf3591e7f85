"""Files of other programs in the names of transformers: MLC LLM, OpenCLIP, timm, the metadata of llama.cpp's GGUF.

What they say is the same, so a reading of them is no guess but for what the names of a model tell.
"""

from pe_core.models.guessing.programs import authors, classes, hearing, seeing, served
from pe_core.models.kinds.timm import of_timm
from pe_core.models.names import Told
from pe_core.models.reading import Json

PROGRAMS = (
    classes.of_classes, served.of_mlc, seeing.of_open_clip, of_timm, served.of_gguf, served.of_served,
    authors.of_timesfm, hearing.of_sound, hearing.of_nemo, hearing.of_dia, seeing.of_images, seeing.of_nano_vlm,
    authors.of_authors,
)  # fmt: skip


def in_names_of_transformers(given: Json) -> tuple[Json, Told]:
    """Return the fields by the names of transformers, and what is told of it; the same where no program is known."""
    for reader in PROGRAMS:
        if (found := reader(given)) is not None:
            return found
    return given, ()
