"""Home's story in six pictures that move by themselves: why order matters, and what was tried one after the other.

A picture is a sheet of marks with the values that they go through. The browser draws the marks as they stand here and
computes nothing: between two values it goes in a straight line (`ui/moving.js`). All are kept in a file, so that Home
needs no library for them. `python -m pe_core.chapters.story` makes it again.
"""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from pe_core.chapters import home
from pe_core.figures.looks.palette import PINNED
from pe_core.files import KEPT_RUNS, write_whole

if TYPE_CHECKING:  # a page that draws the kept pictures does without
    from torch import Tensor

KEPT = KEPT_RUNS / "home_story.json"
CHAPTERS: Mapping[str, str] = {
    "order": "why_position",
    "counting": "counting",
    "binary": "binary_vs_sinusoid",
    "sinusoid": "sinusoidal",
    "rotation": "rope",
    "longer": "extension",
}

SENTENCE, SWAPPED = ("dog", "bites", "man"), (2, 1, 0)
SAME = 1e-9  # float64: an output that has moved by less has not changed
N_BARS = 8  # channels of an output that are drawn
TRAINED, COUNTED, WIDTH = 64, 128, 64  # positions of training and of the picture; channels of a token
N_BITS = 4
WAVES, WAVE_POSITIONS = 2 * N_BITS, 32  # channels; each wave twice as long as the one before
SMOOTH = 4  # points of a wave from one position to the next, so that no corner is seen
ROPE_WIDTH, ROPE_BASE, QUERY, KEY, MOVED = 6, 100.0, 5, 2, 40
SLOW_PAIR, READER_WIDTH, READER_BASE = 4, 16, 10_000.0  # of the models whose losses are drawn
DRAWN = 4  # every so many positions, the losses are drawn
RADIUS = 62.0
HEIGHT = 200  # of the sheet, in units of its own
SHEET = 480, HEIGHT
LEFT, RIGHT, TOP, BOTTOM = 24, 456, 20, 176  # of what is drawn over positions


# An element of SVG: its `tag`, its `look`, a class of `ui/moving.css`, what of it is `fixed`, what is `moving`, and its
# `words` in English; what is empty is left out. Each list of `moving` is gone through from its first value to its last
# while the picture plays; numbers are met in between, texts are not.
Mark = dict[str, Any]


def mark(
    tag: str,
    look: str,
    fixed: Mapping[str, float | str] | None = None,
    moving: Mapping[str, Sequence[float]] | None = None,
    words: str = "",
) -> Mark:
    """Return an element of SVG without what is empty."""
    said = {"fixed": fixed, "moving": moving, "words": words}
    return {"tag": tag, "look": look, **{name: value for name, value in said.items() if value}}


@dataclass(frozen=True)
class MovingPicture:
    """A picture, how many seconds it moves, what its steps count and are called, its marks, and facts about it."""

    seconds: float
    counts: str
    steps: Sequence[str]
    marks: Sequence[Mark]
    facts: Mapping[str, float | str]


def between(values: Iterable[float], ends: tuple[float, float], sheet: tuple[float, float]) -> list[float]:
    """Return where values stand on the sheet, if `ends` stand at the places `sheet`."""
    (low, high), (first, last) = ends, sheet
    return [first + (value - low) / (high - low) * (last - first) for value in values]


def drawn(x: Sequence[float], y: Sequence[float], look: str, colour: str = "", every: int = 1) -> Mark:
    """Return a line through points that is drawn from the first to the last, `every` so many points at each step."""
    gone = list(accumulate((math.dist(*ends) for ends in pairwise(zip(x, y, strict=True))), initial=0.0))
    points = "L".join(f"{one:.1f},{other:.1f}" for one, other in zip(x, y, strict=True))
    fixed: dict[str, float | str] = {"d": f"M{points}", "pathLength": 1, "stroke-dasharray": 1}
    if colour:
        fixed["stroke"] = colour
    return mark("path", f"line {look}", fixed, {"stroke-dashoffset": [1 - one / gone[-1] for one in gone[::every]]})


def shown_from(shown: Mark, step: int, n_steps: int) -> Mark:
    """Return a mark that stays where it is, and is not there before a step of so many."""
    return {**shown, "moving": {"opacity": [float(at >= step) for at in range(n_steps)]}}


def words(text: str, x: float, y: float, look: str = "label") -> Mark:
    """Return words at a place."""
    return mark("text", look, {"x": x, "y": y}, words=text)


