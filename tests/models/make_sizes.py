"""How wide the vectors of positions are, by type and field: `python -m tests.models.make_sizes` writes it anew.

A class is built without memory, and the width of its tables is compared with the fields of its configuration. A class
whose sinusoids are computed when it reads has no table: the field of its width is that of all classes of its kind.
"""

import importlib
import re
from pathlib import Path

from pe_core.models.kinds.built import BUILT
from pe_core.models.kinds.others import BY_HAND
from pe_core.models.kinds.wholes import WHOLES
from tests.models.make_classes import text
from tests.models.make_parts import NOT_A_TABLE, built
from tests.models.modules import made, quietly

TARGET = Path(__file__).parents[2] / "pe_core" / "models" / "sizes.json"
TABLE = re.compile(r"pos|wpe|temporal_emb|timestep")
WIDTHS = ("input_embedding_size", "embedding_size", "hidden_size", "d_model", "embed_dim", "emb_dim", "dim", "n_embd")
WIDTHS += ("hidden_dim",)
HEADS = ("num_attention_heads", "num_heads", "n_head", "n_heads", "encoder_attention_heads")


def named(config, names):
    """Yield what a configuration has under one of these names: all names of it, and the number or the numbers."""
    said, other = config.to_dict(), type(config).attribute_map
    for name in names:
        real = other.get(name, name)
        value = list(said[real]) if isinstance(said.get(real), tuple) else said.get(real)
        if isinstance(value, int | list) and not isinstance(value, bool) and value:
            yield [real, *sorted(one for one, to in other.items() if to == real)], value


def is_table(module, name):
    """Return whether a tensor is called after positions, and belongs to no layer that computes."""
    owner = type(module.get_submodule(name.rpartition(".")[0])).__name__
    return TABLE.search(name) is not None and not any(one in owner for one in NOT_A_TABLE)


def facts(maker):
    """Return the names of the fields of the width and of the heads, each with the default of the class."""
    config = made(maker)
    module = built(config) if config is not None else None
    tables = [] if module is None else [*module.named_parameters(), *module.named_buffers()]
    found = [one.shape for name, one in tables if one.dim() > 1 and is_table(module, name)]
    columns = {size for shape in found for size in (shape[-1], *(shape[1:2] if len(shape) == 4 else ()))}
    widths = [one for one in named(config, WIDTHS) if isinstance(one[1], int)] if config is not None else []
    width = next((one for one in widths if one[1] in columns), None if columns else next(iter(widths), None))
    heads = next(named(config, HEADS), None) if config is not None else None
    return {name: one for name, one in (("width", width), ("heads", heads)) if one is not None}


def table():
    """Return all facts, as they are kept."""
    mapping = quietly()
    makers = {kind: mapping[kind] for kind in mapping}
    for maker in list(makers.values()):
        for inner in (maker.sub_configs or {}).values():
            if getattr(inner, "model_type", None):
                makers.setdefault(inner.model_type, inner)
    told = {kind: facts(makers[kind]) for kind in sorted({*BY_HAND, *BUILT, *WHOLES} & makers.keys())}
    return {
        "transformers": importlib.import_module("transformers").__version__,
        "sizes": {kind: one for kind, one in told.items() if one},
    }


if __name__ == "__main__":
    TARGET.write_text(text(table()), encoding="utf-8")
