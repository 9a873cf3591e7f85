"""What classes without a reader of their own are built of: `python -m tests.models.make_parts` writes it anew.

A class is built without memory, by default and with one field changed at a time. Names of its modules tell tables of
positions, biases and rotary modules; what changes with a field tells how many rows a table has. Its code is not read.
"""

import importlib
import inspect
import re
from pathlib import Path

from pe_core.models.classes import CLASSES
from pe_core.models.kinds.others import BY_HAND
from tests.models.make_classes import text
from tests.models.modules import groups, made, quietly, read

TARGET = Path(__file__).parents[2] / "pe_core" / "models" / "parts.json"
TABLE = re.compile(r"(^|[._])(pos(ition)?(al)?s?_?(emb|enc)|embed_pos|temporal_emb)")
BIAS = re.compile(r"relative_attention_bias|relative_position_bias_table|rel_pos|rel_logits")
ROWS = re.compile(r"pos|length|size|frames|context|window|max_|distance|num_patches|seq|bucket|stride|tile")
COMPUTED = re.compile(r"(Sine|Sinus|Sinusoid|Sinusoids|Sinusoidal)\w*(Position|Embedding)")
ATTENDS = re.compile(r"ttention|AttnBlock")
WIDTHS = ("hidden_size", "embed_dim", "num_heads", "num_attention_heads", "head_dim")
NOT_A_TABLE = ("Linear", "Norm", "Conv", "Act")


def owners(config):
    """Return the classes of modules that a configuration may be built as."""
    transformers = importlib.import_module("transformers")
    try:
        return [transformers.AutoModel._model_mapping[type(config)]]
    except Exception:  # a part of another model, or of a library that is not here
        pass
    try:
        module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    except ImportError:
        return []
    torch, found = importlib.import_module("torch"), []
    for name, one in vars(module).items():
        if not (inspect.isclass(one) and issubclass(one, torch.nn.Module) and one.__module__ == module.__name__):
            continue
        own = getattr(one, "config_class", None) is type(config) and "PreTrained" not in name
        asked = inspect.signature(one.__init__).parameters.get("config")
        if own or (asked is not None and str(asked.annotation).endswith(type(config).__name__)):
            found.append(one)
    return found


def built(config):
    """Return the largest module that a configuration is built as, without memory; None where none can be built."""
    torch, found = importlib.import_module("torch"), []
    for owner in owners(config):
        try:
            with torch.device("meta"):
                found.append(owner(config))
        except Exception:  # whatever it raises: it is not built
            continue
    return max(found, key=lambda one: sum(p.numel() for p in one.parameters()), default=None)


def parts(module, config):
    """Return the parts that have to do with positions: by name what each is, and how many rows it has."""
    found, torch = {}, importlib.import_module("torch")
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        owner, short = module.get_submodule(name.rpartition(".")[0]), re.sub(r"\d+", "#", name)
        kind, shape = type(owner).__name__, [size for size in tensor.shape if size > 1]
        if short in found or "original" in name or "position_ids" in name:
            continue
        if name.endswith("inv_freq"):
            axial = any(one and one.get("rope_type") == "axial" for one in groups(config).values())
            axial = axial or ("Vision" in kind and "Text" not in kind)
            found[short] = ["distances" if "Rel" in kind else "axes" if axial else "turns", []]
        elif any(one in kind for one in NOT_A_TABLE) or not shape:
            continue
        elif BIAS.search(name):
            found[short] = ["bias", [] if "rel_logits" in name else shape[:1]]
        elif TABLE.search(f"{short}.{kind}" if kind == "Embedding" else short) and len(shape) > 1:
            sides = [one for one in shape if one != max(shape)] if tensor.dim() == 4 and len(shape) == 3 else shape[:1]
            learned = isinstance(tensor, torch.nn.Parameter) and tensor.requires_grad
            found[short] = ["learned" if learned else "fixed", sides]
    if not found and any(COMPUTED.search(type(one).__name__) for one in module.modules()):
        found["computed"] = ["fixed", []]
    return found


