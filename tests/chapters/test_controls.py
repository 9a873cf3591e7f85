"""What the controls of closer looks allow, which a page says of a bad link.

Those that stand on a page by default are read there, in `tests/app`.
"""

from pe_core.chapters import alibi_and_t5, biases, binary_vs_sinusoid, counting, images, learned, rope, windows
from pe_core.parameters import Parameter

CHAPTERS = alibi_and_t5, biases, binary_vs_sinusoid, counting, images, learned, rope, windows
RULES = {
    "bias_keys": "be a whole number from 1 to 128",
    "bias_window": "be a whole number from 1 to 64",
    "bias_buckets": "be a whole number from 4 to 64 in steps of 4",
    "bias_farthest": "be one of 32, 64, 128, 256, 512, 1024",
    "bias_heads": "be a whole number from 1 to 32",
    "bias_text": "be one of 64, 256, 1024, 4096, 16384",
    "bias_format": "be one of float64, float32, float16, bfloat16",
    "overflow_position": "be a whole number from 1 to 1,000",
    "overflow_bits": "be a whole number from 1 to 10",
    "cnt_tokens": "be one of 64, 128, 257, 300, 500, 1000, 2000, 4000, 8000",
    "cnt_precision": "be one of float32, float16, bfloat16",
    "img_head": "be one of 32, 64, 96, 128",
    "img_rope_base": "be a whole number from 1 to 100,000,000",
    "img_trained": "be a whole number from 2 to 24",
    "img_side": "be a whole number from 24 to 48",
    "lrn_row": "be a whole number from 0 to 127",
    "rope_length": "be a whole number from 16 to 1,048,576 in steps of 16",
    "win_wall": "be a whole number from 1 to 48",
    "win_head": "be a whole number from 1 to 8",
    "win_r1": "be a number from 0.1 to 2",
    "win_r2": "be a number from 0.1 to 2",
    "win_spread": "be a number from 0 to 4",
    "win_alibi_head": "be a whole number from 1 to 8",
    "win_sink": "be a number from -2 to 8",
    "win_others": "be a whole number from 1 to 16",
    "win_step": "be a whole number from 0 to 500",
    "win_recent": "be a whole number from 2 to 8",
    "win_first": "be a whole number from 0 to 4",
}


def test_a_control_says_what_it_allows():
    controls = [one for chapter in CHAPTERS for one in vars(chapter).values() if isinstance(one, Parameter)]
    assert {one.name: one.rule for one in controls if one.name in RULES} == RULES
