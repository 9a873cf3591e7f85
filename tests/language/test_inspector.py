"""What the inspector says of a configuration is said in Chinese: no English word is left but names."""

import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from pe_core.models import ConfigError, inspected
from pe_core.models.at_length import at_length
from pe_core.models.classes import CLASSES
from pe_core.models.kinds.diffusers import DIFFUSERS
from pe_core.models.kinds.others import OTHERS
from pe_core.models.kinds.own_code import OWN_CODE
from pe_core.models.kinds.retired import RETIRED
from pe_core.models.turning.layers import KINDS
from pe_core.models.turning.rotation import RULES
from pe_core.translation import CONTENT, speaking

# Values in quotes; fields and types, which have an underscore, a dot or a digit.
NO_WORD = re.compile(r'"[^"]*"|[\w.-]*[_.\d][\w.-]*')
WORD = re.compile(r"\b[a-z]{4,}\b")
NAMES = {
    *(CONTENT / "zh/latin.txt").read_text(encoding="utf-8").split(),
    *RULES,
    *(word for kind in (*CLASSES, *OTHERS, *OWN_CODE) for word in kind.split("-")),
    *(kind for model in CLASSES.values() for kind in model.rope),  # as a file names them
}
QUOTED = {*KINDS, "null", "true", "false", "relative", "rotary", "model", "depths", "minicpm", "cogvlm"}  # of files
LENGTHS = (16, 2048, 10_000_000)
HEADS = {"hidden_size": 64, "num_attention_heads": 4, "rope_theta": 1e4}


def left(english: str) -> list[str]:
    """Return the English words that stay in the Chinese of a sentence; all of it where it stays as it is."""
    said = speaking("zh")(english)
    words = WORD.findall(NO_WORD.sub(" ", said))
    return [english] if said == english else [word for word in words if word not in NAMES]


def sentences(config: dict[str, object]) -> Iterator[str]:
    """Yield what is said of a configuration, and of texts of some lengths."""
    found = inspected(config)
    yield from (found.summary, *found.warnings, *found.unknown)
    for length in LENGTHS:
        yield from at_length(found, length)


def test_every_sentence_on_the_defaults_of_a_class_is_said_in_chinese():
    told = {line for kind in (*CLASSES, *OTHERS, *RETIRED) for line in sentences({"model_type": kind})}
    assert len(told) > 500
    assert not {line: words for line in told if (words := left(line))}


def test_every_sentence_on_a_class_of_diffusers_is_said_in_chinese():
    settings = {"sample_size": 64, "use_rotary_positional_embeddings": True}
    for more in ({}, {"use_learned_positional_embeddings": True, "interpolation_scale": 1}):
        told = set()
        for name in DIFFUSERS:
            patches = {} if name.startswith("Cosmos") else {"patch_size": 2}  # of Cosmos three numbers
            told |= set(sentences({"_class_name": name, **settings, **more, **patches}))
        assert not {line: words for line in told if (words := left(line))}


# What no configuration of `tests/models` brings.
OTHER_CONFIGS = [
    {"model_type": "own", **HEADS, **{f"part{i}_config": {"model_type": "own"} for i in range(200)}},
    {"model_type": "gemma4_text", "use_bidirectional_attention": "vision"},
    {"model_type": "own", **HEADS, "vision_tower": "openai/clip-vit-base-patch16"},
    {"model_type": "nomic_bert", "n_embd": 64, "n_head": 4, "max_trained_positions": 8, "n_positions": 96},
    {"model_type": "olmo3", "rope_theta": 777.0, "rope_scaling": {"rope_type": "linear", "factor": 2.0}},
    {"d_model": 64, "n_layer": 2, "attn_layer_idx": [0, 1], "attn_cfg": {"num_heads": 4}},
    {"model_type": "gemma3_text", "num_hidden_layers": 1, "layer_types": ["x"]},
    {"model_type": "mellum", "rope_scaling": {"rope_type": "linear"}},
    {"model_type": "sam2_hiera_det_model", "window_size_per_stage": []},
    {"model_type": "wav2vec2-bert", "position_embeddings_type": "x"},
]


def configs():
    """Every configuration that a test of `tests/models` goes through, and those above."""
    for path in sorted((Path(__file__).parents[1] / "models").glob("test_*.py")):
        for test in vars(import_module(f"tests.models.{path.stem}")).values():
            given = (case.get("config") for case in getattr(test, "cases", ()))
            yield from (config for config in given if isinstance(config, dict))
    yield from OTHER_CONFIGS


def test_what_other_settings_bring_and_what_is_refused_is_said_in_chinese():
    """Words of the configuration itself stay as they are."""
    english = {}
    for config in configs():
        try:
            told = list(sentences(config))
        except ConfigError as error:
            told = [str(error)]
        named = {*QUOTED, *WORD.findall(re.sub(r"[\W\d_]", " ", json.dumps(config)))}
        english |= {line: words for line in told if (words := set(left(line)) - named)}
    assert english == {}
