"""Questions on what a score knows of a distance, and on the keys that a query sees."""

import torch
from torch import Tensor

from pe_core import masks
from pe_core.encodings import alibi, rotary, sinusoidal, t5
from pe_core.measures.channels import unfinished
from pe_core.measures.masked import through_layers
from pe_core.quiz.base import PERCENT, WHOLE, QuestionSpec, QuizQuestion, one_of, whole

HEAD_DIMS = (16, 32, 64, 128)
BASES = (100, 1_000, 10_000, 500_000)
MAX_BUCKETED = 100  # nearer than where T5's last bucket begins: that one has no end to be named


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
    head_dim, base = one_of(HEAD_DIMS, generator), one_of(BASES, generator)
    pair, distance = whole(0, head_dim // 4, generator), whole(1, 60, generator)
    frequencies = rotary.frequencies(head_dim, base)
    angle = sinusoidal.angles(torch.tensor([distance]), frequencies)[0, pair]
    given = {"head_dim": head_dim, "base": base, "pair": pair, "distance": distance}
    return QuizQuestion(given, float(angle), {"frequency": float(frequencies[pair])})


def unfinished_pairs(generator: torch.Generator) -> QuizQuestion:
    """Ask how many pairs of RoPE never complete a turn in training."""
    head_dim, base = one_of(HEAD_DIMS, generator), one_of(BASES, generator)
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


SPECS = (
    QuestionSpec(key="rope_angle", title="Angle of RoPE", make=rope_angle, tolerance=PERCENT),
    QuestionSpec(
        key="unfinished_pairs", title="Pairs that never complete a turn", make=unfinished_pairs, tolerance=WHOLE
    ),
    QuestionSpec(key="alibi_slope", title="Slope of ALiBi", make=alibi_slope, tolerance=PERCENT),
    QuestionSpec(key="t5_bucket", title="Bucket of T5", make=t5_bucket, tolerance=WHOLE),
    QuestionSpec(key="window_keys", title="Keys in a window", make=window_keys, tolerance=WHOLE),
    QuestionSpec(key="reach", title="Reach of a stack of layers", make=reach, tolerance=WHOLE),
)
