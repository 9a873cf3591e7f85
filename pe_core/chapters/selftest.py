"""The self-test: a picture for each kind of question from the numbers that it gives, and a table of one's own."""

from collections.abc import Callable, Mapping, Sequence
from random import randrange
from urllib.parse import parse_qs

import torch
from torch import Tensor

from pe_core import masks
from pe_core.chapters.mend import judged_numbers
from pe_core.chapters.wording import number
from pe_core.encodings import alibi, binary, index, mrope, rotary, sinusoidal, t5
from pe_core.figures import points
from pe_core.figures.curves import POWERS, Y, across, answer, curves, layered, series, upwards
from pe_core.figures.figure import Figure
from pe_core.figures.heatmap import heatmap, limit_of
from pe_core.measures.channels import channel, unfinished
from pe_core.measures.jumps import hamming_steps
from pe_core.parameters import Choice, Parameter
from pe_core.positions import interpolated
from pe_core.quiz import own_table, questions
from pe_core.quiz.questions import HUNDREDTH, PERCENT, QUESTIONS, TENTH, WHOLE, QuizQuestion, kind_of
from pe_core.wrapping import spelt

N_POSITIONS = 64  # that the pictures show, where the question names no length
N_BETWEEN = 10  # samples of a wave between two positions
MAX_LAYERS = 8
MAX_POSITION = 127
MAX_SEED = 9_999
HEAD_DIM, LLAMA_BASE, TRAIN_LENGTH = 128, 10_000, 4_096  # of Llama 2, in the interview
IMAGE_SIDE = 14  # patches of an image, as the language model sees it

ALL = "all"
TOPIC = Choice(
    "self_topic", "Topic", {ALL: "All, in turn", **{key: spec.title for key, spec in QUESTIONS.items()}}, ALL
)
SEED = Parameter("self_seed", "Question number", 1, "The same number gives the same question again.", 0, MAX_SEED)
PRECISION = {WHOLE: "precise-whole", PERCENT: "precise-percent", HUNDREDTH: "precise-hundredth", TENTH: "precise-tenth"}

OWN = "own"
TABLE = Choice(
    "self_table",
    "Table to check",
    {
        "own_exponent": "Mistake: channel number in the exponent",
        "no_two": "Mistake: i in place of 2i",
        "twice": "Mistake: twice the channel in the exponent",
        "upwards": "Mistake: exponent without the minus",
        "no_base": "Mistake: no base",
        "cosine_first": "Mistake: cosine first",
        "halves": "Mistake: all sines, then all cosines",
        "degrees": "Mistake: angles in degrees",
        "from_one": "Mistake: positions from 1",
        OWN: "My own numbers",
    },
    "own_exponent",
)
LENGTH = Parameter("self_length", "Number of positions", 6, "Rows of the table, from position 0 on.", 2, 32)
WIDTH = Parameter("self_width", "Width", 8, "Channels of the table.", 2, 32, 2)
BASE = Parameter("self_base", "Base", 10_000, "Base of the frequencies.", choices=(10, 100, 1_000, 10_000, 100_000))


def kind(topic: str, seed: int) -> str:
    """Return the kind of question that is asked: that of the topic; where all are asked, they come in turn."""
    return kind_of(seed) if topic == ALL else topic


