"""What a run of the lab can be told, and what it tells its models: sizes, training, seeds, masks and positions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import torch
from torch import Tensor

from pe_core import masks
from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape
from pe_core.encodings.own import is_own
from pe_core.lab.experiment import layers as by_layer
from pe_core.lab.experiment.repair import Repair, named
from pe_core.masks import MASKS
from pe_core.parameters import Entry, Parameter, Value, require
from pe_core.positions import REMAPS

MAX_ENCODINGS = 8  # of one run: more lines of one picture are not told apart
MAX_REPAIRS = 15  # and one line for the model as it was trained
MULTIPLES = (1, 2, 3, 4, 6, 8)  # evaluated lengths, in training lengths
FARTHER = 16  # one more, of runs that are told so
MAX_LENGTH = 32_768  # tokens of the longest text that is evaluated

# A mask under which a token sees those after it cannot be chosen: the model would read what it is to predict.
_MASKS = tuple(key for key, spec in MASKS.items() if not spec.sees_ahead)


# What most tasks are learned with in place of the defaults, which are those of a text.
FOR_TASKS: dict[str, Value] = {
    "train_length": 16,
    "n_heads": 4,
    "steps": 1_500,
    "batch_size": 32,  # with 16 ALiBi copies 79 % of the digits, not 97, and RoPE adds 88, not 98
    "peak_learning_rate": 0.003,  # with 0.01 RoPE copies 90 % of the digits, not 99, and looks up 78, not 100
}
ENTRIES: dict[str, Mapping[str, Entry]] = {"mask": MASKS, "remap": REMAPS}  # what a setting chooses from


def setting(parameter: Parameter[Value]) -> Any:
    """Return a field of `RunConfig` whose default is that of the parameter."""
    return field(default=parameter.default, metadata={"parameter": parameter})


@dataclass(frozen=True)
class RunConfig:
    """What a run trains: the encodings to compare, one model and training for all, and how they are evaluated.

    Each setting has its home here: label, default, range and help, for pages, links, command lines, files and tables.
    `repairs` are keys of `REPAIRS`, or several joined by +: each trained model is also evaluated with those for it.
    Raises `ValueError` for a value that no size allows, for no encoding, and for one that does not exist.
    """

    encodings: tuple[str, ...] = ("none", "sinusoidal", "rope", "alibi")
    train_length: int = setting(
        Parameter(
            "train_length",
            "Training length",
            64,
            "Characters of a text in training, or most symbols that are read of a task's example.",
            16,
            256,
            16,
        ),
    )
    d_model: int = setting(Parameter("d_model", "Width", 64, "Channels of the model.", 16, 256, 16))
    n_heads: int = setting(Parameter("n_heads", "Heads", 4, "Attention heads of each layer.", choices=(1, 2, 4, 8)))
    n_layers: int = setting(Parameter("n_layers", "Layers", 2, "Blocks of attention and network.", 1, 6))
    steps: int = setting(Parameter("steps", "Steps", 400, "Batches to learn from.", 50, 5_000, 50))
    batch_size: int = setting(
        Parameter("batch_size", "Batch size", 16, "Texts that each step of training learns from.", choices=(8, 16, 32)),
    )
    peak_learning_rate: float = setting(
        Parameter(
            "peak_learning_rate",
            "Peak learning rate",
            0.01,
            "Of AdamW, at three tenths of the steps. A lower one suits wide models and tasks.",
            choices=(0.001, 0.003, 0.01, 0.03),
        ),
    )
    seed: int = setting(
        Parameter(
            "seed", "Seed", 0, "Start of the random numbers: initial parameters and order of the texts.", 0, 9_999
        )
    )
    n_seeds: int = setting(
        Parameter("n_seeds", "Runs per encoding", 1, "Of each encoding, with this seed and the next ones.", 1, 10),
    )
    tune_steps: int = setting(
        Parameter(
            "tune_steps",
            "Fine-tuning",
            0,
            "More steps at the longest length (DroPE: the training length), unchanged and under each repair; 0: none.",
            0,
            500,
            50,
        ),
    )
    mask: str = setting(
        Parameter("mask", "Mask", "causal", "Which tokens each one may look at, at any length.", choices=_MASKS),
    )
    remap: str = setting(
        Parameter(
            "remap",
            "Positions",
            "consecutive",
            "Which positions the models are told: 0, 1, 2 and so on, or others.",
            choices=tuple(REMAPS),
        ),
    )
    layers: str = setting(by_layer.PATTERN)
    repairs: tuple[str, ...] = ()
    max_multiple: int = MULTIPLES[-1]

    def __post_init__(self) -> None:
        require(bool(self.encodings), "encodings", "name at least one", "an empty list")
        n_encodings = len(self.encodings)
        require(n_encodings <= MAX_ENCODINGS, "encodings", f"be at most {MAX_ENCODINGS} in one run", n_encodings)
        for key in self.encodings:
            known = key in ENCODINGS or is_own(key)
            require(known, "encodings", f"be among {', '.join(ENCODINGS)}", key)
        require(len(set(self.encodings)) == len(self.encodings), "encodings", "be different", ", ".join(self.encodings))
        for name, parameter in SIZES[PAPER].items():
            parameter.check(getattr(self, name))
        longest = max(self.lengths)
        require(
            longest <= MAX_LENGTH, "max_multiple", f"lead to texts of at most {MAX_LENGTH:,} tokens", f"{longest:,}"
        )
        PARAMETERS["seed"].check(self.seeds[-1])
        by_layer.check(self.layers, self.n_layers, self.encodings, self.repairs)
        check_own(self)
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
    def multiples(self) -> tuple[int, ...]:
        """The evaluated lengths in training lengths."""
        return tuple(multiple for multiple in (*MULTIPLES, FARTHER) if multiple <= self.max_multiple)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The evaluated lengths in characters, the training length first."""
        return tuple(multiple * self.train_length for multiple in self.multiples)

    @property
    def size(self) -> str:
        """The smallest size whose limits allow all settings: a key of `SIZES`."""
        return SMALL if all(SIZES[SMALL][name].allows(getattr(self, name)) for name in _WIDER) else PAPER

    @property
    def tokens_per_step(self) -> int:
        """Characters that one step learns from."""
        return self.batch_size * self.train_length

    def settings(self) -> dict[str, Value | list[str]]:
        """Return all that decides the result beside the text and the code, ready for JSON.

        Where layers are alike, and nothing is read farther than usual, that is not mentioned.
        """
        settings = {**asdict(self), **{name: list(getattr(self, name)) for name in _LISTS}}
        return {name: one for name, one in settings.items() if name not in _UNSAID or one != _UNSAID[name]}


