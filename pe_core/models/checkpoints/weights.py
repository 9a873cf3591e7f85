"""Which tensors of a checkpoint say something about positions, and what: measured by `trained_positions`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from pe_core.measures.channels import evenly
from pe_core.models.checkpoints import trained_positions as measure
from pe_core.models.checkpoints.checkpoint import FLOATS, Checkpoint
from pe_core.models.classes import CLASSES
from pe_core.models.inspection import inspected
from pe_core.models.positions import Positions, Rotation
from pe_core.models.reading import ConfigError, at, is_whole, parsed, shown
from pe_core.parameters import require

TABLES = (
    "wpe.weight",
    "embed_positions.weight",
    "position_embeddings.weight",
    "position_embedding.weight",
    "position_embeddings",
    "position_embedding",
    "positional_embedding",
    "pos_embed",
    "rel_embeddings.weight",
)
T5_BIAS, SWIN_BIAS = "relative_attention_bias.weight", "relative_position_bias_table"
MAX_DISTANCE = 128  # of T5, where no configuration tells another
OFFSETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
DISTANCES = (0, 1, 2, 4, 8, 16, 32, 64, 128)
N_LAYERS = 3  # of which queries and keys are read: the first, the middle one and the last that turn
# Queries alone, or with keys and values in one matrix; `q_b_proj` is that of DeepSeek, from fewer channels.
_NAMES = ("q_proj", "q_b_proj", "qkv_proj", "Wqkv", "query_key_value")
_QUERY = re.compile(
    r"(?P<path>(?:.*\.)?(?:layers|h|blocks)\.(?P<layer>\d+)\.(?:.*\.)?)"
    rf"(?P<what>{'|'.join(_NAMES)})\.weight"
)
_SHARED_KEY = "kv_a_proj_with_mqa"  # of multi-head latent attention: its last rows are the one key that turns
_NORMS = ("q_norm.weight", "q_layernorm.weight")
_ELSEWHERE = ("vision", "visual", "vpm", "audio", "encoder_attn", "cross_attn")


@dataclass(frozen=True)
class Table:
    """A learned table of positions, as trained.

    `norms` (T,) are those of its rows, `cosines` the mean cosine of rows by how far they lie apart, `untrained` the
    first and last row of each run of rows that look never trained.
    """

    name: str
    width: int
    norms: Tensor
    cosines: dict[int, float]
    untrained: list[tuple[int, int]]


@dataclass(frozen=True)
class Bias:
    """A relative bias, as trained: `values` (K, H) by head at each of `places`, which are distances or rings."""

    name: str
    of: str
    places: list[int]
    values: Tensor


@dataclass(frozen=True)
class Use:
    """How much of the queries and keys of a layer stands in each pair of RoPE: norms of weights, (heads, pairs).

    `normalised` says that the model normalises queries and keys after these weights.
    """

    layer: int
    rotation: Rotation
    queries: Tensor
    keys: Tensor
    normalised: bool


@dataclass(frozen=True)
class Weights:
    """What the weights of a checkpoint say about positions, and what of them could not be read, in sentences."""

    tables: list[Table]
    biases: list[Bias]
    uses: list[Use]
    notes: list[str]


def weights(checkpoint: Checkpoint) -> tuple[Positions | None, Weights]:
    """Return the reading of the configuration, None where there is none, and what the weights say.

    Raises `ConfigError` for a configuration that cannot be read.
    """
    found = None if checkpoint.config is None else inspected(checkpoint.config)
    notes: list[str] = []
    tables = [_table(checkpoint, name) for name in _named(checkpoint, TABLES) if _is_table(checkpoint, name)]
    return found, Weights(tables, list(_biases(checkpoint, notes)), list(_uses(checkpoint, found, notes)), notes)


def _named(checkpoint: Checkpoint, endings: tuple[str, ...]) -> list[str]:
    """Return the names of tensors of real numbers that end so."""
    ends = tuple(f".{ending}" for ending in endings)
    held = checkpoint.tensors
    return [name for name in held if f".{name}".endswith(ends) and held[name].dtype in FLOATS]


def _is_table(checkpoint: Checkpoint, name: str) -> bool:
    shape = checkpoint.tensors[name].shape
    return (len(shape) == 2 or (len(shape) == 3 and shape[0] == 1)) and min(shape[-2:]) > 1


def _table(checkpoint: Checkpoint, name: str) -> Table:
    table = checkpoint.read(name).double().flatten(0, -2)
    offsets = [offset for offset in OFFSETS if offset < len(table)]
    cosines = measure.cosine_by_offset(table, offsets).tolist()
    untrained = measure.runs(measure.never_trained(table))
    return Table(name, table.shape[-1], table.norm(dim=-1), dict(zip(offsets, cosines, strict=True)), untrained)


def _biases(checkpoint: Checkpoint, notes: list[str]) -> Iterator[Bias]:
    told = {} if checkpoint.config is None else parsed(checkpoint.config)
    far = told.get("relative_attention_max_distance", MAX_DISTANCE)
    far = far if is_whole(far, 1, 2**40 - 1) else MAX_DISTANCE
    for name in _named(checkpoint, (T5_BIAS,)):
        both = "decoder" not in name
        shape = checkpoint.tensors[name].shape
        if len(shape) != 2 or shape[0] < 4 or shape[0] % 2:
            notes.append(f"{name} has {shape[0] if shape else 0} buckets, and is not read.")
            continue
        places = sorted({-one for one in DISTANCES if both} | set(DISTANCES))
        values = measure.bias_by_distance(
            checkpoint.read(name), torch.tensor(places), max_distance=far, bidirectional=both
        )
        yield Bias(name, "distance", places, values)
    for name in _named(checkpoint, (SWIN_BIAS,)):
        shape = checkpoint.tensors[name].shape
        if len(shape) != 2 or measure.window_of(shape[0]) is None:
            notes.append(f"{name} has {shape[0] if shape else 0} rows, no square of an odd number, and is not read.")
            continue
        values = measure.bias_by_ring(checkpoint.read(name))
        yield Bias(name, "ring", list(range(len(values))), values)


def _uses(checkpoint: Checkpoint, found: Positions | None, notes: list[str]) -> Iterator[Use]:
    matches = [one for one in map(_QUERY.fullmatch, checkpoint.tensors) if one]
    matches = [one for one in matches if not any(part in one["path"] for part in _ELSEWHERE)]
    if found is None or not any(group.rotation for group in found.groups):
        if found is None and matches:
            notes.append("Without a config.json the width of a head is not known, so queries and keys are not read.")
        return
    layout = found.pairs
    if layout is None:
        notes.append("The pair layout of this class is not known, so queries and keys are not read.")
        return
    by_layer = {int(one["layer"]): one for one in matches}
    turned = {number: group.rotation for group in found.groups for number in group.layers or () if group.rotation}
    there = sorted(number for number in by_layer if number in turned)
    if not there:
        notes.append(f"No tensor of a layer that turns is called {', '.join(_NAMES)}: queries and keys are not read.")
    settings = _settings(checkpoint, found)
    for number in (there[place] for place in evenly(len(there), N_LAYERS)):
        one, rotation = by_layer[number], turned[number]
        names = _sources(checkpoint, one["path"], one["what"])
        held = [checkpoint.tensors.get(name) for name in names]
        if any(tensor is None or tensor.dtype not in FLOATS or len(tensor.shape) != 2 for tensor in held):
            notes.append(f"Queries and keys of layer {number} are no matrices of real numbers, and are not read.")
            continue
        latent = names[-1].endswith(f"{_SHARED_KEY}.weight")  # of whose heads only the rows that turn are read
        width = rotation.n_rotated if latent else rotation.head_dim
        try:
            q, k = (
                measure.pair_norms(rows, head_dim=width, n_rotated=rotation.n_rotated, layout=layout)
                for rows in _queries_and_keys(checkpoint, names, settings, width)
            )
        except ValueError as error:
            raise ConfigError(f"layer {number}: {error}") from None
        normalised = any(f"{one['path']}{norm}" in checkpoint.tensors for norm in _NORMS)
        yield Use(number, rotation, q, k, normalised)


def _settings(checkpoint: Checkpoint, found: Positions) -> dict[str, Any]:
    """Return the fields of the level that was read, those of the class where the file is silent."""
    given = {} if checkpoint.config is None else at(parsed(checkpoint.config), found.level)
    model = CLASSES.get(found.model_type)
    if model is None:
        return given
    return {**model.fields, **{model.names.get(name, name): value for name, value in given.items()}}


def _sources(checkpoint: Checkpoint, path: str, what: str) -> list[str]:
    """Return the names of the tensors that have the queries and keys of a layer: one, or two."""
    shared = f"{path}{_SHARED_KEY}.weight"
    if what.startswith("q_"):
        return [f"{path}{what}.weight", shared if shared in checkpoint.tensors else f"{path}k_proj.weight"]
    return [f"{path}{what}.weight"]


def _queries_and_keys(
    checkpoint: Checkpoint, names: list[str], settings: Mapping[str, Any], head_dim: int
) -> tuple[Tensor, Tensor]:
    """Return the matrices of queries and keys; of latent attention those rows of each head that turn.

    One tensor has rows of queries, keys and values in this order, or, as `query_key_value` of GPT-NeoX and Falcon,
    queries, a key and a value for each group of heads.
    """
    shape, heads = checkpoint.tensors[names[0]].shape, settings.get("num_attention_heads")
    heads = heads if is_whole(heads) else 0
    if len(names) == 2 and names[1].endswith("k_proj.weight"):
        return checkpoint.read(names[0]), checkpoint.read(names[1])
    if len(names) == 2:
        require(heads > 0 and shape[0] % heads == 0, "rows", f"be a multiple of the heads ({shown(heads)})", shape[0])
        queries = checkpoint.read(names[0]).reshape(heads, -1, shape[1])
        keys = checkpoint.read(names[1])
        fits = min(queries.shape[1], len(keys)) >= head_dim
        require(fits, "rows", f"be {head_dim} of each head that turn, or more", queries.shape[1])
        return queries[:, -head_dim:].flatten(0, 1), keys[-head_dim:]
    count, left = shape[0] // head_dim, shape[0] % head_dim
    groups = (count - heads) // 2
    fits = left == 0 and 0 < groups <= heads and heads + 2 * groups == count and heads % groups == 0
    require(fits, "rows", f"be those of {shown(heads)} heads of queries, and of keys and values", shape[0])
    if names[0].endswith("query_key_value.weight"):
        rows = checkpoint.read(names[0]).reshape(groups, heads // groups + 2, head_dim, shape[1])
        return rows[:, :-2].flatten(0, 2), rows[:, -2].flatten(0, 1)
    queried = heads * head_dim
    return checkpoint.read(names[0], 0, queried), checkpoint.read(names[0], queried, queried + groups * head_dim)
