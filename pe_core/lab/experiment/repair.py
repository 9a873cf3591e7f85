"""Repairs: what can be changed about a trained model at evaluation only, so that it reads longer texts than it learned.

A repair puts another encoding in the place of the trained one, bounds who may look at whom, tells other positions, or
makes the scores grow with the number of keys; no weight is changed. Each of these parts comes from a registry, so that
repairs multiply by `named("ntk+window")` and not by new classes.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from pe_core.encodings import ENCODINGS, Chain, PositionalEncoding, Shape
from pe_core.encodings.learned import Learned, PastTable
from pe_core.encodings.log_n import LogN
from pe_core.lab.experiment import streaming
from pe_core.lab.experiment.layers import Layered
from pe_core.masks import MASKS
from pe_core.parameters import Value, require
from pe_core.positions import REMAPS
from pe_core.rope_scaling import SCALINGS
from pe_core.rope_scaling.plain import plain

StandIn = Callable[[PositionalEncoding, Shape], PositionalEncoding]
ROPE, TABLE = ("rope",), ("learned",)  # what a repair suits


@dataclass(frozen=True)
class Repair:
    """What is changed at evaluation; a part that is None, or causal, or consecutive, stays as it was trained.

    `stand_in` makes the encoding that is read with from the trained one; `log_n` multiplies the queries by
    max(1, ln n / ln L), n the number of keys that each sees; `mask` gets the length of the text and that of training;
    `remap` is a key of `REMAPS`. Fine-tuning is at the longest length; where the repair `recalibrates`, at that of
    training. A repair that `searches` has no `stand_in` to read with before `searching.searched` has found one for the
    trained model.
    """

    key: str
    title: str
    summary: str
    suits: tuple[str, ...] = ()  # keys of the encodings that it is for; empty: all
    stand_in: StandIn | None = None
    log_n: bool = False
    mask: Callable[[int, int], Tensor] | None = None
    remap: str | None = None
    recalibrates: bool = False
    searches: bool = False

    def is_for(self, encoding: str) -> bool:
        """Whether a model trained with the encoding of this key can be read so."""
        return not self.suits or encoding in self.suits

    def build(self, trained: PositionalEncoding, shape: Shape) -> PositionalEncoding:
        """Return the encoding that the model is read with, for a model trained with `trained`.

        Where layers differ, another encoding takes the place of the run's own, and the rest stays.
        """
        encoding = trained
        if self.stand_in and isinstance(trained, Layered):
            encoding = trained.with_encoding(self.stand_in(trained.encoding, shape))
        elif self.stand_in:
            encoding = self.stand_in(trained, shape)
        return Chain(encoding, LogN(shape.train_length)) if self.log_n else encoding


AS_TRAINED = Repair("as_trained", "As trained", "Nothing is changed.")


def named(name: str) -> Repair:
    """Return the repair of this key, or several at once, as in "ntk+log_n".

    Raises `ValueError` for a key that does not exist, and for two that change the same part or suit no common encoding.
    """
    parts = []
    for key in name.split("+"):
        require(key in REPAIRS, "repair", f"be among {', '.join(REPAIRS)}, or several joined by +", key)
        parts.append(REPAIRS[key])
    first, *others = parts
    for other in others:
        first = _both(first, other)
    return first


def _both(one: Repair, other: Repair) -> Repair:
    key = f"{one.key}+{other.key}"
    for part, name in (("stand_in", "encoding"), ("log_n", "scores"), ("mask", "mask"), ("remap", "positions")):
        both = getattr(one, part) and getattr(other, part)
        require(not both, "repairs together", f"change the {name} only once", key)
    suits = one.suits or other.suits
    if one.suits and other.suits:
        suits = tuple(encoding for encoding in one.suits if encoding in other.suits)
        require(bool(suits), "repairs together", "be for a common encoding", key)
    parts = ("stand_in", "log_n", "mask", "remap", "recalibrates", "searches")
    changed = {part: getattr(one, part) or getattr(other, part) for part in parts}
    return Repair(key, f"{one.title} and {other.title}", f"{one.summary} {other.summary}", suits, **changed)


def _entry(key: str, title: str, summary: str, encoding: str, **params: Value) -> Repair:
    """Return the repair of RoPE that reads with an encoding of the registry."""
    return Repair(key, title, summary, ROPE, stand_in=_reads(encoding, **params))


def _reads(encoding: str, **params: Value) -> StandIn:
    return lambda trained, shape: ENCODINGS[encoding].build(shape, params)


def _in_cache(trained: PositionalEncoding, shape: Shape) -> PositionalEncoding:
    window = streaming.window_of(shape.train_length)
    return streaming.Streaming(trained, window=window, n_sinks=streaming.N_SINKS)


def _not_searched(trained: PositionalEncoding, shape: Shape) -> PositionalEncoding:
    raise ValueError("repair must be searched for the trained model before it is evaluated (`searching.searched`)")


def _past_table(beyond: PastTable) -> StandIn:
    """Return what reads the trained rows of a learned table, and goes past the last one of them as `beyond` says."""

    def stand_in(trained: PositionalEncoding, shape: Shape) -> PositionalEncoding:
        assert isinstance(trained, Learned)
        table = Learned(shape.d_model, shape.train_length, std=trained.std, beyond=beyond)
        table.load_state_dict({"table": trained.table[: shape.train_length]})
        return table.to(trained.table.device)

    return stand_in


def _keys(mask: str, **sizes: float) -> Callable[[int, int], Tensor]:
    return lambda length, train_length: MASKS[mask].build(length, train_length, sizes)


REPAIRS: dict[str, Repair] = {
    repair.key: repair
    for repair in (
        *(
            _entry(key, spec.title, spec.summary, "rope_scaled", scaling=key)
            for key, spec in SCALINGS.items()
            if spec.rule is not plain
        ),
        *(
            _entry(key, ENCODINGS[key].title, ENCODINGS[key].summary, key)
            for key in ("rerope", "rerope_leaky", "self_extend", "dual_chunk", "string")
        ),
        # Shang et al. 2025, arXiv:2502.20082, without its needles and its training: see `searching`.
        Repair(
            "longrope2",
            "Search of LongRoPE2",
            "Each slow pair gets a factor, searched to lower the loss of long windows of training text.",
            ROPE,
            stand_in=_not_searched,
            searches=True,
        ),
        # Gelberg et al. 2025, arXiv:2512.12167: train with RoPE, take it away, train on a little at the same length.
        Repair(
            "drope",
            "DroPE",
            "RoPE is taken away; fine-tuning, if any, is at the training length and adapts the model to this.",
            ROPE,
            stand_in=lambda trained, shape: PositionalEncoding(),
            recalibrates=True,
        ),
        Repair(
            "log_n",
            "log-n",
            "Scores grow with the logarithm of the number of keys, once it is above the training length.",
            log_n=True,
        ),
        Repair(
            "window",
            "Window",
            "Each token sees the last ones only, itself included: at most one training length of them.",
            mask=_keys("window", window=1.0),
        ),
        Repair(
            "sinks",
            "Window and sinks",
            "Each token sees the last ones (itself included, at most one training length of them) and the first four, "
            "at their places in the text.",
            mask=_keys("sinks", window=1.0),
        ),
        Repair(
            "streaming",
            "StreamingLLM",
            "Each token sees the last ones and the first four, and positions count among these only.",
            streaming.RELATIVE,
            stand_in=_in_cache,
            mask=streaming.cached,
            remap="consecutive",  # places in the cache take the place of any other positions
        ),
        Repair("lambda", "Lambda mask", MASKS["lambda"].summary, mask=_keys("lambda")),
        Repair(
            "lm_infinite",
            "LM-Infinite",
            "Each token sees the last ones (itself included, at most one training length of them) and the very first "
            "ones; distances above that length count as that length.",
            ROPE,
            stand_in=_reads("rerope", window=1.0),
            mask=_keys("lambda"),
        ),
        Repair(
            "half_window",
            "Half window",
            "Each token sees the last ones only, itself included: at most half a training length of them.",
            mask=_keys("window"),
        ),
        Repair(
            "learned_clamp",
            "Last row",
            "Later positions get the last trained row.",
            TABLE,
            stand_in=_past_table("clamp"),
        ),
        Repair(
            "learned_interpolate",
            "Interpolated rows",
            "The text is pressed into the trained rows, with values in between.",
            TABLE,
            stand_in=_past_table("interpolate"),
        ),
        Repair("grouped", "Grouped", REMAPS["grouped"].summary, remap="grouped"),
        Repair("interpolated", "Interpolated", REMAPS["interpolated"].summary, ("sinusoidal",), remap="interpolated"),
    )
}