def another(seed: int) -> int:
    """Return the number of a question of the next kind that nobody knows before."""
    kinds = len(QUESTIONS)
    return (seed + 1) % kinds + kinds * randrange((MAX_SEED + 1) // kinds)


def said_of(question: QuizQuestion) -> dict[str, str]:
    """Return what the texts of a question say: its numbers, those on the way, and the answer."""
    values = {**question.given, **question.steps, "answer": question.answer}
    return {name: value if isinstance(value, str) else _plain(value) for name, value in values.items()}


def _plain(value: float) -> str:
    """Return a number for a formula: without commas, which LaTeX would set as a list."""
    return spelt(int(value), "") if float(value).is_integer() else number(value).replace(",", "")


def ways(lines: str) -> list[tuple[str, str, dict[str, list[str]]]]:
    """Return the ways that lines `page | label | name=value&name=value` name: page, label, parameters of the link."""
    parts = [[part.strip() for part in line.split("|")] for line in lines.splitlines()]
    return [(page, label, parse_qs(link)) for page, label, link in parts]


def wavelength(width: int, base: float, pair: int) -> Figure:
    """Return the wavelengths of all pairs of a sinusoid, with one marked."""
    lengths = sinusoidal.wavelengths(sinusoidal.frequencies(width, base))
    y = upwards("Wavelength (positions)", log=True, ticks=POWERS)
    return _answered(torch.arange(len(lengths)), {"all pairs": lengths}, pair, "Pair", y, dots=True)


def component(position: int, column: int, width: int, base: float) -> Figure:
    """Return the wave that one column of the sinusoidal table follows, read at a position."""
    between = torch.linspace(0, N_POSITIONS, N_POSITIONS * N_BETWEEN + 1, dtype=torch.float64)
    values = channel(column, width, base).values(between)
    words = f"position {position}: {spelt(float(values[position * N_BETWEEN]), '.4f')}"
    return _answered(between, {"this channel": values}, position, "Position", upwards("Value"), words=words)


def norm(width: int, position: int) -> Figure:
    """Return the length of each row of the sinusoidal table, with one marked."""
    rows = sinusoidal.table(torch.arange(N_POSITIONS), width, dtype=torch.float64)
    y = upwards("Length of the vector")
    return _answered(torch.arange(N_POSITIONS), {"all positions": rows.norm(dim=-1)}, position, "Position", y)


def neighbour_bits(position: int) -> Figure:
    """Return how many bits flip from each position to the next, with one marked."""
    codes = binary.table(torch.arange(MAX_POSITION + 2), binary.bits_for(MAX_POSITION + 2))
    steps, y = {"all positions": hamming_steps(codes)}, upwards("Bits that flip to the next position")
    return _answered(torch.arange(MAX_POSITION + 1), steps, position, "Position", y, dots=True)


def normalised_step(length: int) -> Figure:
    """Return the step between neighbours under the normalised index by the length of the text, one length marked."""
    lengths = torch.arange(2, MAX_POSITION + 2)
    told = [index.table(torch.arange(int(n)), normalise=True, dtype=torch.float64)[1, 0] for n in lengths]
    y = upwards("Step between neighbours", log=True, ticks=POWERS)
    return _answered(lengths, {"all lengths": torch.stack(told)}, length, "Length of the text", y)


def rope_angle(head_dim: int, base: float, pair: int, distance: int) -> Figure:
    """Return the angle between the turned query and key of one pair by distance, one distance marked."""
    distances = torch.arange(N_POSITIONS)
    angles = sinusoidal.angles(distances, rotary.frequencies(head_dim, base))[:, pair]
    return _answered(distances, {"this pair": angles}, distance, "Distance", upwards("Angle (rad)"))


def unfinished_pairs(head_dim: int, base: float, train_length: int) -> Figure:
    """Return the wavelengths of the pairs of RoPE, with a line at the training length."""
    return points.wavelengths(rotary.frequencies(head_dim, base), train_length)


def alibi_slope(n_heads: int, head: int) -> Figure:
    """Return the slopes of all heads of ALiBi, with one marked; heads count from 1."""
    y = upwards("Slope", log=True, ticks=POWERS)
    return _answered(torch.arange(1, n_heads + 1), {"all heads": alibi.slopes(n_heads)}, head, "Head", y, dots=True)


def t5_bucket(distance: int, n_buckets: int, max_distance: int) -> Figure:
    """Return T5's bucket of each distance, with one marked."""
    distances = torch.arange(max_distance + 17)
    buckets = t5.bucket(-distances, n_buckets=n_buckets, max_distance=max_distance)
    return _answered(distances, {"all distances": buckets}, distance, "Distance", upwards("Bucket"), dots=True)


def window_keys(query: int, window: int, n_sinks: int) -> Figure:
    """Return how many keys each query sees, with all before it and through a window with sinks, one marked."""
    queries = torch.arange(N_POSITIONS)
    seen = masks.sinks(N_POSITIONS, window, n_sinks).sum(dim=-1)
    named = {"window and sinks": seen, "no window": masks.causal(N_POSITIONS).sum(dim=-1)}
    return _answered(queries, named, query, "Query", upwards("Keys that it sees"), dots=True)


def reach(n_layers: int, window: int) -> Figure:
    """Return how far back stacks of layers hear through a window, one of them marked."""
    tokens = questions.farthest(MAX_LAYERS, window)
    y = upwards("Tokens back")
    return _answered(torch.arange(MAX_LAYERS + 1), {"this window": tokens}, n_layers, "Layers", y, dots=True)


def interpolated_position(position: int, length: int, train_length: int) -> Figure:
    """Return the position that each token is told under interpolation, with one marked."""
    tokens = torch.arange(length)
    named = {"interpolated": interpolated(tokens, length, train_length), "not interpolated": tokens.double()}
    return _answered(tokens, named, position, "Token", upwards("Position that it gets"))


def ntk_base(head_dim: int, base: float, factor: int) -> Figure:
    """Return the base of NTK-aware scaling by factor, with one marked."""
    factors = torch.arange(1, 17)
    bases = torch.tensor([questions.new_base(head_dim, base, int(one)) for one in factors], dtype=torch.float64)
    y = upwards("Base", log=True, ticks=POWERS)
    return _answered(factors, {"all factors": bases}, factor, "Factor", y, dots=True)


def yarn_temperature(factor: int) -> Figure:
    """Return the temperature of YaRN by factor, with one marked."""
    factors = torch.arange(1, 65)
    values = torch.tensor([questions.temperature(int(one)) for one in factors], dtype=torch.float64)
    return _answered(factors, {"all factors": values}, factor, "Factor", upwards("Temperature t"), dots=True)


def id_after_image(words: int, height: int, width: int) -> Figure:
    """Return the three ids of every token of words, an image and words, the first word after the image marked."""
    ids = mrope.position_ids([mrope.Text(words), mrope.Image(height, width), mrope.Text(6)])
    named = {name: ids[:, axis] for axis, name in enumerate(("time", "height", "width"))}
    return _answered(torch.arange(len(ids)), named, words + height * width, "Token", upwards("Id"), dots=True)


def common_mistake(name: str, length: int, width: int, base: float) -> Figure:
    """Return by how much the table that a common mistake makes differs from the right one."""
    return own_numbers(own_table.mistakes(length, width, base)[name].flatten().tolist(), length, width, base)


def own_numbers(numbers: Sequence[float], length: int, width: int, base: float) -> Figure:
    """Return where numbers, row by row, differ from the right table; `ValueError` if they are too many or too few."""
    table = own_table.checked(numbers, length, width, base)
    limit = max(1.0, limit_of(table.difference))
    figure = heatmap(table.difference, rows="Position", columns="Channel", title="Table minus right one", limit=limit)
    return figure.with_facts(judged_numbers(table, "table"))


def _answered(
    where: Tensor, named: Mapping[str, Tensor], at: int, x: str, y: Y, *, dots: bool = False, words: str = ""
) -> Figure:
    """Return lines with the answer of the first one at a place, marked by its number or by these words."""
    height = float(next(iter(named.values()))[where == at])
    words = words or f"{x.split()[0].lower()} {at}: {number(height)}"
    rows = series(where, named)
    return layered(curves(rows, across(x), y, dots=dots), answer(rows, at, height, words))


DRAWN: dict[str, Callable[..., Figure]] = {
    draw.__name__: draw
    for draw in (
        wavelength,
        component,
        norm,
        neighbour_bits,
        normalised_step,
        rope_angle,
        unfinished_pairs,
        alibi_slope,
        t5_bucket,
        window_keys,
        reach,
        interpolated_position,
        ntk_base,
        yarn_temperature,
        id_after_image,
    )
}


def interview_numbers() -> dict[str, float | str]:
    """Return the numbers that the answers of the interview name."""
    frequencies = rotary.frequencies(HEAD_DIM, LLAMA_BASE)
    image = mrope.position_ids([mrope.Image(IMAGE_SIDE, IMAGE_SIDE), mrope.Text(1)])
    row = sinusoidal.table(torch.tensor([1]), 4, dtype=torch.float64)[0]
    return {
        "head_dim": HEAD_DIM,
        "base": LLAMA_BASE,
        "train": TRAIN_LENGTH,
        "pairs": len(frequencies),
        "unfinished": unfinished(frequencies, TRAIN_LENGTH),
        "row": ", ".join(f"{value:.4f}" for value in row.tolist()),
        "side": IMAGE_SIDE,
        "patches": IMAGE_SIDE * IMAGE_SIDE,
        "taken": int(image[-1, 0]),
    }
