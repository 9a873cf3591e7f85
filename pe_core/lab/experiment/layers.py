"""Layers that differ: a short text says which encoding, mask and temperature the layers of a run's models have.

`5 local : 1 global` are five layers that see a window of keys, then one that sees all of them, and so on through the
depth. What stands between two colons are so many layers that are alike (one, where no number is named), in words with +
between them, in any order, each at most once:

- a mask: a key of `MASKS`, where `local` stands for `window` and `global` for `causal`. A key is seen if this mask and
  that of the run allow it;
- an encoding in place of the run's own: a key of `ENCODINGS` that adds nothing to the embeddings, `none` for none;
- a temperature: `temperature`, as in Llama 4, or `log_n`.

A word may have values in brackets, `local(window=0.25)`; sizes are in training lengths. So `chunked : none+temperature`
is the pattern of Llama 4, and `local : none` that of RNoPE with windows, of whatever encoding the run has.

Pitfalls: what a run's encoding adds to the embeddings stands before all layers, so that a layer with `none` still has
it. Layers that name the same encoding with the same values share what it learns, as layers of one encoding do.
Reference: Gemma Team 2025, arXiv:2503.19786, section 2, for the pattern and its words.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial

import torch
from torch import Tensor

from pe_core.encodings import ENCODINGS, ByLayer, Chain, EncodingSpec, Masked, PositionalEncoding, Shape, temperature
from pe_core.encodings.log_n import LogN
from pe_core.masks import MASKS
from pe_core.parameters import Entry, Value, Words, cut, quoted, require

MAX_LAYERS = 6  # of a pattern, which deeper models repeat
MAX_CHARACTERS = 200
ALSO = {"local": "window", "global": "causal"}  # what papers call a layer, and the mask that it has
EXAMPLE = "5 local : 1 global"

TEMPERATURES: dict[str, EncodingSpec] = {
    spec.key: spec
    for spec in (
        EncodingSpec(
            key="temperature",
            title="Temperature in steps",
            family="none",
            hooks=("rotate",),
            summary="Scores grow with the logarithm of the position, in steps.",
            paper=None,
            make=temperature.rising,
            parameters=temperature.STEPS,
        ),
        EncodingSpec(
            key="log_n",
            title="log-n",
            family="none",
            hooks=("rotate",),
            summary="Scores grow with the logarithm of the number of keys, once it is above the training length.",
            paper=None,
            make=lambda shape, params: LogN(shape.train_length),
        ),
    )
}
_CODE = {"temperature": "llama4", "log_n": "rope_log_n"}  # the entry of `ENCODINGS` whose code it is
_MASKS = {key: spec for key, spec in MASKS.items() if not spec.sees_ahead}
_GLOBAL = MASKS[ALSO["global"]]
_COUNTED = re.compile(r"\s*(?:([0-9]{1,3})\s+)?(.*)", re.DOTALL)
_WORD = re.compile(r"\s*([a-z0-9_]+)\s*(?:\(([^()]*)\)\s*)?")
_PLUS = re.compile(r"\+(?![^(]*\))")  # none within brackets: 1e+6 is a number


Word = tuple[str, tuple[tuple[str, Value], ...]]  # a key, and all its values by name: those in brackets, and defaults
Layer = Mapping[str, Word]  # what the pattern says of one layer, by kind: mask, encoding or temperature


def parse(text: object) -> tuple[Layer, ...]:
    """Return the layers of a pattern, one after the other; none for an empty text, which leaves all layers alike.

    Raises `ValueError`, which names the wrong part and the rule, for what is no pattern.
    """
    if not isinstance(text, str):
        raise ValueError(f"layers must be a text such as {EXAMPLE}, got {cut(repr(text))}")
    require(len(text) <= MAX_CHARACTERS, "layers", f"have at most {MAX_CHARACTERS} characters", f"{len(text):,}")
    found: list[Layer] = []
    for group in text.split(":") if text else ():
        counted = _COUNTED.fullmatch(group)
        assert counted is not None  # everything matches
        number, words, shown = int(counted[1] or 1), counted[2], quoted(group.strip())
        require(number >= 1, "layers", "count layers from 1", shown)
        found += [_layer(words)] * min(number, MAX_LAYERS + 1)
        require(len(found) <= MAX_LAYERS, "layers", f"be at most {MAX_LAYERS} in a pattern", f"more at {shown}")
    return tuple(found)


def _layer(text: str) -> Layer:
    said: dict[str, Word] = {}
    for part in _PLUS.split(text):
        kind, word = _word(part)
        require(kind not in said, "layers", f"have at most one {kind} in each layer", quoted(text.strip()))
        said[kind] = word
    return said


def _word(text: str) -> tuple[str, Word]:
    """Return what kind of word it is, and the word with its values checked."""
    matched = _WORD.fullmatch(text)
    rule = f"be words joined by +, with : between layers, such as {EXAMPLE} or local(window=0.25)+none"
    if matched is None:
        raise ValueError(f"layers must {rule}, got {quoted(text.strip())}")
    kind, spec = _entry(matched[1])
    parameters = {parameter.name: parameter for parameter in spec.parameters}
    values: dict[str, Value] = {}
    for given in matched[2].split(",") if matched[2] is not None else ():
        name, _, value = (part.strip() for part in given.partition("="))
        require(
            name in parameters and name not in values,
            "layers",
            f"give {matched[1]} values by name, each once, of {', '.join(parameters) or '(none)'}",
            quoted(text.strip()),
        )
        try:
            values[name] = parameters[name].parse(value)
        except ValueError as error:
            raise ValueError(f"layers must have values that are allowed, got {quoted(text.strip())}: {error}") from None
    return kind, (spec.key, tuple(spec.values(values).items()))


def _entry(name: str) -> tuple[str, Entry]:
    """Return what kind of word a name is, and its entry."""
    key = ALSO.get(name, name)
    if key in _MASKS:
        return "mask", _MASKS[key]
    if key in TEMPERATURES:
        return "temperature", TEMPERATURES[key]
    known = key in ENCODINGS and "embed" not in ENCODINGS[key].hooks
    words = ", ".join((*ALSO, *_MASKS, *TEMPERATURES))
    require(known, "layers", f"name {words}, or an encoding that adds nothing to the embeddings", quoted(name.strip()))
    return "encoding", ENCODINGS[key]


PATTERN = Words(
    "layers",
    "Pattern of layers",
    "",
    f"Layers that differ, as {EXAMPLE}, repeated through the depth. A layer may have a mask (local, global, chunked), "
    "another encoding than the run's own (none, alibi), and temperature or log_n, joined by +. "
    "Values stand in brackets, local(window=0.25). Empty: all layers are alike.",
    checked=parse,
    form=f"be empty or a pattern such as {EXAMPLE}",
    max_length=MAX_CHARACTERS,
)


class Layered(PositionalEncoding):
    """An encoding on those layers of a pattern that keep it, and what else the layers have.

    `kept` says for each place of the pattern whether it has the encoding, `beside` what stands there in any case. What
    the encoding adds to the embeddings it adds before all layers.
    """

    def __init__(self, encoding: PositionalEncoding, kept: tuple[bool, ...], beside: PositionalEncoding) -> None:
        super().__init__()
        self.encoding = encoding
        self.kept = kept
        self.beside = beside

    def reset_parameters(self, generator: torch.Generator) -> None:
        """Draw the learned parameters from `generator`: those of the encoding first, then those of single layers."""
        self.encoding.reset_parameters(generator)
        self.beside.reset_parameters(generator)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        """Return what the encoding makes of the embeddings; arguments as in the contract."""
        return self.encoding.embed(x, positions)

    def at_layer(self, layer: int) -> PositionalEncoding:
        """Return what one layer has, counted from 0."""
        beside = self.beside.at_layer(layer)
        kept = self.kept[layer % len(self.kept)]
        return Chain(self.encoding.at_layer(layer), beside) if kept else beside

    def check_cache(self, cached: Tensor, new: Tensor) -> None:
        """Raise `ValueError` where one of the encodings does."""
        self.encoding.check_cache(cached, new)
        self.beside.check_cache(cached, new)

    def with_encoding(self, encoding: PositionalEncoding) -> "Layered":
        """Return the same layers, with another encoding in place of the run's own; the rest is shared."""
        return Layered(encoding, self.kept, self.beside)