def rule(config, maker, name, rows):
    """Return how many rows a part has: the fields that the number follows, or {"rows": n}; {} where several do."""
    values = {key: value for key, value in config.to_dict().items() if ROWS.search(key)}
    values = {key: one for key, one in values.items() if type(one) is int and 0 < one < 10**6}
    seen = {key: [rows_with(maker, name, {key: times * one}) for times in (2, 3)] for key, one in values.items()}
    follow = [key for key, rest in seen.items() if any(one not in (rows, None) for one in rest)]
    for key in follow:
        for slope in (1, 2):
            if seen[key] == [rows + slope * values[key] * more for more in (1, 2)]:
                return {"field": key, "times": slope, "more": rows - slope * values[key]} if len(follow) == 1 else {}
    size, patch = (square(config.to_dict().get(key)) for key in ("image_size", "patch_size"))
    if size and patch:
        cells = (size // patch) ** 2
        other = rows_with(maker, name, {"image_size": like(config.to_dict()["image_size"], 2 * size)})
        if other == (2 * size // patch) ** 2 + rows - cells:
            return {"patches": True, "more": rows - cells}
    return {"rows": rows}


def square(value):
    """Return the side of a square image or patch; None for what is none."""
    side = value[0] if isinstance(value, list | tuple) and len(set(value)) == 1 else value
    return side if isinstance(side, int) and not isinstance(side, bool) else None


def like(value, side):
    """Return a size written as another one is."""
    return [side] * len(value) if isinstance(value, list | tuple) else side


def rows_with(maker, name, fields):
    """Return how many rows a part has with these fields."""
    config = made(maker, **fields)
    module = built(config) if config is not None else None
    found = parts(module, config).get(name) if module is not None else None
    return product(found[1]) if found is not None else None


def product(sizes):
    """Return the product of sizes."""
    count = 1
    for size in sizes:
        count *= size
    return count


def facts(maker):
    """Return the parts of a class and the fields that they follow; None where it cannot be built."""
    config = made(maker)
    module = built(config) if config is not None else None
    if module is None:
        return None
    found, fields = [], {}
    for name, (what, sizes) in parts(module, config).items():
        one = {"what": what}
        if sizes:
            one |= rule(config, maker, name, product(sizes))
        for key in [one.get("field"), *(("image_size", "patch_size") if one.get("patches") else ())]:
            if key is not None:
                fields[key] = config.to_dict()[key]
        if what == "axes":
            fields |= of_heads(config)
        if one not in found:
            found.append(one)
    tokens = any("vocab_size" in key for key in config.to_dict())
    return {"parts": found, "fields": fields, "attends": bool(attentions(module)), "reads_tokens": tokens}


def of_heads(config):
    """Return the fields that tell the width of a head, and the base of its rotation."""
    said = config.to_dict()
    base = (said.get("rope_parameters") or said).get("rope_theta")
    return {key: said[key] for key in WIDTHS if said.get(key)} | ({"rope_theta": base} if base else {})


def attentions(module):
    """Return the names of the classes of attention in a module."""
    return {type(one).__name__ for one in module.modules() if ATTENDS.search(type(one).__name__)}


def attends_itself(maker, makers):
    """Return whether a composite class has attention that none of its parts has, or cannot be built."""
    config = made(maker)
    module = built(config) if config is not None else None
    if module is None:
        return True
    inner = [makers.get(kind) for kind in levels(maker).values()]
    configs = [made(one) for one in inner if one is not None]
    modules = [built(one) for one in configs if one is not None]
    return bool(attentions(module).difference(*(attentions(one) for one in modules if one is not None)))


def levels(maker):
    """Return the types of the parts of a composite class, by the key of each."""
    config = made(maker)
    found = {}
    for key in maker.sub_configs or {}:
        kind = read(read(config, key), "model_type") if config is not None else None
        kind = kind or getattr(maker.sub_configs[key], "model_type", None)
        if kind:
            found[key] = kind
    return found


def table():
    """Return all facts, as they are kept."""
    mapping = quietly()
    makers = {kind: mapping[kind] for kind in sorted(mapping.keys())}
    for maker in list(makers.values()):  # parts of models that are no type of their own
        for inner in (maker.sub_configs or {}).values():
            if getattr(inner, "model_type", None):
                makers.setdefault(inner.model_type, inner)
    composites = {kind: found for kind, maker in sorted(makers.items()) if (found := levels(maker))}
    left = [kind for kind in sorted(makers) if not {kind} & {*CLASSES, *BY_HAND, *composites}]
    told = {kind: facts(makers[kind]) for kind in left}
    return {
        "transformers": importlib.import_module("transformers").__version__,
        "built": {kind: one for kind, one in told.items() if one is not None},
        "not_built": {kind: None for kind, one in told.items() if one is None},
        "levels": composites,
        "attend_themselves": {kind: True for kind in composites if attends_itself(makers[kind], makers)},
    }


if __name__ == "__main__":
    TARGET.write_text(text(table()), encoding="utf-8")