@cache
def kept() -> Mapping[str, MovingPicture]:
    """Return the pictures that come with the project, in the order of the story."""
    return {name: MovingPicture(**one) for name, one in json.loads(KEPT.read_text(encoding="utf-8")).items()}


def to_json(pictures: Mapping[str, MovingPicture]) -> str:
    """Return the file: a line for each picture, marks with three decimals."""
    lines = []
    for name, one in pictures.items():
        marks = json.loads(json.dumps(one.marks), parse_float=lambda digits: round(float(digits), 3))
        lines.append(f"{json.dumps(name)}: {json.dumps({**vars(one), 'marks': marks}, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def made() -> dict[str, MovingPicture]:
    """Compute the pictures, in the order of the story."""
    draws = order_matters, counting, bits, waves, rotation, past_training
    return {name: draw() for name, draw in zip(CHAPTERS, draws, strict=True)}


def order_matters() -> MovingPicture:
    """Return the outputs of attention for three words, without and with positions, while two words trade places."""
    # Not for the page, here and below: these load torch.
    import torch

    from pe_core.encodings import PositionalEncoding
    from pe_core.encodings.sinusoidal import Sinusoidal
    from pe_core.measures import order

    x, places = order.word_vectors(SENTENCE), torch.tensor(SWAPPED)
    marks: list[Mark] = []
    facts: dict[str, float] = {"words": len(SENTENCE)}
    readers = {
        "without": ("Without positions", PositionalEncoding()),
        "with": ("With positions", Sinusoidal(base=ROPE_BASE**2, variant="paper")),
    }
    for below, (name, (title, encoding)) in enumerate(readers.items()):
        reader = order.attention(encoding)
        with torch.inference_mode():
            before, after = reader(x), torch.empty_like(x)
            after[places] = reader(x[places])
            moved = order.change(reader, x, SWAPPED)
        facts[name] = int((moved > SAME).sum())
        top, largest = 6 + 98 * below, float(torch.stack([before, after])[..., :N_BARS].abs().max())
        marks.append(words(title, 4, top + 54))
        for word, first, last in zip(SENTENCE, before, after, strict=True):
            marks += _word_with_output(word, first / largest, last / largest, top)
    sentences = tuple(" ".join(SENTENCE[place] for place in row) for row in (range(len(SENTENCE)), SWAPPED))
    return MovingPicture(7, "Sentence", sentences, tuple(marks), facts)


def _word_with_output(word: str, before: "Tensor", after: "Tensor", top: float) -> list[Mark]:
    """Return a word that goes to its other place, with its output's channels below, and an outline of them before."""
    first = SENTENCE.index(word)
    centres = [192 + 116 * place for place in (first, SWAPPED.index(first))]
    zero, tall, wide = top + 56, 32, 10
    marks = [mark("text", "word", {"y": top + 16}, {"x": _held(*centres)}, word)]
    for channel, (one, other) in enumerate(zip(before[:N_BARS].tolist(), after[:N_BARS].tolist(), strict=True)):
        at = wide * (channel - N_BARS / 2) * 1.2
        moving = {
            "x": _held(*(centre + at for centre in centres)),
            "y": _held(*(zero - tall * max(value, 0) for value in (one, other))),
            "height": _held(*(tall * abs(value) for value in (one, other))),
        }
        stays = {"y": zero - tall * max(one, 0), "width": wide, "height": tall * abs(one)}
        marks.append(mark("rect", "first", {"width": wide}, moving))
        marks.append(mark("rect", "before", stays, {"x": moving["x"]}))
    return marks


def _held(before: float, after: float) -> list[float]:
    """Return the values of what stays a while, goes over, and stays again."""
    return [before, before, before, after, after, after]


def counting() -> MovingPicture:
    """Return the index as it grows, in training and behind it."""
    import torch

    from pe_core.encodings import index
    from pe_core.measures.index import left_of_token, unit_tokens

    positions = torch.arange(COUNTED)
    values = index.table(positions, normalise=False, dtype=torch.float64)[:, 0]
    left = left_of_token(unit_tokens(32, WIDTH), values).mean(0)
    x = between(positions.tolist(), (0, COUNTED - 1), (LEFT, RIGHT))
    y = between(values.tolist(), (0, COUNTED - 1), (BOTTOM, TOP))
    edge, highest = (x[TRAINED - 1] + x[TRAINED]) / 2, (y[TRAINED - 1] + y[TRAINED]) / 2
    marks = (
        mark("rect", "band", {"x": LEFT, "y": highest, "width": edge - LEFT, "height": BOTTOM - highest}),
        words("met in training", LEFT + 8, highest + 18),
        words("never met", edge + 8, BOTTOM - 8),
        drawn(x, y, "first"),
        mark("circle", "point second", {"r": 7}, {"cx": x, "cy": y}),
        _axis(),
    )
    facts = {"trained": TRAINED, "last": TRAINED - 1, "width": WIDTH, "share": 100 * float(left[TRAINED - 1])}
    return MovingPicture(7, "Position", _numbers(positions), marks, facts)


def _axis(x: float = LEFT) -> Mark:
    return mark("line", "axis", {"x1": x, "x2": RIGHT, "y1": BOTTOM, "y2": BOTTOM})


def _numbers(positions: "Tensor") -> tuple[str, ...]:
    return tuple(map(str, positions.tolist()))


def bits() -> MovingPicture:
    """Return the bits of the positions, and how many flip at each step."""
    import torch

    from pe_core.encodings import binary
    from pe_core.measures.jumps import hamming_steps

    positions = torch.arange(2**N_BITS)
    codes = binary.table(positions, N_BITS)
    flips = hamming_steps(codes).tolist()
    n, wide = len(positions), (RIGHT - LEFT - 70) / 2**N_BITS
    marks = [words("bits", LEFT, 50), words("flips", LEFT, 160)]
    for position, code in enumerate(codes.tolist()):
        x = LEFT + 70 + wide * position
        for bit, value in enumerate(code):  # the lowest one at the top, as it flips first
            place = {"x": x, "y": 8 + 24 * bit, "width": wide - 3, "height": 21}
            marks.append(shown_from(mark("rect", "first" if value else "empty", place), position, n))
        if position:
            tall = 17 * flips[position - 1]
            bar = {"x": x, "y": HEIGHT - 24 - tall, "width": wide - 3, "height": tall}
            marks.append(shown_from(mark("rect", "second", bar), position, n))
            number = mark("text", "number", {"x": x + (wide - 3) / 2, "y": HEIGHT - 8}, words=str(flips[position - 1]))
            marks.append(shown_from(number, position, n))
    half = n // 2
    facts = {"bits": N_BITS, "before": half - 1, "half": half, "after": half + 1}
    facts |= {"most": flips[half - 1], "next": flips[half]}
    return MovingPicture(9, "Position", _numbers(positions), tuple(marks), facts)


def waves() -> MovingPicture:
    """Return the sines of the positions, and how long each step is."""
    import torch

    from pe_core.encodings import sinusoidal
    from pe_core.measures.jumps import doubling_base, euclidean_steps

    positions = torch.arange(SMOOTH * (WAVE_POSITIONS - 1) + 1) / SMOOTH
    table = sinusoidal.table(positions, WAVES, base=doubling_base(WAVES), dtype=torch.float64)
    lengths = euclidean_steps(table[::SMOOTH])
    across = between(positions.tolist(), (0, WAVE_POSITIONS - 1), (LEFT + 78, RIGHT - 8))
    x = across[::SMOOTH]
    marks = [words("waves", LEFT, 50), words("step length", LEFT, 160)]
    for pair, sines in enumerate(table[:, 0::2].T):
        middle = 18 + 30 * pair
        y = between(sines.tolist(), (-1, 1), (middle + 12, middle - 12))
        marks.append(drawn(across, y, "first", every=SMOOTH))
        marks.append(mark("circle", "point second", {"r": 5}, {"cx": x, "cy": y[::SMOOTH]}))
    for position, length in enumerate(lengths.tolist(), start=1):
        tall = 30 * length
        bar = {"x": x[position] - 4, "y": HEIGHT - 8 - tall, "width": 8, "height": tall}
        marks.append(shown_from(mark("rect", "second", bar), position, WAVE_POSITIONS))
    facts = {"waves": N_BITS, "step": float(lengths[0])}
    return MovingPicture(8, "Position", _numbers(positions[::SMOOTH].int()), tuple(marks), facts)


def rotation() -> MovingPicture:
    """Return a query and a key that RoPE turns, pair by pair, as both move on; their score stays."""
    import torch

    from pe_core.encodings import rotary
    from pe_core.measures.rotation import score

    frequencies = rotary.frequencies(ROPE_WIDTH, ROPE_BASE)
    q, k = torch.randn(2, ROPE_WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    moves = torch.arange(2 * MOVED + 1) / 2  # half a token at a time: hands go in straight lines between
    marks = []
    for look, vector, place in (("first", q, QUERY), ("second", k, KEY)):
        turned = rotary.rotate(vector.expand(len(moves), -1), place + moves, frequencies).view(len(moves), -1, 2)
        for pair, hand in enumerate(turned.unbind(1)):
            marks += _hand(pair, hand / vector.view(-1, 2)[pair].norm(), look)
    dials = [mark("circle", "dial", {"cx": _centre(pair), "cy": 90, "r": RADIUS}) for pair in range(len(frequencies))]
    scores = [score(q, k, QUERY + moved, KEY + moved, frequencies) for moved in moves.tolist()]
    said = [words("query", LEFT, HEIGHT - 10, "label first"), words("key", LEFT + 74, HEIGHT - 10, "label second")]
    facts = {"distance": QUERY - KEY, "moved": MOVED, "lowest": min(scores), "highest": max(scores)}
    steps = tuple(f"{moved:g}" for moved in moves.tolist())
    return MovingPicture(9, "Tokens moved on", steps, (*dials, *marks, *said), facts)


def _centre(pair: int) -> float:
    return 84 + 156.0 * pair


def _hand(pair: int, ends: "Tensor", look: str) -> list[Mark]:
    """Return a hand on a dial of its pair, whose end goes through `ends` (N, 2), each of length 1."""
    x = [_centre(pair) + RADIUS * end for end in ends[:, 0].tolist()]
    y = [90 - RADIUS * end for end in ends[:, 1].tolist()]
    hand = mark("line", f"hand {look}", {"x1": _centre(pair), "y1": 90}, {"x2": x, "y2": y})
    return [hand, mark("circle", f"point {look}", {"r": 5}, {"cx": x, "cy": y})]


def past_training() -> MovingPicture:
    """Return a slow hand of RoPE on its way to new angles, and the losses of two models that read a text."""
    import torch

    from pe_core.encodings import rotary

    found = home.kept()
    losses = {key: home.running_means(found.readers[key].losses, home.AVERAGED) for key in ("alibi", "rope")}
    n, trained = len(found.text), found.train_length
    positions = torch.arange(0, n, DRAWN)
    frequencies = rotary.frequencies(READER_WIDTH, READER_BASE)
    angles = positions * frequencies[SLOW_PAIR]
    ends = torch.stack([angles.cos(), angles.sin()], -1)
    met = ends[positions <= trained].tolist()
    arc = "L".join(f"{_centre(0) + RADIUS * x:.1f},{90 - RADIUS * y:.1f}" for x, y in met)
    x = between(positions.tolist(), (0, n - 1), (200, RIGHT))
    [edge] = between([trained], (0, n - 1), (200, RIGHT))
    marks = [
        mark("circle", "dial", {"cx": _centre(0), "cy": 90, "r": RADIUS}),
        mark("path", "band", {"d": f"M{_centre(0)},90L{arc}Z"}),
        *_hand(0, ends, "second"),
        words("slow pair of RoPE", LEFT - 8, HEIGHT - 10),
        mark("rect", "band", {"x": x[0], "y": TOP, "width": edge - x[0], "height": BOTTOM - TOP}),
        _axis(x[0]),
        words("loss by position", x[0], HEIGHT - 8),
    ]
    top = max(map(max, losses.values()))
    for place, (key, means) in enumerate(losses.items()):
        y = between(means[::DRAWN], (0, top), (BOTTOM, TOP))
        marks.append(drawn(x, y, "", PINNED[key]))
        name = edge + 12 + 90 * place
        marks.append(mark("rect", "named", {"x": name, "y": 6, "width": 14, "height": 4, "fill": PINNED[key]}))
        marks.append(words(found.readers[key].title, name + 20, 14))
    facts = {
        "trained": trained,
        "angle": float((trained - 1) * frequencies[SLOW_PAIR] * 180 / torch.pi),
        **{f"{key}-trained": means[trained - 1] for key, means in losses.items()},
        **{f"{key}-end": means[-1] for key, means in losses.items()},
    }
    return MovingPicture(10, "Position", _numbers(positions), tuple(marks), facts)


def main() -> int:
    """Make the kept file; return the exit status."""
    write_whole(KEPT, to_json(made()).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
