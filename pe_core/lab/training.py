"""Training: a frozen configuration, and a generator that yields one `TrainStep` after the other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from pe_core import masks
from pe_core.encodings import ENCODINGS, Shape
from pe_core.lab.examples import Material
from pe_core.lab.learning import learn, scheduled
from pe_core.lab.model import Transformer
from pe_core.lab.repair import Repair, named
from pe_core.lab.settings import MOST_ENCODINGS, MOST_REPAIRS, MULTIPLES, PARAMETERS
from pe_core.masks import MASKS
from pe_core.parameters import Value, require
from pe_core.positions import REMAPS


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
        require(n_encodings <= MOST_ENCODINGS, "encodings", f"be at most {MOST_ENCODINGS} in one run", n_encodings)
        for key in self.encodings:
            require(key in ENCODINGS, "encodings", f"be among {', '.join(ENCODINGS)}", key)
        require(len(set(self.encodings)) == len(self.encodings), "encodings", "be different", ", ".join(self.encodings))
        for name, parameter in PARAMETERS.items():
            parameter.check(getattr(self, name))
        PARAMETERS["seed"].check(self.seeds[-1])
        check_positions(self)
        require(len(set(self.repairs)) == len(self.repairs), "repairs", "be different", ", ".join(self.repairs))
        n_repairs = len(self.repairs)
        require(n_repairs <= MOST_REPAIRS, "repairs", f"be at most {MOST_REPAIRS} in one run", n_repairs)
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


@dataclass(frozen=True)
class TrainStep:
    """One step of training: whose model, the step from 1, and the loss of its batch in nats per character."""

    encoding: str
    step: int
    loss: float


def build_model(config: RunConfig, encoding: str, material: Material) -> Transformer:
    """Return the untrained model of an encoding; what encodings share starts the same for all of them."""
    generator = torch.Generator().manual_seed(config.seed)
    built = ENCODINGS[encoding].build(config.shape)
    return Transformer(len(material.symbols), config.shape, config.n_layers, built, generator=generator)


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


def train(model: Transformer, encoding: str, material: Material, config: RunConfig) -> Iterator[TrainStep]:
    """Train `model` in place and yield a `TrainStep` after each step; the same seed gives the same batches."""
    order = torch.Generator().manual_seed(config.seed)
    remaps = torch.Generator().manual_seed(config.seed)  # of their own: every remap trains on the same batches
    mask = build_mask(config, config.train_length)
    optimiser, schedule = scheduled(model.parameters(), config.peak_learning_rate, config.steps)
    for step in range(1, config.steps + 1):
        examples = material.draw(config.batch_size, config.train_length, order)
        positions = build_positions(config, config.train_length, remaps, training=True)
        loss = learn(model, examples, positions, mask, optimiser)
        schedule.step()
        yield TrainStep(encoding, step, loss)
