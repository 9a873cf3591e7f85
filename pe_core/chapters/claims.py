"""Pictures of the chapter on claims: one for each, from the parameters of the claim."""

import torch

from pe_core.claims import alibi, bases, blindness, counting, direction, rope, sinusoid, training
from pe_core.encodings import sinusoidal
from pe_core.figures import claims as figures
from pe_core.figures import counting_steps, lab, order, rotation
from pe_core.figures.extension import Axes
from pe_core.figures.figure import Figure
from pe_core.figures.first_positions import first_positions
from pe_core.figures.similarity import similarity as similarity_figure
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.record import RunRecord
from pe_core.measures import jumps
from pe_core.measures.similarity import complete_pairs

RIGHT, SLIP = "as it should be", "as claimed"


def falls(width: int, base: float, farthest: int) -> Figure:
    """Return the similarity of two positions by distance, both ways, with the steps on which it rises."""
    return similarity_figure(complete_pairs(width, base), farthest + 1)


def exponent(width: int, base: float, length: int) -> Figure:
    """Return the squared norm of each position's encoding, with the right frequencies and with the slip."""
    positions = torch.arange(length)
    right = sinusoidal.table(positions, width, base=base, dtype=torch.float64)
    slip = sinusoid.cosine_slip(positions, width, base)
    norms = {RIGHT: right.square().sum(dim=-1), SLIP: slip.square().sum(dim=-1)}
    return figures.lines(positions, norms, Axes("Position", "Squared norm"))


def plain_angle(width: int, base: float, offset: int) -> Figure:
    """Return the largest error of each pair after a shift by the matrix, with the right angles and with plain k."""
    right, plain = sinusoid.pair_errors(width, base, offset)
    pairs = [str(pair) for pair in range(len(right))]
    return figures.bars(pairs, {RIGHT: right, SLIP: plain}, Axes("Pair", "Largest error"))


def first_points(width: int, n_positions: int) -> Figure:
    """Return the first positions as points on the circle of each pair, a column for each of the four bases."""
    columns = [f"base {base}" for base in bases.BASES]
    rows = [f"pair {pair}" for pair in range(width // 2)]
    return first_positions(list(bases.first_tables(width, n_positions)), columns, rows)


def cosines(width: int, distance: int) -> Figure:
    """Return the cosine of two encodings so many positions apart, for bases from 1 to a million."""
    where = torch.logspace(0, 6, 49, dtype=torch.float64)
    found = bases.cosines_by_base(width, distance, tuple(where.tolist()))
    return figures.lines(where, {"cosine": found}, Axes("Base", "Cosine of the two", log_x=True))


def directions(width: int, reach: int, projection: str, seed: int) -> Figure:
    """Return the scores of the middle position with those behind and ahead: plain, and of queries and keys."""
    table, projected = direction.direction_scores(width, reach, projection, seed)
    plain = table @ table[reach]
    named = {"dot product of the encodings": plain, "query times key": projected[reach]}
    return figures.lines(torch.arange(-reach, reach + 1), named, Axes("Positions ahead", "Score"))


def moved(n_words: int, number: int) -> Figure:
    """Return the table of what each reader notices of shuffled order `number`."""
    return order.changes(blindness.WORDS[:n_words], blindness.moved_outputs(n_words, number))


def normed(width: int, position: int, way: str) -> Figure:
    """Return the channels of a word at position 0 and at this position, after LayerNorm."""
    first, second = counting.layer_norm(counting.words_at(width, position, way))
    named = {"position 0, after LayerNorm": first, "the chosen position, after LayerNorm": second}
    return figures.lines(torch.arange(width), named, Axes("Channel", "Value", dots=True))


def shares(short: int, long: int) -> Figure:
    """Return where each word stands between 0 and 1 in both sentences."""
    count = min(short, long)
    named = {
        "in the first sentence": counting.shares(short)[:count],
        "in the second sentence": counting.shares(long)[:count],
    }
    return figures.lines(torch.arange(count), named, Axes("Word", "Normalised position", dots=True))


def collisions(bits: int, position: int) -> Figure:
    """Return how many bits tell the position from each earlier one, beside the distance of their sinusoids."""
    return counting_steps.earlier(jumps.overflow(position, bits, counting.WIDTH, counting.BASE))


def places(width: int, distance: int, seed: int, channels: str) -> Figure:
    """Return the score of the same query and key at four places, with RoPE's minus sign and without."""
    right, slip = rope.place_scores(width, distance, seed, channels)
    names = [f"at {place}" for place in rope.PLACES]
    return figures.bars(names, {"with the minus sign": right, "without": slip}, Axes("Query", "Score"))


def decay(width: int, base: float, seed: int, farthest: int) -> Figure:
    """Return by distance the score of a random query and key, that of equal content, and the bound."""
    own, equal, bound = rope.decay_curves(width, base, seed, farthest)
    named = {"this query and key": own, "a query and a key of equal content": equal, "bound, relative": bound}
    return rotation.distance_curves(torch.arange(farthest + 1), named, int(own.argmax()))


def rows_of_softmax(length: int, slope: float, sign: str) -> Figure:
    """Return what the last query gives each key: with the bias as claimed, and with the paper's."""
    stated, paper = alibi.last_rows(length, slope, sign)
    return figures.bars(_keys(length), {"paper: −slope · (i − j)": paper, SLIP: stated}, Axes("Key", "Attention"))


def softmax_and_bias(length: int, slope: float) -> Figure:
    """Return what the last query gives each key: with the bias added before the softmax, and after it."""
    before, after = alibi.both_rows(length, slope)
    named = {"bias before the softmax": before, "bias after the softmax": after}
    return figures.bars(_keys(length), named, Axes("Key", "Attention"))


def losses(run: RunRecord) -> Figure:
    """Return the held-out loss of each model of a run by the length of the text."""
    return lab.length_losses(run)


def repaired(run: RunRecord) -> Figure:
    """Return the loss of the model trained with RoPE by the length of the text: as trained, and under each repair."""
    found = training.rope_losses(run, MULTIPLES[-1])
    lengths = torch.tensor([loss.length for loss in found[training.PLAIN]])
    named = {title: torch.tensor([loss.loss for loss in losses]) for title, losses in found.items()}
    return figures.lines(lengths, named, Axes("Length of the text (characters)", lab.LOSS, dots=True))


def _keys(length: int) -> list[str]:
    return [str(key) for key in range(length)]
