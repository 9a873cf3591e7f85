"""What pages say in a state: by default, under a condition of their own, and of what cannot be shown.

Their numbers are found by other ways in `tests/chapters`, and every look and control is opened by `test_every_page.py`.
"""

import math

from pe_core.encodings import ENCODINGS
from pe_core.lab.results.papers import TABLES
from pe_core.masks import MASKS
from pe_core.models import KNOWN
from tests.app.opened import followed, sentences, spaced
from tests.app.walking import sound
from tests.cases import each
from ui.widgets.prose import fill, sections

READ = ("markdown", "text", "caption", "info", "warning")
SEQUENCE = "text 4, image 3x4, text 2, video 2x3x4, text 3"
KERNEL = sum(math.cos(100 ** (-j / 16)) for j in range(16)) / 16  # of neighbours along one axis
EVERY_ENCODING = "&".join(f"gal_encodings={key}" for key in ENCODINGS)
EACH_DIFFERENT = "each of the 8,000 positions of this text has a different value: 8,000 different integer indices"


class Unsaid(str):
    """Words that a page does not say in a state, but in another one."""


def step(page, name, number):
    """The bold words with which the text of a step begins."""
    return fill(sections(page)[f"step {name} {number}"], {}).split("**")[1]


def all_of(at):
    """What a page says, of its pictures too."""
    return spaced("\n".join([*(one.value for one in at.main if one.type in READ), *sentences(at)]))


