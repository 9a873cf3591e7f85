"""The claims: how each is settled and what is said of it, and one picture for each, from the claim's parameters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from inspect import signature

import torch

from pe_core.chapters import wording
from pe_core.chapters.binary_vs_sinusoid import earlier
from pe_core.chapters.lab import LOSS, length_losses
from pe_core.chapters.rope import BOUND, EQUAL, OWN, drawn_by_distance
from pe_core.claims import CLAIMS, VERDICTS, Claim, ClaimVerdict, alibi, counting, rope, sinusoid, training
from pe_core.encodings import ENCODINGS, sinusoidal
from pe_core.figures.bars import bars, changes
from pe_core.figures.curves import across, layered, marks, overlaid, upwards
from pe_core.figures.dials import circles
from pe_core.figures.figure import Facts, Figure
from pe_core.figures.looks.palette import FAR_APART, colour_of
from pe_core.figures.waves import similarity as similarity_figure
from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results import record_file
from pe_core.lab.results.record import RunRecord
from pe_core.measures.index import layer_norm
from pe_core.measures.order import shuffled
from pe_core.measures.similarity import complete_pairs
from pe_core.parameters import Choice, Parameter, Value

EXAMPLE = next(iter(CLAIMS))  # settled from the start, so that the page shows how it goes
FIRST, AT_ONCE = "predict first", "at once"
ROUNDING = 1e-9
COLOURS: dict[ClaimVerdict, str] = {"true": "green", "false": "red", "depends": "orange"}
AS_IT_SHOULD_BE, AS_CLAIMED = "as it should be", "as claimed"

CLAIM = Choice(
    "clm",
    "Claim",
    {key: f"{place}. {claim.title}" for place, (key, claim) in enumerate(CLAIMS.items(), start=1)},
    EXAMPLE,
)
WHEN = Parameter(
    "clm_shown",
    "Verdicts",
    FIRST,
    "In a lecture: settle every claim at once, without a prediction.",
    choices=(FIRST, AT_ONCE),
)


@cache
def kept_run() -> RunRecord:
    """Return the run that was made for this page: the default one, and a learned table beside."""
    return record_file.from_json((KEPT_RUNS / "claims.json").read_text(encoding="utf-8"))


@cache
def verdicts() -> Mapping[str, ClaimVerdict]:
    """Return the verdict on every claim with its first settings and the kept run."""
    return {key: claim.settle(None, kept_run()).verdict for key, claim in CLAIMS.items()}


def next_claim(claim: str) -> str:
    """Return the claim that comes after one; the first comes after the last."""
    keys = list(CLAIMS)
    return keys[(keys.index(claim) + 1) % len(keys)]


def controls(claim: Claim) -> list[Parameter[Value]]:
    """Return the controls of a claim; they have names of their own in the link, since ranges differ."""
    return [replace(parameter, name=f"clm_{claim.key}_{parameter.name}") for parameter in claim.parameters]


@dataclass(frozen=True)
class Settled:
    """A claim settled: its verdict, the picture of it, and the facts that its texts quote."""

    verdict: ClaimVerdict
    picture: partial[Figure]
    facts: Facts


def settled(claim: Claim, values: Mapping[str, Value], run: RunRecord) -> Settled:
    """Return what comes out for a claim, by the values of its parameters and a run that has what it needs."""
    finding = claim.settle(values, run)
    draw, known = PICTURES[claim.key], {**values, "run": run}
    names = list(finding.rows[0]) if finding.rows else []
    lines = [[worded(row[name]) for name in names] for row in finding.rows]
    facts = {
        **{name: worded(value) for name, value in {**values, **finding.measured}.items()},
        "colour": COLOURS[finding.verdict],
        "table": wording.rows([names, ["---"] * len(names), *lines]) if finding.rows else "",
        "which": "run-kept" if run == kept_run() else "run-own",
        "run-length": run.config.train_length,
        "run-steps": run.config.steps,
        "run-seeds": max(len(by_seed) for by_seed in run.outcomes.values()),
        "run-text": run.text.name,
        "run-needs": ", ".join(ENCODINGS[key].title for key in claim.encodings),
    }
    return Settled(finding.verdict, partial(draw, **{name: known[name] for name in signature(draw).parameters}), facts)


def worded(value: Value | None) -> str:
    """Return a measured value for a sentence: what is rounding with one digit, what does not occur as "none"."""
    if value is None:
        return "none"
    if isinstance(value, float):
        return wording.formatted(value, ".0e" if 0 < abs(value) < ROUNDING else "number")
    return f"{value:,}" if isinstance(value, int) else value


def score(predictions: Mapping[str, tuple[ClaimVerdict, ClaimVerdict]]) -> Facts:
    """Return how many of the predictions, each beside what came out, were right, and how many claims are left."""
    right = sum(said == verdict for said, verdict in predictions.values())
    return {"right": right, "made": len(predictions), "left": len(CLAIMS) - 1 - len(predictions)}


def source(claim: Claim) -> Facts:
    """Return the section that names the source of a claim, and what it quotes."""
    return {"source": "source", **wording.paper_facts(claim.paper)} if claim.paper else {"source": "source-none"}


def true_ones(guess: int) -> tuple[bool, Facts]:
    """Return whether so many claims are plainly true at their first settings, with how many are false or depend."""
    found = verdicts()
    names = [CLAIMS[key].title for key, verdict in found.items() if verdict == "true"]
    counts: dict[str, int] = {verdict: list(found.values()).count(verdict) for verdict in VERDICTS}
    return guess == len(names), {"count": len(names), "names": ", ".join(names) or "none", **counts}


def falls(width: int, base: float, farthest: int) -> Figure:
    """Return the similarity of two positions by distance, both ways, with the steps on which it rises."""
    return similarity_figure(complete_pairs(width, base), farthest + 1)


def exponent(width: int, base: float, length: int) -> Figure:
    """Return the squared norm of each position's encoding, with the right frequencies and as claimed."""
    positions = torch.arange(length)
    right = sinusoidal.table(positions, width, base=base, dtype=torch.float64)
    mistaken = sinusoid.own_exponents(positions, width, base)
    norms = {AS_IT_SHOULD_BE: right.square().sum(dim=-1), AS_CLAIMED: mistaken.square().sum(dim=-1)}
    return overlaid(positions, norms, across("Position"), "Squared norm")


