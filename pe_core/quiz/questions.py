"""Questions with numbers, drawn from a seed and answered by computation: what one is, and all of them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from typing import TypeVar

import torch
from torch import Tensor

from pe_core import masks
from pe_core.encodings import alibi, binary, index, mrope, rotary, sinusoidal, t5
from pe_core.measures.channels import channel, unfinished
from pe_core.measures.jumps import hamming_steps
from pe_core.measures.masked import through_layers
from pe_core.parameters import quoted, require
from pe_core.positions import interpolated
from pe_core.quiz import own_table
from pe_core.rope_scaling.ntk import ntk
from pe_core.rope_scaling.yarn import yarn

T = TypeVar("T")

WIDTHS = (8, 16, 32, 64, 128)
BASES = (100, 1_000, 10_000, 100_000)
OF_COSINES = "own_exponent"  # the mistake that leaves sines as they are
HEAD_DIMS = (16, 32, 64, 128)
ROTARY_BASES = (100, 1_000, 10_000, 500_000)
MAX_BUCKETED = 100  # nearer than where T5's last bucket begins: that one has no end to be named
TRAIN_LENGTH = 4_096  # cancels out of NTK's base and YaRN's temperature, which know the factor only


@dataclass(frozen=True)
class Tolerance:
    """How far an answer may be from the computed one: by so much, or by such a fraction of it."""

    absolute: float = 0.0
    relative: float = 0.0

    def allows(self, answer: float, computed: float) -> bool:
        """Return whether the answer is near enough."""
        return abs(answer - computed) <= self.absolute + self.relative * abs(computed)


BARE = (0.0, 1.0, -1.0)  # what is guessed without any thought
WHOLE = Tolerance(absolute=1e-9)  # a number that is counted
PERCENT = Tolerance(relative=0.01)
HUNDREDTH = Tolerance(absolute=0.01)
TENTH = Tolerance(absolute=0.1)


@dataclass(frozen=True)
class QuizQuestion:
    """The numbers of a question and of its answer; `given` are also the arguments of the picture that goes with it."""

    given: Mapping[str, int]
    answer: float
    steps: Mapping[str, float | str] = field(default_factory=dict)  # numbers on the way, for the explanation


@dataclass(frozen=True)
class QuestionSpec:
    """A kind of question: a maker that draws the numbers and has `pe_core` compute the answer."""

    title: str
    make: Callable[[torch.Generator], QuizQuestion]
    tolerance: Tolerance

    def ask(self, seed: int) -> QuizQuestion:
        """Return the question of that number: the same one each time."""
        generator = torch.Generator().manual_seed(seed)
        asked = self.make(generator)
        while any(self.tolerance.allows(guess, asked.answer) for guess in BARE):
            asked = self.make(generator)
        return asked

    def solved(self, asked: QuizQuestion) -> QuizQuestion:
        """Return another question of this kind, to be shown with its answer: the first with other numbers."""
        seed = 0
        while self.ask(seed).given == asked.given:
            seed += 1
        return self.ask(seed)


def whole(minimum: int, maximum: int, generator: torch.Generator) -> int:
    """Return a whole number from `minimum` to `maximum`, both included."""
    return int(torch.randint(minimum, maximum + 1, (1,), generator=generator))


def one_of(choices: Sequence[T], generator: torch.Generator) -> T:
    """Return one of the choices."""
    return choices[whole(0, len(choices) - 1, generator)]


def number_in(text: str) -> float:
    """Return the number that a text stands for, written as 0.25, 2.5e-1 or 1/4; `ValueError` if it is none."""
    parts = text.replace("−", "-").split("/")
    value = float("nan")
    if len(parts) <= 2 and "_" not in text:
        with suppress(ValueError, ZeroDivisionError):
            value = float(parts[0]) / (float(parts[1]) if len(parts) == 2 else 1.0)
    require(isfinite(value), "answer", "be a number such as 0.25, 2.5e-1 or 1/4", quoted(text))
    return value


def wavelength(generator: torch.Generator) -> QuizQuestion:
    """Ask for the wavelength of one pair of the sinusoid, in positions."""
    width, base = one_of(WIDTHS, generator), one_of(BASES, generator)
    pair = whole(1, width // 2 - 1, generator)
    frequency = sinusoidal.frequencies(width, base)[pair]
    answer = float(sinusoidal.wavelengths(frequency))
    return QuizQuestion({"width": width, "base": base, "pair": pair}, answer, {"frequency": float(frequency)})


def component(generator: torch.Generator) -> QuizQuestion:
    """Ask for one number of the sinusoidal table, in which common mistakes show."""
    answer, mistaken = 0.0, [0.0]
    while any(HUNDREDTH.allows(value, answer) for value in mistaken):
        width, base = one_of(WIDTHS[:3], generator), one_of(BASES, generator)
        position, column = whole(1, 50, generator), whole(2, width - 1, generator)  # the first pair suits any base
        answer = float(own_table.right(position + 1, width, base)[position, column])
        mistaken = [
            float(table[position, column])
            for name, table in own_table.mistakes(position + 1, width, base).items()
            if column % 2 or name != OF_COSINES
        ]
    found = channel(column, width, base)
    steps = {
        "pair": found.pair,
        "wave": found.wave,
        "frequency": found.frequency,
        "angle": float(sinusoidal.angles(torch.tensor([position]), torch.tensor([found.frequency]).double())),
    }
    return QuizQuestion({"position": position, "column": column, "width": width, "base": base}, answer, steps)


def norm(generator: torch.Generator) -> QuizQuestion:
    """Ask for the length of a row of the sinusoidal table."""
    width, position = 2 * whole(2, 40, generator), whole(1, 60, generator)
    row = sinusoidal.table(torch.tensor([position]), width, dtype=torch.float64)
    steps = {"pairs": len(sinusoidal.frequencies(width))}
    return QuizQuestion({"width": width, "position": position}, float(row.norm()), steps)


def neighbour_bits(generator: torch.Generator) -> QuizQuestion:
    """Ask in how many bits a position and the next one differ."""
    position = 2 * whole(0, 62, generator) + 1  # after an even one only the lowest bit flips
    codes = binary.table(torch.tensor([position, position + 1]), binary.bits_for(position + 2))
    here, there = ("".join(str(int(bit)) for bit in code.flip(0)) for code in codes)
    return QuizQuestion({"position": position}, float(hamming_steps(codes)), {"here": here, "there": there})


def normalised_step(generator: torch.Generator) -> QuizQuestion:
    """Ask how far apart two neighbours are when the index is divided by the last one."""
    length = whole(3, 80, generator)
    told = index.table(torch.arange(length), normalise=True, dtype=torch.float64)[:, 0]
    return QuizQuestion({"length": length}, float(told[1] - told[0]), {"last": length - 1})


def alibi_slope(generator: torch.Generator) -> QuizQuestion:
    """Ask for the slope of one of ALiBi's heads; the first one is number 1, as in the paper."""
    n_heads = one_of((2, 4, 8, 16), generator)
    head = whole(1, n_heads, generator)
    return QuizQuestion({"n_heads": n_heads, "head": head}, float(alibi.slopes(n_heads)[head - 1]))


