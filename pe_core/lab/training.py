"""Training: a frozen configuration, and a generator that yields one `TrainStep` after the other.

A mask under which a token sees those after it (`prefix`) cannot be chosen: the model would read what it is to predict.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core import masks
from pe_core.encodings import ENCODINGS, Shape
from pe_core.lab.corpus import Corpus
from pe_core.lab.model import Transformer
from pe_core.lab.repair import named
from pe_core.masks import MASKS
from pe_core.parameters import Parameter, Value, require
from pe_core.positions import REMAPS

BATCH_SIZE = 32
PEAK_LEARNING_RATE = 3e-3
MOST_ENCODINGS = 8  # of one run: more lines of one picture are not told apart
MOST_REPAIRS = 15  # and one line for the model as it was trained
MULTIPLES = (1, 2, 3, 4, 6, 8)  # evaluated lengths, in training lengths

_MASKS = tuple(key for key, spec in MASKS.items() if not spec.sees_ahead)

PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter("train_length", "Training length", 64, "Characters that the model sees at once.", 16, 256, 16),
        Parameter("d_model", "Width", 64, "Channels of the model.", 16, 256, 16),
        Parameter("n_heads", "Heads", 4, "Attention heads of each layer.", choices=(1, 2, 4, 8)),
        Parameter("n_layers", "Layers", 2, "Blocks of attention and network.", 1, 6),
        Parameter("steps", "Steps", 400, "Batches of 32 texts to learn from.", 50, 5_000, 50),
        Parameter("seed", "Seed", 0, "Start of the random numbers: weights and order of the texts.", 0, 9_999),
        Parameter(
            "mask",
            "Mask",
            "causal",
            "Which tokens each one may look at, in training and beyond its length.",
            choices=_MASKS,
        ),
        Parameter(
            "remap",
            "Positions",
            "consecutive",
            "What the models are told instead of 0, 1, 2 and so on.",
            choices=tuple(REMAPS),
        ),
    )
}


@dataclass(frozen=True)
class RunConfig:
    """What a run trains: the encodings to compare, one model and training for all, and how they are read afterwards.

    `repairs` are keys of `REPAIRS`, or several with + between: each trained model is also read with those for it.
    Raises `ValueError` for a value that `PARAMETERS` does not allow, for no encoding, and for one that does not exist.
    """

    encodings: tuple[str, ...] = ("none", "sinusoidal", "rope", "alibi")
    train_length: int = 64
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    steps: int = 400
    seed: int = 0
    mask: str = "causal"
    remap: str = "consecutive"
    repairs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(bool(self.encodings), "encodings", "name at least one", "an empty list")
        n_encodings = len(self.encodings)
        require(n_encodings <= MOST_ENCODINGS, "encodings", f"be at most {MOST_ENCODINGS} in one run", n_encodings)
        for key in self.encodings:
            require(key in ENCODINGS, "encodings", f"be among {', '.join(ENCODINGS)}", key)
        require(len(set(self.encodings)) == len(self.encodings), "encodings", "be different", ", ".join(self.encodings))
        for name, parameter in PARAMETERS.items():
            parameter.check(getattr(self, name))
        check_positions(self)
        require(len(set(self.repairs)) == len(self.repairs), "repairs", "be different", ", ".join(self.repairs))
        require(
            len(self.repairs) <= MOST_REPAIRS, "repairs", f"be at most {MOST_REPAIRS} in one run", len(self.repairs)
        )
        for name in self.repairs:
            suited = any(named(name).is_for(key) for key in self.encodings)
            require(suited, "repairs", f"suit an encoding of the run ({', '.join(self.encodings)})", name)

    @property
    def shape(self) -> Shape:
        """The shape that encodings are built for."""
        return Shape(self.d_model, self.n_heads, self.train_length, max(self.lengths))

    @property
    def lengths(self) -> tuple[int, ...]:
        """The evaluated lengths in characters, the training length first."""
        return tuple(multiple * self.train_length for multiple in MULTIPLES)

    @property
    def tokens_per_step(self) -> int:
        """Characters that one step learns from."""
        return BATCH_SIZE * self.train_length

    def settings(self) -> dict[str, Value | list[str]]:
        """Return all that decides the result beside the text and the code, ready for JSON."""
        own = {**asdict(self), "encodings": list(self.encodings), "repairs": list(self.repairs)}
        return {**own, "batch_size": BATCH_SIZE, "peak_learning_rate": PEAK_LEARNING_RATE}


def parse_config(encodings: Sequence[str], texts: Mapping[str, str], repairs: Sequence[str] = ()) -> RunConfig:
    """Return the configuration that texts by name stand for; `ValueError` names the first that is not allowed."""
    values: dict[str, Any] = {name: PARAMETERS[name].parse(text) for name, text in texts.items()}
    return RunConfig(tuple(encodings), repairs=tuple(repairs), **values)


CONFIG_FIELDS = tuple(field.name for field in fields(RunConfig))


@dataclass(frozen=True)
class TrainStep:
    """One step of training: whose model, the step from 1, and the loss of its batch in nats per character."""

    encoding: str
    step: int
    loss: float


def build_model(config: RunConfig, encoding: str, corpus: Corpus) -> Transformer:
    """Return the untrained model of an encoding; what encodings share starts the same for all of them."""
    generator = torch.Generator().manual_seed(config.seed)
    built = ENCODINGS[encoding].build(config.shape)
    return Transformer(len(corpus.symbols), config.shape, config.n_layers, built, generator=generator)


def build_mask(config: RunConfig, length: int) -> Tensor | None:
    """Return the mask of a run for texts of this length; None where it is causal, for which kernels are faster."""
    mask = MASKS[config.mask].build(length, config.train_length)
    return None if torch.equal(mask, masks.causal(length)) else mask


def build_positions(config: RunConfig, length: int, generator: torch.Generator, *, training: bool) -> Tensor:
    """Return the positions that a run tells its models for texts of this length, drawn anew where they are random."""
    return REMAPS[config.remap].build(
        length,
        train_length=config.train_length,
        max_length=max(config.lengths),
        generator=generator,
        training=training,
    )


def check_positions(config: RunConfig) -> None:
    """Raise `ValueError` where an encoding cannot take what the run will tell it beyond the training length.

    So a run does not fail in evaluation, after all its training. Positions as they are suit every encoding.
    """
    length = config.lengths[1]
    told = build_positions(config, length, torch.Generator().manual_seed(config.seed), training=False)
    if torch.equal(told, torch.arange(length)):
        return
    x = torch.zeros(1, length, config.d_model)
    heads = x.view(1, length, config.n_heads, -1).transpose(1, 2)
    for key in config.encodings:
        encoding = ENCODINGS[key].build(config.shape)
        try:
            encoding.embed(x, told)
            encoding.bias(*encoding.rotate(heads, heads, told), told)
        except ValueError as error:
            raise ValueError(f"remap must suit {ENCODINGS[key].title}, got {config.remap}: {error}") from None


def train(model: Transformer, encoding: str, corpus: Corpus, config: RunConfig) -> Iterator[TrainStep]:
    """Train `model` in place and yield a `TrainStep` after each step; the same seed gives the same batches."""
    order = torch.Generator().manual_seed(config.seed)
    remaps = torch.Generator().manual_seed(config.seed)  # of their own: every remap trains on the same batches
    mask = build_mask(config, config.train_length)
    window = torch.arange(config.train_length + 1)
    optimiser = torch.optim.AdamW(model.parameters(), lr=PEAK_LEARNING_RATE, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_LEARNING_RATE, total_steps=config.steps)
    for step in range(1, config.steps + 1):
        model.train()  # whoever evaluated in between may have left another mode
        starts = torch.randint(len(corpus.train) - config.train_length, (BATCH_SIZE, 1), generator=order)
        batch = corpus.train[starts + window]  # (B, T + 1)
        positions = build_positions(config, config.train_length, remaps, training=True)
        scores = model(batch[:, :-1], positions=positions, mask=mask)
        loss = F.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        yield TrainStep(encoding, step, loss.item())