PARAMETERS: dict[str, Parameter[Value]] = {
    one.name: one.metadata["parameter"] for one in fields(RunConfig) if "parameter" in one.metadata
}
# Those that belong to each model; the others say how many there are, and what is done with them after their training.
OF_MODEL = tuple(name for name in PARAMETERS if name not in ("n_seeds", "tune_steps"))
SMALL, PAPER = "small", "paper"
_WIDER: dict[str, dict[str, Any]] = {
    "train_length": {"maximum": 4_096},  # the longest texts then have 32,768 tokens
    "d_model": {"maximum": 1_024},
    "n_heads": {"choices": (1, 2, 4, 8, 16)},
    "n_layers": {"maximum": 16},
    "steps": {"maximum": 100_000},
    "batch_size": {"choices": (8, 16, 32, 64, 128, 256, 512)},
    "peak_learning_rate": {"choices": (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03)},
    "max_multiple": {"choices": (MULTIPLES[-1], FARTHER)},
}
# What a run may be told, by its size: `small` is what pages and two cores can do, `paper` what a GPU can do.
_SMALL = {
    **PARAMETERS,
    "max_multiple": Parameter(  # no setting of a page, which has but one value of it
        "max_multiple",
        "Longest evaluation",
        MULTIPLES[-1],
        f"Longest texts that are evaluated, in training lengths; at most {MAX_LENGTH:,} tokens.",
        choices=(MULTIPLES[-1],),
    ),
}
SIZES: dict[str, dict[str, Parameter[Value]]] = {
    SMALL: _SMALL,
    PAPER: {name: replace(one, **_WIDER.get(name, {})) for name, one in _SMALL.items()},
}
_LISTS = ("encodings", "repairs")
_UNSAID: dict[str, Value] = {"layers": "", "max_multiple": MULTIPLES[-1]}  # not in files and hashes where they are so


