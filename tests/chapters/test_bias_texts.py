"""What the page on relative biases writes of its numbers, read without opening it."""

from pe_core.chapters import alibi_and_t5, biases
from tests.cases import each
from tests.chapters.test_texts import said

MODEL = {"head": 2, "train_length": 64}
BUCKETS = {"n_buckets": 32, "max_distance": 128, **MODEL}
KEYS = {"n_keys": 4_096, "precision": "bfloat16", "head": 1}


@each(
    ("page", "section", "found", "arguments", "words"),
    [
        (
            "biases",
            "matrix",
            [biases.bias_matrix, biases.attention_matrix],
            {"system": "alibi", **MODEL},
            ["differs by at most **0**.", "as evenly as over **10.7 keys**"],
        ),
        (
            "biases",
            "row-table",
            [biases.nearest],
            {"systems": ("alibi",), **MODEL, "n_keys": 32, "window": 16},
            ["number of keys, of 32 | Weight of the nearest 16 |", "| no bias | 32.0 | 50.0% |"],
        ),
        (
            "biases",
            "mistakes-after",
            [alibi_and_t5.mistakes],
            {"n_keys": 6, "slope": 1.0},
            ["sum to **−14** instead of 1", "first of them is −4.833", "its own key only, sums to −∞."],
        ),
        ("biases", "buckets", [alibi_and_t5.buckets], BUCKETS, ["begin at **16, 19, 21, 24, 27, 31, 35, 40,"]),
        ("biases", "table", [alibi_and_t5.followed_table], {**BUCKETS, "head": 1}, ["(slope 0.5)", "In a text of 128"]),
        ("biases", "table-met", [alibi_and_t5.followed_table], BUCKETS, ["in head 2 (slope 0.25)", "All these"]),
        (
            "biases",
            "slopes",
            [alibi_and_t5.slopes],
            {"n_heads": 12},
            ["**12 heads**", "0.7071, 0.3536, 0.1768, 0.0884"],
        ),
        ("biases", "slopes-power", [alibi_and_t5.slopes], {"n_heads": 16}, ["**16** is a power of two"]),
        (
            "biases",
            "forms",
            [alibi_and_t5.form_errors, alibi_and_t5.rounded_forms],
            KEYS,
            [
                "last of 4,096 queries",
                "In **bfloat16**, 44 of the last 47 steps",
                "error of a weight is up to **0.27**",
            ],
        ),
        ("biases", "forms-table", [alibi_and_t5.form_errors], KEYS, ["| float64 | 0 | 0 |"]),
    ],
)
def test_a_text_tells_what_was_found(page, section, found, arguments, words):
    text = said(page, section, found, arguments)
    assert "[[" not in text.replace("`[[", "`[")
    assert [part for part in words if part not in text] == [], text
