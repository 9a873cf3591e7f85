"""What pages write of their numbers, read without opening a page.

What a page writes by default, or under a condition of its own, is read in `tests/app`.
"""

import inspect

from pe_core.chapters import (
    binary_vs_sinusoid,
    counting,
    extension,
    images,
    learned,
    rope,
    sinusoidal,
    sinusoidal_steps,
    windows,
)
from pe_core.chapters.images import SEQUENCE
from tests.cases import each
from ui.widgets.prose import fill, sections

MODEL = {"head": 2, "train_length": 64, "seed": 0}
BOUND = {"factor": 4, "train_length": 256, "head_dim": 64}
TEXT = {"parts": SEQUENCE, "token": 9, "head_dim": 128, "base": 10_000}
HEAD = {"head_dim": 32, "base": 10_000, "query": 12, "key": 9, "seed": 1}
TABLE = {"length": 64, "width": 64, "base": 10_000, "layout": "paper"}
ROW = {"row": 3, "dim": 2, "base": 100}
FAMILY = {"window": 16, "head": 5, "r1": 0.5, "r2": 1.0}


def said(page, section, found, arguments):
    """The section of a page, with the values of its controls and the facts of what the functions make of them.

    Each function takes those of the arguments that it has, as on the page.
    """
    values = dict(arguments)
    for function in found:
        own = inspect.signature(function).parameters
        made = function(**{name: value for name, value in arguments.items() if name in own})
        values |= getattr(made, "facts", made)
    return fill(sections(page)[section], values).replace("\u00a0", " ")