def t5_bucket(generator: torch.Generator) -> QuizQuestion:
    """Ask which of T5's buckets a distance falls into."""
    n_buckets, max_distance = 32, 128
    distance = whole(2, MAX_BUCKETED, generator)
    buckets = t5.bucket(-torch.arange(max_distance), n_buckets=n_buckets, max_distance=max_distance)
    alike = (buckets == buckets[distance]).nonzero().flatten()
    steps = {"exact": n_buckets // 2, "nearest": int(alike[0]), "farthest": int(alike[-1])}
    given = {"distance": distance, "n_buckets": n_buckets, "max_distance": max_distance}
    return QuizQuestion(given, float(buckets[distance]), steps)


def rope_angle(generator: torch.Generator) -> QuizQuestion:
    """Ask by what angle RoPE turns query and key against each other, in radians."""
    head_dim, base = one_of(HEAD_DIMS, generator), one_of(ROTARY_BASES, generator)
    pair, distance = whole(0, head_dim // 4, generator), whole(1, 60, generator)
    frequencies = rotary.frequencies(head_dim, base)
    angle = sinusoidal.angles(torch.tensor([distance]), frequencies)[0, pair]
    given = {"head_dim": head_dim, "base": base, "pair": pair, "distance": distance}
    return QuizQuestion(given, float(angle), {"frequency": float(frequencies[pair])})


def unfinished_pairs(generator: torch.Generator) -> QuizQuestion:
    """Ask how many pairs of RoPE never complete a turn in training."""
    head_dim, base = one_of(HEAD_DIMS, generator), one_of(ROTARY_BASES, generator)
    train_length = one_of((64, 128, 512, 1_024, 2_048, 4_096), generator)
    frequencies = rotary.frequencies(head_dim, base)
    steps = {
        "pairs": len(frequencies),
        "growth": float(frequencies[0] / frequencies[1]),
        "slowest": float(sinusoidal.wavelengths(frequencies)[-1]),
    }
    given = {"head_dim": head_dim, "base": base, "train_length": train_length}
    return QuizQuestion(given, float(unfinished(frequencies, train_length)), steps)


def window_keys(generator: torch.Generator) -> QuizQuestion:
    """Ask how many keys a query sees through a window, itself included, with sinks."""
    query, window, n_sinks = whole(0, 60, generator), whole(2, 24, generator), whole(1, 4, generator)
    seen = masks.sinks(query + 1, window, n_sinks)[query]
    near = int(masks.sliding_window(query + 1, window)[query].sum())
    answer = int(seen.sum())
    given = {"query": query, "window": window, "n_sinks": n_sinks}
    return QuizQuestion(given, float(answer), {"near": near, "first": answer - near})


def reach(generator: torch.Generator) -> QuizQuestion:
    """Ask how far back a stack of layers hears with a window: the farthest token that can change an output."""
    n_layers, window = whole(2, 8, generator), whole(3, 16, generator)
    tokens = farthest(n_layers, window)
    return QuizQuestion({"n_layers": n_layers, "window": window}, float(tokens[-1]), {"one": int(tokens[1])})


def farthest(n_layers: int, window: int) -> Tensor:
    """Return how many tokens back the last query hears after 0, 1 .. N layers of a window, int64, shape (N + 1,)."""
    mask = masks.sliding_window(n_layers * window + 1, window)
    heard = through_layers([mask] * n_layers)[:, -1]  # by the last query
    return len(mask) - 1 - heard.long().argmax(dim=-1)


def ntk_base(generator: torch.Generator) -> QuizQuestion:
    """Ask for the base that NTK-aware scaling puts in place of the old one."""
    head_dim, base = one_of((32, 64, 128), generator), one_of((10_000, 500_000), generator)
    factor = whole(2, 16, generator)
    given = {"head_dim": head_dim, "base": base, "factor": factor}
    return QuizQuestion(given, new_base(head_dim, base, factor), {"exponent": head_dim / (head_dim - 2)})


def new_base(head_dim: int, base: float, factor: float) -> float:
    """Return the base whose frequencies NTK-aware scaling yields for a text `factor` times as long as in training."""
    scaled = ntk(rotary.frequencies(head_dim, base), base=base, train_length=TRAIN_LENGTH, scale=factor)
    return float(scaled.frequencies[1] ** (-head_dim / 2))


def interpolated_position(generator: torch.Generator) -> QuizQuestion:
    """Ask what position a token is told under position interpolation."""
    train_length = one_of((64, 128, 512), generator)
    length = train_length * whole(2, 8, generator)
    position = whole(1, length - 1, generator)
    told = interpolated(torch.tensor([position]), length, train_length)
    given = {"position": position, "length": length, "train_length": train_length}
    return QuizQuestion(given, float(told), {"factor": length / train_length})


def id_after_image(generator: torch.Generator) -> QuizQuestion:
    """Ask for the id of the first word after an image in M-RoPE; ids start from 0."""
    words, height, width = whole(2, 12, generator), whole(2, 9, generator), whole(2, 9, generator)
    ids = mrope.position_ids([mrope.Text(words), mrope.Image(height, width), mrope.Text(1)])
    steps = {"start": int(ids[words, 0]), "max_id": int(ids[:-1].max()), "patches": height * width}
    return QuizQuestion({"words": words, "height": height, "width": width}, float(ids[-1, 0]), steps)


def yarn_temperature(generator: torch.Generator) -> QuizQuestion:
    """Ask for the temperature that YaRN divides the scores by."""
    factor = whole(2, 64, generator)
    answer = temperature(factor)
    return QuizQuestion({"factor": factor}, answer, {"root": answer**-0.5})


def temperature(factor: float) -> float:
    """Return YaRN's temperature for a text `factor` times as long as those of training."""
    return yarn(rotary.frequencies(64), base=10_000.0, train_length=TRAIN_LENGTH, scale=factor).temperature


QUESTIONS: dict[str, QuestionSpec] = {
    "wavelength": QuestionSpec("Wavelength of a pair", wavelength, PERCENT),
    "component": QuestionSpec("A number of the sinusoidal table", component, HUNDREDTH),
    "norm": QuestionSpec("Length of a sinusoidal vector", norm, PERCENT),
    "neighbour_bits": QuestionSpec("Bits that flip", neighbour_bits, WHOLE),
    "normalised_step": QuestionSpec("Step of the normalised index", normalised_step, PERCENT),
    "rope_angle": QuestionSpec("Angle of RoPE", rope_angle, PERCENT),
    "unfinished_pairs": QuestionSpec("Pairs that never complete a turn", unfinished_pairs, WHOLE),
    "alibi_slope": QuestionSpec("Slope of ALiBi", alibi_slope, PERCENT),
    "t5_bucket": QuestionSpec("Bucket of T5", t5_bucket, WHOLE),
    "window_keys": QuestionSpec("Keys in a window", window_keys, WHOLE),
    "reach": QuestionSpec("Reach of a stack of layers", reach, WHOLE),
    "interpolated_position": QuestionSpec("Interpolated position", interpolated_position, TENTH),
    "ntk_base": QuestionSpec("New base of NTK-aware scaling", ntk_base, PERCENT),
    "yarn_temperature": QuestionSpec("Temperature of YaRN", yarn_temperature, PERCENT),
    "id_after_image": QuestionSpec("Id after an image", id_after_image, WHOLE),
}


def kind_of(seed: int) -> str:
    """Return the key of the kind that question number `seed` is of where all kinds are asked: they come in turn."""
    return list(QUESTIONS)[seed % len(QUESTIONS)]
