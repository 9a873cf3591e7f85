"""What pages say in a state: by default, under a condition of their own, and of what cannot be shown.

Their numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

import math

import pytest

from pe_core.chapters.gallery import trained
from pe_core.lab.results.papers import TABLES
from pe_core.models import KNOWN
from tests.app.opened import followed, sentences, spaced
from tests.app.walking import sound
from ui.widgets.prose import fill, sections

READ = ("markdown", "text", "caption", "info", "warning")
SEQUENCE = "text 4, image 3x4, text 2, video 2x3x4, text 3"


class Unsaid(str):
    """Words that a page does not say in a state, but in another one."""


def step(page, name, number):
    """The bold words with which the text of a step begins."""
    return fill(sections(page)[f"step {name} {number}"], {}).split("**")[1]


def all_of(at):
    """What a page says, of its pictures too."""
    return spaced("\n".join([*(one.value for one in at.main if one.type in READ), *sentences(at)]))


NOT_READ = "text must be made of the 97 characters that the models have learned, got 'ï', 'Ü'"
SAID = {
    "why_position": ["**Attention, no encoding** gave every word the same output", "`man old the bites dog the`"],
    "why_position?sentence=<b>bold</b> `code` [link](x):red[hot]&order=2.0.1": [
        "`[link](x):red[hot] <b>bold</b> 'code'`"
    ],
    "why_position?sentence=alone&order=0.1.2.3.4.4": [
        "sentence must have 2 to 12 words, got 1",
        "order must be a whole number from 0 to 99, or name each of 0 to 5 once",
        "`man old the bites dog the`",
    ],
    "counting": [
        f"the same word 5 is **{5 / 9:.4f}** in the first sentence and **{5 / 99:.4f}** in the second",
        "1/9 = 0.1111 in the first sentence and 1/99 = 0.0101 in the second",
        "**90 words of the second sentence have numbers that the model has never met**",
        f"{len({m / 9 for m in range(10)} & {m / 99 for m in range(100)})} occur in the first sentence",
    ],
    "counting?cnt_look=Rounding&cnt_tokens=8000&cnt_precision=bfloat16": [
        "256 and 257 for the integer index, and ",
        "float32 24, float16 11, bfloat16 8",
    ],
    "binary_vs_sinusoid": [
        "At base 256 each pair has 2 times the wavelength",
        "5 bits on the left, 16 channels of the sinusoid on the right",
        "grows 2 times",
    ],
    "binary_vs_sinusoid?bs_look=Overflow&overflow_position=556&bits=6&bs_base=100&overflow_bits=10": [
        "`1000101100` in base 2. 10 bits can hold all of it, with 1024 codes",
        Unsaid("becomes"),
    ],
    "sinusoidal": [
        "`[0.84147, 0.54030, 0.01000, 0.99995]`",
        Unsaid("class TokensAndPositions"),
        Unsaid("stands without its cosine"),
    ],
    "sinusoidal?lang=zh": ["`[0.84147, 0.54030, 0.01000, 0.99995]`"],
    "sinusoidal?width=7": ["last sine stands without its cosine"],
    "sinusoidal?width=7&topic=Similarity&layout=tensor2tensor": [
        "fills the last channel with zeros",
        "The similarity **does not depend on the direction**",
    ],
    "sinusoidal?width=1&topic=Clock hands&layout=tensor2tensor": ["there is no pair that could turn"],
    "sinusoidal?channels=61&channels=60": ["Channel 60 is the sine of pair 30", "Channel 61 is the cosine of pair 30"],
    "sinusoidal?channels=5&channels=64": ["channels must be whole numbers from 0 to 63, got '64'"],
    "sinusoidal?topic=Derivation&sinusoid_step=9": [
        "sinusoid_step must be a whole number from 1 to 8",
        step("sinusoidal", "sinusoid", 1),
    ],
    "sinusoidal?topic=E %2B P&sum_sentence=word": [
        "sentence must have 2 to 12 words",
        '"the" stands at positions 0 and 3',
    ],
    "rope?rope_look=Derivation&rope_step=7": [step("rope", "rope", 7)],
    "rope?rope_look=One dial, then eight&rope_dial_step=3": [step("rope", "dial", 3)],
    "rope?rope_look=Four steps of attention&rope_attention_step=4": [step("rope", "attention", 4)],
    "rope?rope_base=101&rope_width=16": ["**3 of 8 pairs**"],
    "rope?lang=zh&rope_look=Four steps of attention": ["| 3 | 下 |", Unsaid("cat")],
    "rope?lang=zh&rope_look=Four steps of attention&rope_attention_step=3": ["“下”的查询", Unsaid("cat")],
    "rope?lang=zh&rope_look=Four steps of attention&rope_attention_step=4": ["“坐”的键", Unsaid("cat")],
    "biases": [
        "the same distance gets a different bias from **FIRE (by up to ",
        "the same bias from ALiBi; T5 bias; KERPLE, logarithmic; Sandwich.",
        "ALiBi 0 to −63.5;",
        "own key the weight **0.634** and the first key **0.004**",
        "the first query, which should see its own key only, sums to −∞",
        Unsaid("evenly spaced"),
    ],
    "biases?bias_systems=sandwich&bias_system=sandwich&bias_look=Matrix&bias_length=32": [
        "depends on the distance only: Sandwich.",
        "Bias of Sandwich in head 1 for 24 tokens. In the last row it goes down to −",
    ],
    "biases?bias_systems=&bias_look=Softmax row": ["Choose at least one system"],
    "windows?win_layers=5": ["know of all **64** tokens"],
    "images": ["\n\nRequirements: same offset · neighbours near"],
    "images?img_rows=10": ["at row 4, column 6 of an image of 10 x 14"],
    "images?img_encodings=": ["at least one encoding"],
    "images?img_look=Ids of a sequence": [
        "45 tokens, and ids no larger than **16**",
        "would go on at **17**",
        "| 2 | image | 12 | (4, 4, 4) | (4, 6, 7) |",
        "| 4 | video | 24 | (10, 10, 10) | (11, 12, 13) |",
    ],
    "images?img_look=Ids of a sequence&img_parts=`<script>`": [
        "each part must be text n, image rows x columns, or video frames x rows x columns, got '<script>'`. "
        f"Shown instead: `{SEQUENCE}`."
    ],
    "images?img_look=Scores in a sequence&img_parts=text 3": [
        "score of token **2**, with the ids (2, 2, 2), with each",
        "with token 2. Lowest",
    ],
    "extension?ext_factor=16&ext_train=8192": [
        f"YaRN {(0.1 * math.log(16) + 1) ** -2:.4f}",
        "131,072 tokens bring fewer new angles, if any, to a model trained on 8,192.",
    ],
    "extension?ext_look=Ramp&rules=yarn&ext_factor=4": [
        "here 13 of 32 pairs complete a turn within the 256 tokens",
        "Interpolated in full: YaRN",
    ],
    "extension?ext_look=Trained model&rules=ntk&rules=pi&ext_factor=4": [
        "At 256 characters the losses, in nats per character, are",
        "trained with RoPE on texts of 64 characters for ",
    ],
    "learned": [
        "**After step 1,000** the model has read 1,024,000 characters, in texts of 64",
        "That is worse",
        "**The best is: interpolate.**",
        "1,000 steps, seed 0",
        "`pe_core/runs/learned_table.npz`",
        "Learned table: ✓ own code · ",
        " · n/a: bounded",
    ],
    "learned?lrn_look=One row&lrn_row=64": ["This row was never trained. Its cosines"],
    "gallery?gal_multiple=2": ["**2 times** the training length (128 characters)", "\n\nRequirement: longer texts"],
    "gallery?gal_look=All numbers": ["**At the end of the window.**"],
    "gallery?gal_encodings=": ["Choose at least one encoding."],
    "gallery?gal_look=Paper and ours&gal_table=haviv": [TABLES["haviv"].link, "Kendall's tau is ", "seeds give"],
    "gallery?gal_look=Paper and ours&gal_table=su": [
        "gal_table must be one of press_512, press_1024, kazemnejad, haviv, got 'su'"
    ],
    "gallery?gal_look=Repairs&gal_measure=whole": ["8 times its training length, has **"],
    "gallery?gal_look=Larger models": ["**1 seed**, 500 steps of 64 texts", "after only 100 steps"],
    "catalogue": [
        "they depend on the offset only",
        "[arXiv:2108.12409](https://arxiv.org/abs/2108.12409)",
        Unsaid("This encoding learns"),
    ],
    "catalogue?cat_encoding=none": ["**All scores are the same**", "Nothing is added, rotated or shifted by position"],
    "catalogue?cat_encoding=sinusoidal": ["depends on the distance only"],
    "catalogue?lang=zh&cat_encoding=m_rope": ["transformer_xl, t5, alibi, kerple_log"],
    "catalogue?cat_encoding=learned": ["This encoding learns"],
    "catalogue?cat_encoding=learned&cat_encoding_learned_std=0": [
        "`cat_encoding_learned_std must be a number from 0.001 to 1, got '0'`. Shown instead: 0.02."
    ],
    "catalogue?cat_registry=Masks&cat_mask=window&cat_mask_window_window=0.25&cat_length=32&cat_trained=64": [
        "A query sees from 1 to 16 keys; the last one sees 16."
    ],
    "catalogue?cat_registry=Scaling rules&cat_scaling=yarn&cat_factor=8": [
        f"**Temperature {1 / (0.1 * math.log(8) + 1) ** 2:.4g}**"
    ],
    "catalogue?cat_registry=Scaling rules&cat_scaling=plain": ["**Temperature 1**"],
    "own": ["It meets 5 of 7 requirements", "| −1 | ", "| – |", Unsaid(" of 12 · "), Unsaid("**Take home.**")],
    "selftest": [
        "every channel has its own exponent",
        "The first is at position 1, channel 1",
        f"the largest difference is {max(abs(math.cos(m / 10_000**0.125) - math.cos(m)) for m in range(6)):.4g}.",
    ],
    "privacy": ["This server keeps no runs at all"],
    "claims": [
        "[False]",
        "But at distance **6** the similarity rises from 0.7345 to 0.7362",
        "| 512 | 44 |",
        "No predictions yet: 16 claims to go.",
    ],
    "scorecard?scorecard_encoding=rope": [
        f"RoPE has {trained()['rope'].mean:.2f} times its own loss at 8 times the training length**",
        f"n = {len(trained()['rope'].by_seed)} runs",
    ],
    "scorecard?criterion=translation": ["First, with 0: None (NoPE) and ", "Does not apply to: none."],
    "inside": [
        "% of attention at new distances",
        "**RoPE, Window**: 0% of attention at new distances",
        "RoPE, layer 2, head 3, 192 characters",
    ],
    "inside?ins_length_of_256=64": ["no more than in training (64)", "**Move the length past the training length**"],
    "inside?ins_look=Entropy": [Unsaid("What to look for")],
    "inside?ins_text=naïve Übung": [NOT_READ, "192 characters"],
    "inside?ins_text=naïve Übung&ins_look=What they write": [NOT_READ],
    "requirements?requirement=longer": ["Loss of a trained model at 8 times"],
    "requirements?requirement=pretty": ["`requirement must be one of ", "Smallest distance of two codes"],
    "models": [
        "it claims 131,072 tokens",
        "A text of 131,072 tokens is 16 times the original 8,192, and the rule of Llama 3 scales by 8",
        "| all layers | 32 |",
        r"| rope\_theta | 500000.0 | the file |",
        Unsaid("factor 8 is not"),
        Unsaid("Engines differ"),
        Unsaid("= 1.3497 at the end of the original"),
    ],
    "models?model=llama_3_1_8b&model_length=200000": [
        "It is longer than the claimed 131,072 tokens, too.",
        "refuses more than 131,072 tokens",
    ],
    "models?model=gpt_j_6b": [KNOWN["gpt_j_6b"].source],
    "models?model=gpt_2&model_length=1025": ["transformers fails at token 1,025", "learned vector"],
    "models?model=phi_3_mini_4k": ["the class of a phi3 reads yarn as longrope"],
    "models?lang=zh&model=phi_3_mini_4k": ["phi3 的类把 YaRN 当作 LongRoPE"],
    "models?model=llama_4_scout": ["ln(1 + floor((m + 1) / 8,192)) = 1.0693 at the end of the original"],
}


@pytest.mark.parametrize("page", sorted({link.partition("?")[0] for link in SAID}))
def test_what_a_page_says_in_a_state(page):
    for link, words in SAID.items():
        if link.partition("?")[0] == page:
            read = all_of(sound(followed(link)))
            assert [one for one in words if (one in read) is isinstance(one, Unsaid)] == [], link