@each(
    ("page", "section", "found", "arguments", "words"),
    [
        (
            "binary_vs_sinusoid",
            "jumps",
            [binary_vs_sinusoid.steps],
            {"n_positions": 32, "n_bits": 5, "dim": 16, "base": 256},
            ["From **7 to 8**, neighbours, **4 of the 5 bits flip**", "`01000` − `00111` is `0 1 −1 −1 −1`"],
        ),
        (
            "binary_vs_sinusoid",
            "jumps-alternative",
            [binary_vs_sinusoid.steps],
            {"n_positions": 32, "n_bits": 5, "dim": 16, "base": 256},
            ["From 7 to 8, 4 bits flip; over all steps, from 1 to 5 do. Each step of the sinusoid is 1.1"],
        ),
        (
            "counting",
            "norms",
            [counting.norms],
            {"width": 64},
            ["the same as without the index**, to ", "on average over 16 random tokens at positions up to 4,096."],
        ),
        ("extension", "bound", [extension.base_bound], BOUND, ["with a head width of 64."]),
        ("extension", "bound-needed", [extension.base_bound], BOUND, ["For 1,024 tokens at least base "]),
        (
            "extension",
            "bound-never",
            [extension.base_bound],
            {"factor": 4, "train_length": 8_192, "head_dim": 4},
            ["For 32,768 tokens none of the bases"],
        ),
        (
            "extension",
            "bound-alternative",
            [extension.base_bound],
            {"factor": 4, "train_length": 8_192, "head_dim": 4},
            ["from 100 to 100,000,000 at a head width of 4, and a line at 32,768 tokens."],
        ),
        (
            "extension",
            "kernel",
            [extension.kernel],
            {"rules": ("plain",), **BOUND, "base": 10_000},
            ["at distances below 1,024,", "happens: in training 725, None 725."],
        ),
        (
            "extension",
            "kernel-mean",
            [extension.kernel],
            {"rules": ("plain",), **BOUND, "base": 10_000},
            ["the mean over 7 neighbouring distances"],
        ),
        (
            "extension",
            "trained-alternative",
            [extension.trained],
            {"rules": ("ntk",), **BOUND},
            ["At 256 characters: "],
        ),
        (
            "images",
            "channels",
            [images.channel_maps],
            {"encoding": "detr", "n_rows": 4, "n_columns": 5, "bases": "published"},
            ["follow the column: 32, 34, 36, 40. Channels"],
        ),
        (
            "images",
            "channels-alternative",
            [images.channel_maps],
            {"encoding": "detr", "n_rows": 4, "n_columns": 5, "bases": "published"},
            ["(DETR) as stripes"],
        ),
        (
            "images",
            "pairs",
            [images.pair_axes],
            {"head_dim": 128, "base": 10_000},
            ["16 : 24 : 24 for time, row", "columns one of 1,987 steps: 0.012 turns across 24 columns.**"],
        ),
        (
            "images",
            "pairs-alternative",
            [images.pair_axes],
            {"head_dim": 128, "base": 10_000},
            ["Wavelengths of 64 pairs by axis", "from 1,987. Inter"],
        ),
        (
            "images",
            "scores",
            [images.score_maps],
            TEXT,
            ["score of token **9**, with the ids (4, 5, 5), with each", "ends at 0.0001, since"],
        ),
        ("images", "scores-alternative", [images.score_maps], TEXT, ["with token 9. Lowest scores: Plain RoPE 0."]),
        (
            "images",
            "resizing",
            [images.resized],
            {"trained": 14, "side": 24},
            ["**10** coordinates lie beyond", "the last one is 13.42. But then neighbours are 0.5833"],
        ),
        (
            "images",
            "resizing-alternative",
            [images.resized],
            {"trained": 14, "side": 24},
            ["of 24 patches counted on, 10 of them", "rescaled, the last at 13.42."],
        ),
        (
            "learned",
            "row",
            [learned.row],
            {"step": 1_000, "number": 64},
            ["After step 1,000 the row most like row **64** is row **", " away, with a cosine of "],
        ),
        (
            "learned",
            "movement",
            [learned.movement],
            {"step": 1_000},
            ["is 0.950705 of the initial one.", "predict 0.950705;"],
        ),
        (
            "rope",
            "turns",
            [rope.wavelengths],
            {**HEAD, "length": 4_096},
            ["of 4,096 tokens these are **4 of 16 pairs**"],
        ),
        ("rope", "forms", [rope.forms], HEAD, [", that of the query 1.0000)"]),
        ("rope", "forms-table", [rope.forms], HEAD, ["| Real |", "| Mistake |"]),
        (
            "rope",
            "layouts-measured",
            [rope.layouts],
            HEAD,
            [
                "two layouts in general give different scores, here ",
                "the same as the interleaved one to ",
                "both scores stay the same to ",
            ],
        ),
        ("sinusoidal", "similarity-first", [sinusoidal.similarity], TABLE, ["first time at **distance 6**"]),
        ("sinusoidal", "facts", [sinusoidal.table], TABLE, ["length of 64: 23 of 32."]),
        ("sinusoidal", "facts-odd-zero", [sinusoidal.table], TABLE, ["fills the last channel with zeros"]),
        (
            "sinusoidal",
            "shift-measured",
            [sinusoidal.shift_errors],
            {**TABLE, "width": 8, "offset": 5},
            ["its error is **1."],
        ),
        ("sinusoidal", "shift-odd", [], {}, ["such a matrix for an even width only"]),
        (
            "sinusoidal",
            "first-measured",
            [sinusoidal.first_positions],
            {"bases": sinusoidal.FIRST_BASES},
            ["largest difference between any two of them is 0."],
        ),
        ("sinusoidal", "example-steps", [sinusoidal_steps.worked_example], ROW, ["100^{-0/2} = 1", "0.14112"]),
        ("sinusoidal", "example-row", [sinusoidal_steps.worked_example], ROW, ["0.14112, -0.98999"]),
        (
            "windows",
            "layers",
            [windows.conventions],
            {"window": 6, "layers": 5},
            ["litgpt | 6 | 26 |", "gym | 7 | 31 |"],
        ),
        (
            "windows",
            "layers-alternative",
            [windows.reach_by_layer, windows.conventions],
            {"window": 6, "layers": 5},
            ["blocks 6, window 61, window and 4 sinks 65"],
        ),
        ("windows", "matrix", [windows.weight_kept], FAMILY, ["**Window 0, ALiBi 0.368, KERPLE power "]),
        (
            "windows",
            "matrix-alternative",
            [windows.subtracted_matrix],
            FAMILY,
            ["Window ∞, ALiBi 1, KERPLE power 16,", "The window ends after 16 keys."],
        ),
        (
            "windows",
            "entropy",
            [windows.spreading],
            {"spread": 1.5, "trained": 64, "head": 4},
            [
                "with 64 keys, as in training, it spreads over ",
                "with 1,024 over ",
                "dashed line says 332.4, ",
                "=$ 2.04.",
            ],
        ),
        (
            "windows",
            "sinks",
            [windows.sink_gone],
            {"sink": 3.5, "n_others": 8},
            ["the sink has score 3.5 and takes **", "the 8 other keys share "],
        ),
        (
            "windows",
            "cache",
            [windows.cache_ids],
            {"step": 500, "window": 6, "n_sinks": 4},
            [
                "The token at position 500 is read, and the cache holds 10 of the 501 keys",
                "the first of them is 500 tokens away",
                "the distance is 9, and always less than",
                "a model trained on 10 tokens",
            ],
        ),
    ],
)
def test_a_text_tells_what_was_found(page, section, found, arguments, words):
    text = said(page, section, found, arguments)
    assert "[[" not in text.replace("`[[", "`[")
    assert [part for part in words if part not in text] == [], text