def plain_angle(width: int, base: float, offset: int) -> Figure:
    """Return the largest error of each pair after a shift by the matrix, with the right angles and with plain k."""
    right, plain = sinusoid.pair_errors(width, base, offset)
    pairs = [str(pair) for pair in range(len(right))]
    return bars(pairs, {AS_IT_SHOULD_BE: right, AS_CLAIMED: plain}, "Pair", upwards("Largest error"))


def first_points(width: int, n_positions: int) -> Figure:
    """Return the first positions as points on the circle of each pair, a column for each of the four bases."""
    columns = [f"base {base}" for base in sinusoid.BASES]
    rows = [f"pair {pair}" for pair in range(width // 2)]
    return circles(list(sinusoid.first_tables(width, n_positions)), columns, rows)


def cosines(width: int, distance: int) -> Figure:
    """Return the cosine of two encodings so many positions apart, for bases from 1 to a million."""
    where = torch.logspace(0, 6, 49, dtype=torch.float64)
    found = sinusoid.cosines_by_base(width, distance, tuple(where.tolist()))
    return overlaid(where, {"cosine": found}, across("Base", log=True), "Cosine of the two")


def directions(width: int, reach: int, projection: str, seed: int) -> Figure:
    """Return the scores of the middle position with those behind and ahead: plain, and of queries and keys."""
    table, projected = sinusoid.direction_scores(width, reach, projection, seed)
    named = {"dot product of the encodings": table @ table[reach], "query times key": projected[reach]}
    return overlaid(torch.arange(-reach, reach + 1), named, across("Positions ahead"), "Score")


def moved(n_words: int, number: int) -> Figure:
    """Return the table of what each reader notices of shuffled order `number`."""
    letters, places = "ABCDEFGHIJKL"[:n_words], shuffled(n_words, number)  # in no language
    return changes(letters, places, counting.moved_outputs(n_words, number))


def normed(width: int, position: int, way: str) -> Figure:
    """Return the channels of a word at position 0 and at this position, after LayerNorm."""
    first, second = layer_norm(counting.words_at(width, position, way))
    named = {"position 0, after LayerNorm": first, "the chosen position, after LayerNorm": second}
    return overlaid(torch.arange(width), named, across("Channel"), "Value", dots=True)


def shares(short: int, long: int) -> Figure:
    """Return where each word stands between 0 and 1 in both sentences."""
    count = min(short, long)
    first, second = (counting.shares(n_words)[:count] for n_words in (short, long))
    named = {"in the first sentence": first, "in the second sentence": second}
    return overlaid(torch.arange(count), named, across("Word"), "Normalised position", dots=True)


def collisions(bits: int, position: int) -> Figure:
    """Return how many bits tell the position from each earlier one, beside the distance of their sinusoids."""
    return earlier(position, bits, counting.WIDTH, counting.BASE)


def places(width: int, distance: int, seed: int, channels: str) -> Figure:
    """Return the score of the same query and key at four places, with RoPE's minus sign and without."""
    right, without = rope.place_scores(width, distance, seed, channels)
    names = [f"at {place}" for place in rope.PLACES]
    return bars(names, {"with the minus sign": right, "without": without}, "Query", upwards("Score"))


def decay(width: int, base: float, seed: int, farthest: int) -> Figure:
    """Return by distance the score of a random query and key, that of equal content, and the bound of the latter."""
    named = dict(zip((OWN, EQUAL, BOUND), rope.decay_curves(width, base, seed, farthest), strict=True))
    return layered(drawn_by_distance(named), marks([("", int(named[OWN].argmax()))]))


def rows_of_softmax(length: int, slope: float, sign: str) -> Figure:
    """Return what the last query gives each key: with the bias as claimed, and with the paper's."""
    stated, paper = alibi.last_rows(length, slope, sign)
    return bars(_keys(length), {"paper: −slope · (i − j)": paper, AS_CLAIMED: stated}, "Key", upwards("Attention"))


def softmax_and_bias(length: int, slope: float) -> Figure:
    """Return what the last query gives each key: with the bias added before the softmax, and after it."""
    before, after = alibi.both_rows(length, slope)
    named = {"bias before the softmax": before, "bias after the softmax": after}
    return bars(_keys(length), named, "Key", upwards("Attention"))


def losses(run: RunRecord) -> Figure:
    """Return the held-out loss of each model of a run by the length of the text, means over the seeds."""
    return length_losses(run)


def repaired(run: RunRecord) -> Figure:
    """Return the mean loss of the models trained with RoPE by the length of the text: as trained, and repaired."""
    found = training.rope_losses(run, MULTIPLES[-1])
    lengths = torch.tensor([loss.length for loss in found[training.PLAIN].mean])
    named = {title: torch.tensor([loss.loss for loss in one.mean]) for title, one in found.items()}
    colours = sorted(FAR_APART, key=lambda colour: colour != colour_of("RoPE"))  # as trained it has its own
    return overlaid(lengths, named, across("Length of the text (characters)"), LOSS, colours=colours, dots=True)


def _keys(length: int) -> list[str]:
    return [str(key) for key in range(length)]


PICTURES: dict[str, Callable[..., Figure]] = {
    "falls": falls,
    "exponent": exponent,
    "plain_angle": plain_angle,
    "bases": first_points,
    "base_size": cosines,
    "direction": directions,
    "blind": moved,
    "index_norm": normed,
    "fractions": shares,
    "codes": collisions,
    "sinusoid_far": losses,
    "table_far": losses,
    "minus": places,
    "decays": decay,
    "rope_far": repaired,
    "alibi_sign": rows_of_softmax,
    "alibi_after": softmax_and_bias,
}