SAID = {
    "why_position": ["**Attention, no encoding** gave every word the same output", "`man old the bites dog the`"],
    "why_position?order=0": ["the order has not changed anything"],
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
    "counting?cnt_first=30&cnt_second=30": [
        "as both sentences have 30 words",
        "no number of the second sentence is above 29",
    ],
    "counting?cnt_look=Rounding&cnt_tokens=8000&cnt_precision=float32": [EACH_DIFFERENT],
    "counting?cnt_look=Rounding&cnt_tokens=8000&cnt_precision=bfloat16": [
        "256 and 257 for the integer index, and ",
        "float32 24, float16 11, bfloat16 8",
        Unsaid(EACH_DIFFERENT),
    ],
    "binary_vs_sinusoid": [
        "At base 256 each pair has 2 times the wavelength",
        "5 bits on the left, 16 channels of the sinusoid on the right",
        "grows 2 times",
    ],
    "binary_vs_sinusoid?bits=6&bs_base=100&bs_channels=8": [
        f"each pair has {100 ** (2 / 8):.4g} times",
        "wavelengths double exactly, as the periods of the bits do, at base 16",
    ],
    "binary_vs_sinusoid?bs_look=Overflow&overflow_position=556&bits=6&bs_base=100&overflow_bits=9": [
        "needs only 9 bits, but 556 needs 10",
        "in full it is `1` `000101100` in base 2",
        "**556 becomes 44**",
        "Distance of position 556 to all earlier ones: 1 of them have the same 9 bits.",
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
    "sinusoidal?width=7&topic=Similarity": ["the last sine has no cosine"],
    "sinusoidal?width=7&topic=Similarity&layout=tensor2tensor": [
        "fills the last channel with zeros",
        "The similarity **does not depend on the direction**",
    ],
    "sinusoidal?width=1&topic=Clock hands&layout=tensor2tensor": ["there is no pair that could turn"],
    "sinusoidal?channels=61&channels=60": ["Channel 60 is the sine of pair 30", "Channel 61 is the cosine of pair 30"],
    "sinusoidal?channels=5&channels=64": ["channels must be whole numbers from 0 to 63, got '64'"],
    "sinusoidal?topic=Derivation&sinusoid_step=8&width=2": [step("sinusoidal", "sinusoid", 8)],
    "sinusoidal?topic=Derivation&sinusoid_step=9": [
        "sinusoid_step must be a whole number from 1 to 8",
        step("sinusoidal", "sinusoid", 1),
    ],
    "sinusoidal?topic=Derivation&width=7": ["even", Unsaid(step("sinusoidal", "sinusoid", 1))],
    "sinusoidal?topic=E %2B P&sum_sentence=word": [
        "sentence must have 2 to 12 words",
        '"the" stands at positions 0 and 3',
    ],
    "rope?rope_look=Derivation&rope_step=7": [step("rope", "rope", 7)],
    "rope?rope_look=One dial, then eight&rope_dial_step=3": [step("rope", "dial", 3)],
    "rope?rope_look=Four steps of attention&rope_attention_step=4": [step("rope", "attention", 4)],
    "rope?rope_base=150000&rope_width=16": ["**6 of 8 pairs**"],
    "rope?rope_base=101&rope_width=16": ["**3 of 8 pairs**"],
    "biases": [
        "the same distance gets a different bias from **FIRE (by up to ",
        "the same bias from ALiBi; T5 bias; KERPLE, logarithmic; Sandwich.",
        "ALiBi 0 to −63.5;",
        "own key the weight **0.634** and the first key **0.004**",
        "the first query, which should see its own key only, sums to −∞",
        Unsaid("evenly spaced"),
    ],
    "biases?bias_length=128": ["The picture shows 128 of the distances up to 255", "evenly spaced"],
    "biases?bias_systems=sandwich&bias_system=sandwich&bias_look=Matrix&bias_length=32": [
        "depends on the distance only: Sandwich.",
        "Bias of Sandwich in head 1 for 24 tokens. In the last row it goes down to −",
    ],
    "biases?bias_systems=&bias_look=Softmax row": ["Choose at least one system"],
    "windows": ["sees **16** keys itself", "know of **46** tokens", "the other **18** nothing can reach it"],
    "windows?win_layers=5": ["know of all **64** tokens"],
    "windows?win_mask=sinks&win_sinks_n_sinks=8&win_sinks_window=0.25": [
        f"**{MASKS['sinks'].title}.** {MASKS['sinks'].summary}",
        "sees **16** keys",
        "know of **30** tokens",
    ],
    "images": [
        "follow the column: 0, 2, 4, 8. Channels that follow the row: 32",
        "By column: 0, 2, 4, 8. By",
        "at row 6, column 6 of an image of 14 x 14",
    ],
    "images?img_rows=10": ["at row 4, column 6 of an image of 10 x 14"],
    "images?img_row_of_14=13&img_column_of_14=13": [
        f"| Axial RoPE | {(1 + KERNEL) / 2:.3f} | {(1 + KERNEL) / 2:.3f} | {KERNEL:.3f} | 0 |",
        "at row 13, column 13 of an image of 14 x 14",
    ],
    "images?img_encodings=": ["at least one encoding"],
    "images?img_look=Ids of a sequence": [
        "45 tokens, and ids no larger than **16**",
        "would go on at **17**",
        "| 2 | image | 12 | (4, 4, 4) | (4, 6, 7) |",
        "| 4 | video | 24 | (10, 10, 10) | (11, 12, 13) |",
    ],
    "images?img_look=Ids of a sequence&img_parts=TEXT 3,,video 1x1x1": ["4 tokens"],
    "images?img_look=Ids of a sequence&img_parts=`<script>`": [
        "each part must be text n, image rows x columns, or video frames x rows x columns, got '<script>'`. "
        f"Shown instead: `{SEQUENCE}`."
    ],
    "images?img_look=Scores in a sequence&img_parts=text 3": [
        "score of token **2**, with the ids (2, 2, 2), with each",
        "with token 2. Lowest",
    ],
    "extension": [
        "19 of the 32 pairs meet angles in 1,024 tokens that they have never met",
        "met of it in 256 tokens of training, and what is new in 1,024.",
        Unsaid("No rule is chosen"),
    ],
    "extension?ext_factor=16&ext_train=8192": [
        f"YaRN {(0.1 * math.log(16) + 1) ** -2:.4f}",
        "131,072 tokens bring fewer new angles, if any, to a model trained on 8,192.",
    ],
    "extension?rules=": ["No rule is chosen"],
    "extension?ext_look=Ramp&rules=yarn&ext_factor=1": [
        "no rule changes any of the 32 pairs",
        "No pair meets a new angle in 256 tokens",
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
    ],
    "learned?lrn_step=0": ["cannot be hurt by it", Unsaid("worse than a guess by the frequency")],
    "learned?lrn_look=One row&lrn_row=63": [
        "most like row **63** is row **",
        Unsaid("This row was never trained. Its cosines"),
    ],
    "learned?lrn_look=One row&lrn_row=64": ["This row was never trained. Its cosines"],
    "gallery?gal_multiple=2": ["**2 times** the training length (128 characters)"],
    "gallery?gal_look=All numbers&gal_measure=whole": [
        "**As in Press et al.**: the mean loss over whole",
        Unsaid("**At the end of the window.**"),
    ],
    "gallery": ["**8 times** the training length (512 characters)"],
    "gallery?gal_look=All numbers": ["**At the end of the window.**"],
    "gallery?gal_encodings=": ["Choose at least one encoding."],
    "gallery?gal_look=Paper and ours&gal_table=haviv": [TABLES["haviv"].link, "Kendall's tau is ", "seeds give"],
    "gallery?gal_look=Paper and ours&gal_table=su": [
        "gal_table must be one of press_512, press_1024, kazemnejad, haviv, got 'su'"
    ],
    "gallery?gal_look=Repairs&gal_measure=whole": ["8 times its training length, has **"],
    "gallery?gal_look=Larger models": ["**1 seed**, 500 steps of 64 texts", "after only 100 steps"],
    "models": [
        "it claims 131,072 tokens",
        "A text of 131,072 tokens is 16 times the original 8,192, and the rule of Llama 3 scales by 8",
        "| all layers | 32 |",
        r"| rope\_theta | 500000.0 | the file |",
        Unsaid("factor 8 is not"),
        Unsaid("Engines differ"),
        Unsaid("= 1.3497 at the end of the original"),
    ],
    "models?model_length=4096": ["A text of 4,096 tokens is within the original 8,192: no pair meets"],
    "models?model=llama_3_1_8b&model_length=200000": [
        "It is longer than the claimed 131,072 tokens, too.",
        "refuses more than 131,072 tokens",
    ],
    "models?model=gpt_2&model_length=1025": ["transformers fails at token 1,025", "learned vector"],
    "models?model=t5": ["The configuration tells no length. Choose how long the text is."],
    "models?model=bloom": ["ALiBi", "There are no wavelengths to draw"],
    "models?model=gpt_j_6b": [KNOWN["gpt_j_6b"].source],
    "models?model=phi_3_mini_4k": ["must be a list of numbers, got null"],
    "models?model=llama_4_scout": ["ln(1 + floor((m + 1) / 8,192)) = 1.0693 at the end of the original"],
    "models?model=llama_2_7b&model_rule=proportional&model_part=0.25": ["48 pairs do not turn at all"],
    "models?model=llama_2_7b&model_base=0": [
        "must be a whole number from 1 to 1,000,000,000, got '0'`. Shown instead: as it is."
    ],
    f"gallery?{EVERY_ENCODING}": ["at most 8 encodings, so that they can be told apart: the first 8 are shown."],
}


@each(("link", "words"), SAID.items())
def test_what_a_page_says_in_a_state(link, words):
    read = all_of(sound(followed(link)))
    assert [one for one in words if (one in read) is isinstance(one, Unsaid)] == []