def laid_out(encoding: PositionalEncoding, text: str, shape: Shape) -> PositionalEncoding:
    """Return the encoding of a run with its layers as the pattern says; `ValueError` for what is no pattern."""
    pattern = parse(text)
    if not pattern:
        return encoding
    made: dict[Word, PositionalEncoding] = {}
    for kind, word in (one for layer in pattern for one in layer.items()):
        made[word] = made.get(word) or _built(kind, word, shape)
    alike = PositionalEncoding()

    def each(kind: str) -> ByLayer:
        return ByLayer(*(made[layer[kind]] if kind in layer else alike for layer in pattern))

    beside = Chain(each("encoding"), each("mask"), each("temperature"))
    return Layered(encoding, tuple("encoding" not in layer for layer in pattern), beside)


def _built(kind: str, word: Word, shape: Shape) -> PositionalEncoding:
    key, values = word[0], dict(word[1])
    if MASKS.get(key) is _GLOBAL:
        return PositionalEncoding()  # hides nothing that the mask of the run does not, and kernels are faster without
    if kind == "mask":
        return Masked(partial(MASKS[key].build, train_length=shape.train_length, params=values))
    entries = ENCODINGS if kind == "encoding" else TEMPERATURES
    return entries[key].build(shape, values)


def reads_with(text: str) -> tuple[str, ...]:
    """Return the keys of the encodings whose code the layers of a pattern use, in their order, each once."""
    keys = (layer[kind][0] for layer in parse(text) for kind in ("encoding", "temperature") if kind in layer)
    return tuple(dict.fromkeys(_CODE.get(key, key) for key in keys))


def check(text: str, n_layers: int, encodings: Sequence[str], repairs: Sequence[str]) -> None:
    """Raise `ValueError` where a pattern does not suit the models of a run, or their repairs.

    It must fit into their depth, and leave a layer to the encodings that are compared. The cache of StreamingLLM counts
    positions anew for the run's own encoding, not for what single layers have.
    """
    pattern = parse(text)
    if not pattern:
        return
    rule = f"fit into the models, whose n_layers is {n_layers}"
    require(len(pattern) <= n_layers, "layers", rule, f"a pattern of {len(pattern)}")
    alike = [key for key in encodings if "embed" not in ENCODINGS[key].hooks]
    alike = alike if all("encoding" in layer for layer in pattern) else []
    rule = f"leave one to {' and '.join(alike)}, which would all be the same"
    require(len(alike) <= 1, "layers", rule, quoted(text.strip()))
    own = [key for key in reads_with(text) if ENCODINGS[key].hooks]  # all but none
    for name in repairs:
        suited = not own or "streaming" not in name.split("+")
        require(suited, "repairs", f"number positions in the same way in all layers with {', '.join(own)}", name)
