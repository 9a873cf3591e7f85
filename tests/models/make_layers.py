"""What layers of transformers' types do when they are run: `python -m tests.models.make_layers` writes it anew."""

import importlib
from pathlib import Path

from tests.models.make_classes import text
from tests.models.modules import made, quietly, read
from tests.models.tried import tried

TARGET = Path(__file__).parents[2] / "pe_core" / "models" / "layers.json"


def kinds(maker):
    """Return the kinds of the layers of a class by default."""
    config = made(maker)
    return (read(config, "layer_types") if config is not None else None) or []


def table(classes):
    """Return what is kept: what was told of each type, and why others were not tried."""
    mapping = quietly()
    found = {}
    for kind in sorted(classes):
        found[kind] = tried(mapping[kind])
        print(kind, found[kind], flush=True)
    without_period = [kind for kind, one in classes.items() if one.has_layer_types and not one.layers]
    return {
        "transformers": importlib.import_module("transformers").__version__,
        "tried": {kind: told for kind, told in found.items() if isinstance(told, dict)},
        "not_tried": {kind: why for kind, why in found.items() if isinstance(why, str)},
        "prefixes": {mapping[kind].__name__.removesuffix("Config"): kind for kind in sorted(classes)},
        "kinds": {kind: kinds(mapping[kind]) for kind in without_period},
    }


if __name__ == "__main__":
    from pe_core.models.classes import CLASSES

    TARGET.write_text(text(table(CLASSES)), encoding="utf-8")
