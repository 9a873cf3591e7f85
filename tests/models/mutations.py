"""Configurations that are broken in every way we could think of, drawn from good ones."""

import copy
import json
import random

from pe_core.models import KNOWN
from pe_core.models.classes import CLASSES
from pe_core.models.guessing.alike import ALIKE
from pe_core.models.kinds.others import OTHERS

OF_FILES = ("llama_3_1_8b", "deepseek_v3", "llama_4_scout", "gpt_2", "gpt_j_6b", "t5")
GOOD = (
    *(dict(KNOWN[key].config) for key in OF_FILES),
    {"model_type": "gemma3", "text_config": dict(KNOWN["gemma_3_4b"].config)},
    {
        "model_type": "phi3",
        "max_position_embeddings": 131_072,
        "original_max_position_embeddings": 4096,
        "sliding_window": 262_144,
        "rope_scaling": {"type": "longrope", "short_factor": [1.0] * 48, "long_factor": [2.0] * 48},
    },
)
EVERY_CLASS = tuple(
    {"model_type": kind, **one.fields, "rope_parameters": one.rope.get("", one.rope)} for kind, one in CLASSES.items()
)
OF_OTHERS = (
    *({"model_type": kind, **one.defaults} for kind, one in OTHERS.items()),
    *({"model_type": kind, "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 1e4} for kind in ALIKE),
    {
        "model_type": "clip",
        "text_config": {"max_position_embeddings": 77},
        "vision_config": {"model_type": "clip_vision_model", "image_size": 224, "patch_size": 14},
    },
    {"model_type": "chatglm", "kv_channels": 128, "seq_length": 8192, "rope_ratio": 500, "num_layers": 28},
    {"model_type": "phi-msft", "n_embd": 2048, "n_head": 32, "n_layer": 24, "rotary_dim": 32},
    {"model_type": "minimax_text_01", "num_hidden_layers": 2, "head_dim": 128, "attn_type_list": [0, 1]},
    {"architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_attention_heads": 4},
)
SOURCES = (*GOOD, *(dict(model.config) for model in KNOWN.values()), *EVERY_CLASS)
DEEP: object = 1
for _ in range(40):
    DEEP = [DEEP]
WRONG = (
    None, "4096", "", True, False, -1, 0, 10**17, 1e308, -2.5, 1e-320, [], {}, [None], {"a": 1}, "<b>x</b>", "x" * 5000,
    DEEP,
)  # fmt: skip
TEXTS = (
    "{",
    '"llama"',
    "null",
    '{"model_type": "llama",}',
    '{"model_type": "llama", "rope_theta": -Infinity}',
    '{"model_type": "llama", "rope_theta": 1' + "0" * 5000 + "}",
    '{"model_type": "llama", "model_type": "gpt2"}',
    '{"model_type": "llama", "x": ' + "[" * 100_000 + "]" * 100_000 + "}",
    '{"x": ' * 5000 + "1" + "}" * 5000,
    '{"model_type": "gp2"}',
    '{"model_type": ["llama"]}',
    '{"rope_theta": 10000.0}',
    '{"text_config": {"text_config": {"text_config": {}}}}',
    '{"model_type": "gemma3", "text_config": "gemma3_text"}',
    '{"model_type": "__proto__", "__class__": "x"}',
)


def places(value, path=()):
    """Yield the path of every field, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from places(inner, (*path, key))


def mutated(seed, sources=SOURCES):
    """Return one good configuration in which one to three fields are missing, moved, or have a wrong value."""
    draw = random.Random(seed)
    config = copy.deepcopy(draw.choice(sources))
    for _ in range(draw.randint(1, 3)):
        path = draw.choice(list(places(config)))
        inner = config
        for key in path[:-1]:
            inner = inner[key]
        kind = draw.choice(("missing", "wrong", "wrong", "wrong", "nested", "renamed"))
        if kind == "missing":
            del inner[path[-1]]
        elif kind == "wrong":
            inner[path[-1]] = copy.deepcopy(draw.choice(WRONG))
        elif kind == "nested":
            inner[path[-1]] = {path[-1]: inner[path[-1]]}
        else:
            inner[path[-1].upper()] = inner.pop(path[-1])
        if not config:
            break
    return json.dumps(config)
