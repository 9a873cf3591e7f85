"""What layers of transformers' types do when they are run: `python -m tests.models.make_layers` writes it anew."""

import importlib
import inspect
from pathlib import Path

from tests.models.make_classes import text
from tests.models.modules import made, quietly, read
from tests.models.tried import tried

TURNING = ("rotate_half", "apply_rotary_pos_emb_interleave")
TARGET = Path(__file__).parents[2] / "pe_core" / "models" / "layers.json"


def kinds(maker):
    """Return the kinds of the layers of a class by default."""
    config = made(maker)
    return (read(config, "layer_types") if config is not None else None) or []


def in_source(maker):
    """Return which channels the functions `rotate_half` beside a class pair, None where they differ or there are none.

    What turns neighbours in one step begins with reordering them. Of functions for texts and for images those for texts
    count, and that alone which the classes call that name the configuration.
    """
    module = importlib.import_module(maker.__module__.replace("configuration_", "modeling_"))
    classes = inspect.getsource(module).split("\nclass ")[1:]
    own = "".join(code for code in classes if maker.__name__ in code)
    names = [name for name, one in vars(module).items() if inspect.isfunction(one) and name.startswith(TURNING)]
    names = [name for name in names if name.endswith("_text")] or names
    if TURNING[1] in names and f"{TURNING[1]}(" in own and "apply_rotary_pos_emb(" not in own:
        names = [TURNING[1]]
    found = set()
    for name in names:
        code = inspect.getsource(getattr(module, name))
        halves = "shape[-1] // 2" in code and "interleave" not in name
        found.add("halves" if halves else "neighbours" if "::2]" in code or "interleave" in name else None)
    return next(iter(found)) if len(found) == 1 else None


def table(classes):
    """Return what is kept: what was told of each type, and why others were not tried."""
    mapping = quietly()
    found = {}
    for kind in sorted(classes):
        found[kind] = tried(mapping[kind])
        if isinstance(found[kind], dict) and found[kind]["pairs"] is None:
            found[kind]["pairs"] = in_source(mapping[kind])
        print(kind, found[kind], flush=True)
    layouts = {kind: in_source(mapping[kind]) for kind, why in found.items() if isinstance(why, str)}
    without_period = [kind for kind, one in classes.items() if one.has_layer_types and not one.layers]
    return {
        "transformers": importlib.import_module("transformers").__version__,
        "tried": {kind: told for kind, told in found.items() if isinstance(told, dict)},
        "not_tried": {kind: why for kind, why in found.items() if isinstance(why, str)},
        "read": {kind: pairs for kind, pairs in layouts.items() if pairs is not None},
        "prefixes": {mapping[kind].__name__.removesuffix("Config"): kind for kind in sorted(classes)},
        "kinds": {kind: kinds(mapping[kind]) for kind in without_period},
    }


if __name__ == "__main__":
    from pe_core.models.classes import CLASSES

    TARGET.write_text(text(table(CLASSES)), encoding="utf-8")
