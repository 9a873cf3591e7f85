"""What a run of the lab can be told: sizes of the model, training, seeds, and their limits."""

from pe_core.masks import MASKS
from pe_core.parameters import Parameter
from pe_core.positions import REMAPS

MOST_ENCODINGS = 8  # of one run: more lines of one picture are not told apart
MOST_REPAIRS = 15  # and one line for the model as it was trained
MULTIPLES = (1, 2, 3, 4, 6, 8)  # evaluated lengths, in training lengths

# A mask under which a token sees those after it cannot be chosen: the model would read what it is to predict.
_MASKS = tuple(key for key, spec in MASKS.items() if not spec.sees_ahead)

PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter("train_length", "Training length", 64, "Characters or symbols seen at once.", 16, 256, 16),
        Parameter("d_model", "Width", 64, "Channels of the model.", 16, 256, 16),
        Parameter("n_heads", "Heads", 4, "Attention heads of each layer.", choices=(1, 2, 4, 8)),
        Parameter("n_layers", "Layers", 2, "Blocks of attention and network.", 1, 6),
        Parameter("steps", "Steps", 400, "Batches to learn from.", 50, 5_000, 50),
        Parameter("batch_size", "Batch size", 16, "Texts that each step learns from.", choices=(8, 16, 32)),
        Parameter(
            "peak_learning_rate",
            "Peak learning rate",
            0.01,
            "Of AdamW, at three tenths of the steps. Wide models and tasks need a lower one.",
            choices=(0.001, 0.003, 0.01, 0.03),
        ),
        Parameter("seed", "Seed", 0, "Start of the random numbers: weights and order of the texts.", 0, 9_999),
        Parameter("n_seeds", "Trainings", 1, "Of each encoding, with this seed and the next ones.", 1, 10),
        Parameter(
            "tune_steps",
            "Fine-tuning",
            0,
            "More steps at the longest length, as trained and under each repair; 0 for none.",
            0,
            500,
            50,
        ),
        Parameter("mask", "Mask", "causal", "Which tokens each one may look at, at any length.", choices=_MASKS),
        Parameter(
            "remap",
            "Positions",
            "consecutive",
            "What the models are told instead of 0, 1, 2 and so on.",
            choices=tuple(REMAPS),
        ),
    )
}
