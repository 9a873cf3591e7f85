"""Files of other programs in the names of transformers: MLC LLM, OpenCLIP, timm, the metadata of llama.cpp's GGUF.

What they say is the same, so a reading of them is no guess but for what the names of a model tell.
"""

from pe_core.models.programs import authors, hearing, seeing, served
from pe_core.models.programs.naming import Told
from pe_core.models.reading import Json
from pe_core.models.robots import of_lerobot
from pe_core.models.timm import of_timm

PROGRAMS = (
    served.of_mlc, seeing.of_open_clip, seeing.of_view_of_open_clip, of_timm, served.of_gguf, seeing.of_phi4,
    served.of_onnx, hearing.of_moshi, authors.of_timesfm, hearing.of_coqui, hearing.of_espnet, hearing.of_whisper,
    served.of_keras, hearing.of_vits, seeing.of_clip, hearing.of_nemo, authors.of_open_nmt, authors.of_open_lm,
    seeing.of_flux, authors.of_time_mixer, seeing.of_radio, seeing.of_jina_clip, seeing.of_cogvlm, authors.of_mamba,
    authors.of_moirai, authors.of_moment, seeing.of_wan, authors.of_lag_llama, authors.of_scgpt, hearing.of_beats,
    authors.of_chronos_2, authors.of_toto, seeing.of_nano_vlm, authors.of_gpt_oss, authors.of_deepseek, of_lerobot,
    seeing.of_molmo, hearing.of_dia,
)  # fmt: skip


def in_names_of_transformers(given: Json) -> tuple[Json, Told]:
    """Return the fields by the names of transformers, and what is told of it; the same where no program is known."""
    for reader in PROGRAMS:
        if (found := reader(given)) is not None:
            return found
    return given, ()
