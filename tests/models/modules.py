"""Configurations of transformers and the rotary modules that it makes of them: tried, and looked at."""

import importlib
import inspect
import re
import warnings

SECTIONS = {  # of six pairs, the counts of which tell the orders apart, and the axis that each pair then follows
    "chunked": ((1, 2, 3), (0, 1, 1, 2, 2, 2)),
    "interleaved": ((2, 2, 2), (0, 1, 2, 0, 1, 2)),
    "time_last": ((2, 2, 2), (1, 2, 1, 2, 0, 0)),
}


def quietly():
    """Return transformers' map of configuration classes, with its warnings off."""
    warnings.filterwarnings("ignore")
    transformers = importlib.import_module("transformers")
    transformers.logging.set_verbosity_error()
    return importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING


def made(maker, **fields):
    """Return a configuration, or None where the class refuses these fields."""
    try:
        return maker(**fields)
    except Exception:  # whatever a class raises: it is a refusal
        return None


def read(config, name, default=None):
    """Return an attribute that may raise, as those of configurations whose layers differ do."""
    try:
        return getattr(config, name, default)
    except Exception:
        return default


def rotary_of(config):
    """Return the rotary module of a configuration, or None."""
    try:
        module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    except ImportError:
        return None
    others = "Vision|Audio|DiT|SaProt|MoeRotary$" if "omni" in module.__name__ else "Vision|Audio"
    others += "|Thinker|Talker" if "CodePredictor" in type(config).__name__ else ""
    for name, owner in vars(module).items():
        fits = inspect.isclass(owner) and name.endswith("RotaryEmbedding") and owner.__module__ == module.__name__
        if fits and not re.search(others, name):
            rotary = made(owner, config=config)
            if rotary is not None and frequencies(rotary):
                return rotary
    return None


def frequencies(rotary):
    """Return the frequencies of each kind of layer as transformers has them."""
    return {
        name.removesuffix("inv_freq").removesuffix("_"): buffer
        for name, buffer in rotary.named_buffers()
        if name.endswith("inv_freq") and "original" not in name
    }


def groups(config):
    """Return the settings of each kind of layer: one named "" where the class has only one."""
    rope = read(config, "rope_parameters") or {}
    nested = {key: value for key, value in rope.items() if isinstance(value, dict) or value is None}
    return nested or {"": rope}


def head_dims(config, rotary):
    """Return the width of a head by kind of layer, of configurations whose layers differ: from what is turned."""
    if not read(config, "is_heterogeneous", False):
        return {}
    widths = {}
    for kind, turned in frequencies(rotary).items():
        rope = groups(config)[kind]
        part = 1 if rope["rope_type"] == "proportional" else rope.get("partial_rotary_factor", 1)
        widths[kind] = round(2 * len(turned) / part)
    return widths


def attention_factors(rotary):
    """Return the attention factor of each kind of layer."""
    return {
        name: read(rotary, f"{name}_attention_scaling" if name else "attention_scaling") for name in frequencies(rotary)
    }


def axes(config):
    """Return the axis of each pair, the fastest first: 0 time, 1 height, 2 width; None where it fails or none counts.

    A rotary module is given ids that are 1 on one axis and 0 on the others: its sines are those of the pairs that
    follow this axis.
    """
    rotary, torch, sines = rotary_of(config), importlib.import_module("torch"), []
    try:
        for axis in range(3):
            ids = torch.zeros(3, 1, 1, dtype=torch.long)
            ids[axis] = 1
            sines.append(rotary(torch.zeros(1, 1, 1), ids)[1].flatten())
    except Exception:  # one that takes other ids, or cannot split its pairs so
        return None
    by_axis = torch.stack(sines)
    followed = by_axis.abs() > 0
    if not bool((followed.sum(dim=0) == 1).all()):
        return None
    order = by_axis.sum(dim=0).argsort(descending=True, stable=True)
    found = followed.int().argmax(dim=0)[order].tolist()
    return found[::2] if found[::2] == found[1::2] else None  # both channels of a pair follow one axis


def multimodal(maker, config):
    """Return how a class splits its pairs over time, height and width: the order, and the sizes where a file has none.

    None where it does not, or in an order that is none of those that are known here.
    """
    sizes = read(rotary_of(config), "mrope_section")
    if not isinstance(sizes, list):
        return None
    for order, (asked, expected) in SECTIONS.items():
        rope = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 1.0, "mrope_section": list(asked)}
        small = made(maker, head_dim=12, hidden_size=12, num_attention_heads=1, rope_parameters=rope)
        if small is not None and axes(small) == list(expected):
            return {"order": order, "sizes": sizes}
    return None
