"""How long a run will take on this machine and how much memory, by arithmetic: nothing of its size is built.

What a machine and an encoding cost is measured once, in steps of a small model (`calibrate`); an encoding is measured
when it is first asked for. From there it grows as the tensors grow: the model with its multiplications, an encoding
with the tokens or the pairs of tokens that its hooks see.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import torch
from torch import Tensor

from pe_core.encodings import ENCODINGS, PositionalEncoding
from pe_core.lab.experiment.datasets import EVALUATED_CHARACTERS, Corpus
from pe_core.lab.experiment.evaluation import PART, WHOLE, glanced_steps, texts_in_cache
from pe_core.lab.experiment.layers import reads_with
from pe_core.lab.experiment.run import Unit, one_thread, plan
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, texts_learned_at_once, train

BARE = "none"  # the encoding that costs nothing
VOCAB_SIZE = 2  # of the small models, so that their output layer hardly counts
TIMED = 5  # steps, of which the fastest counts: the others may have waited for a core
FORWARD = 1 / 3  # of a training step: the backward pass costs twice the forward pass
FLOAT = 4  # bytes
COPIES = 4  # of each parameter: itself, its gradient and two moments of AdamW
SPARE = 1.5  # memory of a step over what it keeps for the backward pass, as measured


@dataclass(frozen=True)
class Batch:
    """The sizes that decide what a step costs: texts, their length, width, heads, layers and vocabulary."""

    texts: float
    length: int
    d_model: int
    n_heads: int
    n_layers: int
    vocab_size: int

    @property
    def tokens(self) -> float:
        """How many tokens are read."""
        return self.texts * self.length

    @property
    def multiplications(self) -> float:
        """Of a training step: one per parameter and token, two per channel and pair; times 3 with the backward pass."""
        of_layers = self.n_layers * (12 * self.d_model**2 + 2 * self.length * self.d_model)
        return 3 * self.tokens * (of_layers + self.d_model * self.vocab_size)

    @property
    def seen(self) -> Mapping[str, float]:
        """How many numbers each hook of an encoding sees: channels of all tokens, or pairs of tokens of all heads."""
        channels = self.tokens * self.d_model
        pairs = self.tokens * self.length * self.n_heads
        return {"embed": channels, "rotate": self.n_layers * channels, "bias": self.n_layers * pairs}


@dataclass(frozen=True)
class Step:
    """What a step of training takes: seconds of one core, and bytes that are held for the backward pass.

    `own_bias` says whether each text has a bias of its own, made from its content, instead of one for all.
    """

    seconds: float
    held: float
    own_bias: bool = False


@dataclass(frozen=True)
class Calibration:
    """Measured steps: a small one with each encoding, by its key, and two of other sizes without an encoding."""

    small: Callable[[str], Step]
    tiny: Step
    long: Step

    @cached_property
    def paces(self) -> tuple[float, float, float]:
        """Seconds of one core for the start of a step, a multiplication, and a pair of tokens that a head looks at."""
        sizes = [of(TINY), of(SMALL), of(LONG)]
        parts = torch.tensor([_parts(batch) for batch in sizes], dtype=torch.float64)
        taken = torch.tensor([self.tiny.seconds, self.small(BARE).seconds, self.long.seconds], dtype=torch.float64)
        start, multiplication, pair = torch.linalg.solve(parts, taken).clamp(min=0).tolist()
        return start, multiplication, pair

    def without_encodings(self) -> "Calibration":
        """Return the same with encodings that cost nothing: the least that is needed, for which none is measured."""
        return replace(self, small=lambda encoding: self.small(BARE))

    def step(self, batch: Batch, encoding: str, beside: Sequence[str] = ()) -> Step:
        """Return what a step of these sizes takes, as it grows from the small ones.

        Encodings `beside` the first are those of single layers; they count as if every layer had them, too.
        """
        bare, small = self.small(BARE), of(SMALL)
        added = [self._added(batch, key) for key in (encoding, *beside)]
        of_model = sum(pace * part for pace, part in zip(self.paces, _parts(batch), strict=True))
        return Step(
            of_model + sum(one.seconds for one in added),
            bare.held * batch.seen["rotate"] / small.seen["rotate"]
            + sum(one.held for one in added)
            + 3 * FLOAT * batch.tokens * batch.vocab_size,
            any(one.own_bias for one in added),
        )

    def _added(self, batch: Batch, encoding: str) -> Step:
        """Return what an encoding adds to a step of these sizes."""
        bare, with_it, small = self.small(BARE), self.small(encoding), of(SMALL)
        growth = max((batch.seen[hook] / small.seen[hook] for hook in ENCODINGS[encoding].hooks), default=0.0)
        return Step(
            growth * max(0.0, with_it.seconds - bare.seconds),
            growth * max(0.0, with_it.held - bare.held),
            with_it.own_bias,
        )


def _parts(batch: Batch) -> tuple[float, float, float]:
    """Return what the time of a step is linear in: starts of a layer, multiplications, pairs of tokens."""
    return (1 + batch.n_layers) / 2, batch.multiplications, batch.seen["bias"]


TINY = RunConfig((BARE,), train_length=16, d_model=16, n_heads=1, n_layers=1, batch_size=8)
SMALL = RunConfig((BARE,), train_length=64, d_model=64, n_heads=4, n_layers=1, batch_size=8)
LONG = RunConfig((BARE,), train_length=256, d_model=16, n_heads=4, n_layers=1, batch_size=8)


def of(config: RunConfig, vocab_size: int = VOCAB_SIZE, *, texts: float = 0.0, length: int = 0) -> Batch:
    """Return the sizes of a training step, or of evaluating so many texts of another length."""
    width = config.d_model, config.n_heads, config.n_layers, vocab_size
    return Batch(texts or config.batch_size, length or config.train_length, *width)


@dataclass(frozen=True)
class Need:
    """What a run is expected to need: seconds on this machine, if nobody else trains, and bytes of memory at most."""

    seconds: float
    bytes: float


def need(
    config: RunConfig,
    vocab_size: int,
    calibration: Calibration,
    *,
    n_workers: int,
    n_held_out: int = EVALUATED_CHARACTERS,
) -> Need:
    """Return what a run over `vocab_size` needs, with each of the workers training one encoding at a time.

    Memory is that of all models with their optimisers, and of the largest step of each worker, or the part of one that
    goes through the model together.
    """
    seconds, max_held, beside = 0.0, 0.0, reads_with(config.layers)
    for key in config.encodings:
        work: Counter[Unit] = Counter()
        for unit, times in plan(config, key, glanced_steps(config), n_held_out):
            work[unit] += times
        for unit, times in work.items():
            batch = of(config, vocab_size, texts=unit.tokens / unit.length, length=unit.length)
            step = calibration.step(batch, key, beside)
            seconds += times * (step.seconds if unit.learns else FORWARD * step.seconds)
            if unit.learns:
                at_once = min(1.0, texts_learned_at_once(unit.length) / batch.texts)
                max_held = max(max_held, at_once * step.held)
        max_held = max(max_held, _read_at_once(config, vocab_size, calibration, key))
    n_models = config.n_seeds * len(config.encodings)
    n_parameters = config.n_layers * 12 * config.d_model**2 + 2 * config.d_model * vocab_size
    busy = min(n_workers, n_models)
    return Need(
        config.n_seeds * seconds / busy,
        COPIES * FLOAT * n_models * n_parameters + SPARE * busy * max_held,
    )


def _read_at_once(config: RunConfig, vocab_size: int, calibration: Calibration, encoding: str) -> float:
    """Return the bytes that the longest texts take which are read together: forward only, one layer after another.

    One that is too long for that is read in parts, with the keys of all before them.
    """
    length = max(config.lengths)
    if length > WHOLE:
        pairs, keys = config.n_heads * PART * length, config.n_layers * length * config.d_model
        return 3 * FLOAT * (pairs + keys + length * vocab_size)
    texts = texts_in_cache(length)
    beside = reads_with(config.layers)
    layer = calibration.step(replace(of(config, vocab_size, texts=texts, length=length), n_layers=1), encoding, beside)
    has_bias = any("bias" in ENCODINGS[key].hooks for key in (encoding, *beside))
    tables = config.n_heads * (texts if layer.own_bias else 1) if has_bias else 1
    return layer.held + 3 * FLOAT * tables * length**2  # a bias or a mask, with it what it is made of


KNOWN = 512  # encodings whose small step is remembered: formulas that visitors type are measured as well


def calibrate() -> Calibration:
    """Return what small steps take here; with an encoding it is measured when it is first asked for, in a few 0.01 s.

    One is measured after the other, in a thread of its own: who asks waits, and computes no model. That thread gives
    way to nobody, since a page waits for it.
    """
    alone = ThreadPoolExecutor(1, "calibration", torch.set_num_threads, (1,))

    def step(config: RunConfig, encoding: str) -> Step:
        return alone.submit(measured, config, encoding).result()

    step(TINY, BARE)  # the first model of a process waits for what torch sets up
    return Calibration(lru_cache(KNOWN)(partial(step, SMALL)), step(TINY, BARE), step(LONG, BARE))


def measured(config: RunConfig, encoding: str) -> Step:
    """Return what a step of training with an encoding takes; the first one warms up and is not timed.

    Seconds are those of the processor, so that it does not matter who else computes. Random tokens stand in for a
    text.
    """
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(VOCAB_SIZE, (4 * config.train_length,), generator=generator)
    corpus = Corpus("random", tuple(map(str, range(VOCAB_SIZE))), tokens, tokens)
    model = build_model(config, encoding, corpus)
    steps = train(model, encoding, corpus, config)
    held: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        held[storage.data_ptr()] = storage.nbytes()
        return tensor

    with one_thread():
        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            next(steps)
        seconds = []
        for _ in range(TIMED):
            start = time.thread_time()
            next(steps)
            seconds.append(time.thread_time() - start)
    return Step(min(seconds), sum(held.values()), _has_own_bias(model.encoding, config))


@torch.inference_mode()
def _has_own_bias(encoding: PositionalEncoding, config: RunConfig) -> bool:
    heads = torch.zeros(config.batch_size, config.n_heads, config.train_length, config.shape.head_dim)
    positions = torch.arange(config.train_length)
    own = encoding.at_layer(0).reading(heads.transpose(1, 2).flatten(2))
    bias = own.bias(*own.rotate(heads, heads, positions), positions)
    return bias is not None and bias.dim() == heads.dim() and len(bias) == len(heads)
