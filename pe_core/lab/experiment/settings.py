"""What a run of the lab can be told, and what it tells its models: sizes, training, seeds, masks and positions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from pe_core import masks
from pe_core.encodings import ENCODINGS, Shape
from pe_core.lab.experiment.repair import Repair, named
from pe_core.masks import MASKS
from pe_core.parameters import Parameter, Value, require
from pe_core.positions import REMAPS

MAX_ENCODINGS = 8  # of one run: more lines of one picture are not told apart
MAX_REPAIRS = 15  # and one line for the model as it was trained
MULTIPLES = (1, 2, 3, 4, 6, 8)  # evaluated lengths, in training lengths

# A mask under which a token sees those after it cannot be chosen: the model would read what it is to predict.
_MASKS = tuple(key for key, spec in MASKS.items() if not spec.sees_ahead)

PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter("train_length", "Training length", 64, "Characters or symbols seen at once.", 16, 256, 16),
        Parameter("d_model", "Width", 64, "Channels of the model.", 16, 256, 16),
        Parameter("n_heads", "Heads", 4, "Attention heads of each layer.", choices=(1, 2, 4, 8)),
        Parameter("n_layers", "Layers", 2, "Blocks of attention and network.", 1, 6),
        Parameter("steps", "Steps", 400, "Batches to learn from.", 50, 5_000, 50),
        Parameter("batch_size", "Batch size", 16, "Texts that each step learns from.", choices=(8, 16, 32)),
        Parameter(
            "peak_learning_rate",
            "Peak learning rate",
            0.01,
            "Of AdamW, at three tenths of the steps. Wide models and tasks need a lower one.",
            choices=(0.001, 0.003, 0.01, 0.03),
        ),
        Parameter("seed", "Seed", 0, "Start of the random numbers: weights and order of the texts.", 0, 9_999),
        Parameter("n_seeds", "Trainings", 1, "Of each encoding, with this seed and the next ones.", 1, 10),
        Parameter(
            "tune_steps",
            "Fine-tuning",
            0,
            "More steps at the longest length, as trained and under each repair; 0 for none.",
            0,
            500,
            50,
        ),
        Parameter("mask", "Mask", "causal", "Which tokens each one may look at, at any length.", choices=_MASKS),
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
    batch_size: int = 16
    peak_learning_rate: float = 0.01
    seed: int = 0
    n_seeds: int = 1
    tune_steps: int = 0
    mask: str = "causal"
    remap: str = "consecutive"
    repairs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(bool(self.encodings), "encodings", "name at least one", "an empty list")
        n_encodings = len(self.encodings)
        require(n_encodings <= MAX_ENCODINGS, "encodings", f"be at most {MAX_ENCODINGS} in one run", n_encodings)
        for key in self.encodings:
            require(key in ENCODINGS, "encodings", f"be among {', '.join(ENCODINGS)}", key)
        require(len(set(self.encodings)) == len(self.encodings), "encodings", "be different", ", ".join(self.encodings))
        for name, parameter in PARAMETERS.items():
            parameter.check(getattr(self, name))
        PARAMETERS["seed"].check(self.seeds[-1])
        check_positions(self)
        require(len(set(self.repairs)) == len(self.repairs), "repairs", "be different", ", ".join(self.repairs))
        n_repairs = len(self.repairs)
        require(n_repairs <= MAX_REPAIRS, "repairs", f"be at most {MAX_REPAIRS} in one run", n_repairs)
        for name in self.repairs:
            suited = any(named(name).is_for(key) for key in self.encodings)
            require(suited, "repairs", f"suit an encoding of the run ({', '.join(self.encodings)})", name)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that each encoding is trained with."""
        return tuple(range(self.seed, self.seed + self.n_seeds))

    def of_seed(self, seed: int) -> "RunConfig":
        """Return the run of one of its seeds alone."""
        return replace(self, seed=seed, n_seeds=1)

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
        return self.batch_size * self.train_length

    def settings(self) -> dict[str, Value | list[str]]:
        """Return all that decides the result beside the text and the code, ready for JSON."""
        return {**asdict(self), "encodings": list(self.encodings), "repairs": list(self.repairs)}


def parse_config(encodings: Sequence[str], texts: Mapping[str, str], repairs: Sequence[str] = ()) -> RunConfig:
    """Return the configuration that texts by name stand for; `ValueError` names the first that is not allowed."""
    values: dict[str, Any] = {name: PARAMETERS[name].parse(text) for name, text in texts.items()}
    return RunConfig(tuple(encodings), repairs=tuple(repairs), **values)


CONFIG_FIELDS = tuple(field.name for field in fields(RunConfig))


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


def conditions(config: RunConfig, length: int, repair: Repair) -> tuple[Tensor | None, Callable[[], Tensor]]:
    """Return the mask (length, length), None where it is causal, and what tells the positions, (length,).

    They are those of the run, or those of the repair where it changes them.
    """
    generator = torch.Generator().manual_seed(config.seed)
    told = replace(config, remap=repair.remap, repairs=()) if repair.remap else config
    mask = repair.mask(length, config.train_length) if repair.mask else build_mask(config, length)
    return mask, lambda: build_positions(told, length, generator, training=False)


def check_positions(config: RunConfig) -> None:
    """Raise `ValueError` where an encoding cannot take what the run will tell it beyond the training length.

    So a run does not fail in evaluation, after all its training. Positions as they are suit every encoding.
    """
    length = config.lengths[1]
    told = build_positions(config, length, torch.Generator().manual_seed(config.seed), training=False)
    if torch.equal(told, torch.arange(length)):
        return
    alone = replace(config.shape, d_model=config.shape.head_dim, n_heads=1)  # positions are the same for every head
    x = torch.zeros(1, length, alone.d_model)
    heads = x[:, None]
    for key in config.encodings:
        encoding = ENCODINGS[key].build(alone)
        try:
            encoding.embed(x, told)
            encoding.bias(*encoding.rotate(heads, heads, told), told)
        except ValueError as error:
            raise ValueError(f"remap must suit {ENCODINGS[key].title}, got {config.remap}: {error}") from None