def parse_config(
    encodings: Sequence[str], texts: Mapping[str, str], repairs: Sequence[str] = (), size: str = SMALL
) -> RunConfig:
    """Return the configuration that texts by name stand for; `ValueError` names the first that its size forbids."""
    values: dict[str, Any] = {name: SIZES[size][name].parse(text) for name, text in texts.items()}
    return RunConfig(tuple(encodings), repairs=tuple(repairs), **values)


def read_config(settings: Mapping[str, Any]) -> RunConfig:
    """Return the configuration that `RunConfig.settings` wrote.

    Raises `ValueError` for a value that is not allowed, and `KeyError` for a setting that must be named and is not.
    """
    told = {**_UNSAID, **settings}
    values: dict[str, Any] = {one.name: told[one.name] for one in fields(RunConfig)}
    return RunConfig(**{**values, **{name: tuple(values[name]) for name in _LISTS}})


def build_encoding(config: RunConfig, encoding: str) -> PositionalEncoding:
    """Return the encoding of this key for the models of a run, laid out over their layers."""
    return by_layer.laid_out(ENCODINGS[encoding].build(config.shape), config.layers, config.shape)


def build_mask(config: RunConfig, length: int, device: torch.device | str = "cpu") -> Tensor | None:
    """Return the mask of a run for texts of this length; None where it is causal, for which kernels are faster."""
    if config.mask == PARAMETERS["mask"].default:  # and of a long text is a large matrix
        return None
    mask = MASKS[config.mask].build(length, config.train_length)
    return None if torch.equal(mask, masks.causal(length)) else mask.to(device)


def build_positions(config: RunConfig, length: int, generator: torch.Generator, *, training: bool) -> Tensor:
    """Return the positions that a run tells its models for texts of this length, drawn anew where they are random."""
    return REMAPS[config.remap].build(
        length,
        train_length=config.train_length,
        max_length=max(config.lengths),
        generator=generator,
        training=training,
    )


def conditions(
    config: RunConfig,
    length: int,
    repair: Repair,
    device: torch.device | str = "cpu",
    generator: torch.Generator | None = None,
) -> tuple[Tensor | None, Callable[[], Tensor]]:
    """Return the mask (length, length), None where it is causal, and what tells the positions, (length,).

    They are those of the run, or those of the repair where it changes them. Both are on the device, but positions are
    drawn on the CPU, so that every device gets the same ones: by the generator, else from the seed of the run.
    """
    drawing = generator or torch.Generator().manual_seed(config.seed)
    told = replace(config, remap=repair.remap, repairs=()) if repair.remap else config
    own = repair.mask(length, config.train_length).to(device) if repair.mask else None
    mask = build_mask(config, length, device) if own is None else own
    return mask, lambda: build_positions(told, length, drawing, training=False).to(device)


def check_own(config: RunConfig) -> None:
    """Raise `ValueError` where an own encoding is none, or is not finite at some positions of the longest text.

    These are the first ones and the ends of what is evaluated, so that a formula that explodes does so before the
    training. Other positions are met in it.
    """
    positions = torch.tensor(sorted({*range(16), *(length - 1 for length in config.lengths)}))
    shape, n = config.shape, len(positions)
    heads = torch.zeros(1, shape.n_heads, n, shape.head_dim)
    for key in (key for key in config.encodings if key not in ENCODINGS):
        encoding = ENCODINGS[key].build(shape)
        encoding.embed(torch.zeros(1, n, shape.d_model), positions)
        encoding.bias(*encoding.rotate(heads, heads, positions), positions)


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
    heads, last = x[:, None], x[:, None, -1:]  # one query: scores of all would be a matrix of any size
    for key in config.encodings:
        encoding = by_layer.laid_out(ENCODINGS[key].build(alone), config.layers, alone)
        try:
            encoding.embed(x, told)
            for own in map(encoding.at_layer, range(config.n_layers)):
                own.bias(*own.rotate(last, heads, told), told)
        except ValueError as error:
            raise ValueError(f"remap must suit {ENCODINGS[key].title}, got {config.remap}: {error}") from None
