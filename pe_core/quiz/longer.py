"""Questions on texts longer than those of training, and on images between words."""

import torch

from pe_core.encodings import mrope, rotary
from pe_core.positions import interpolated
from pe_core.quiz.base import PERCENT, TENTH, WHOLE, QuestionSpec, QuizQuestion, one_of, whole
from pe_core.rope_scaling.ntk import ntk
from pe_core.rope_scaling.yarn import yarn

TRAIN_LENGTH = 4_096  # cancels out of NTK's base and YaRN's temperature, which know the factor only


def ntk_base(generator: torch.Generator) -> QuizQuestion:
    """Ask for the base that NTK-aware scaling puts in place of the old one."""
    head_dim, base = one_of((32, 64, 128), generator), one_of((10_000, 500_000), generator)
    factor = whole(2, 16, generator)
    given = {"head_dim": head_dim, "base": base, "factor": factor}
    return QuizQuestion(given, new_base(head_dim, base, factor), {"exponent": head_dim / (head_dim - 2)})


def new_base(head_dim: int, base: float, factor: float) -> float:
    """Return the base whose frequencies NTK-aware scaling yields for a text `factor` times as long as in training."""
    target = round(TRAIN_LENGTH * factor)
    scaled = ntk(rotary.frequencies(head_dim, base), base=base, train_length=TRAIN_LENGTH, target_length=target)
    return float(scaled.frequencies[1] ** (-head_dim / 2))


def interpolated_position(generator: torch.Generator) -> QuizQuestion:
    """Ask what position a token is told under position interpolation."""
    train_length = one_of((64, 128, 512), generator)
    length = train_length * whole(2, 8, generator)
    position = whole(1, length - 1, generator)
    told = interpolated(torch.tensor([position]), length, train_length)
    given = {"position": position, "length": length, "train_length": train_length}
    return QuizQuestion(given, float(told), {"factor": length / train_length})


def id_after_image(generator: torch.Generator) -> QuizQuestion:
    """Ask for the id of the first word after an image in M-RoPE; ids start from 0."""
    words, height, width = whole(2, 12, generator), whole(2, 9, generator), whole(2, 9, generator)
    ids = mrope.position_ids([mrope.Text(words), mrope.Image(height, width), mrope.Text(1)])
    steps = {"start": int(ids[words, 0]), "max_id": int(ids[:-1].max()), "patches": height * width}
    return QuizQuestion({"words": words, "height": height, "width": width}, float(ids[-1, 0]), steps)


def yarn_temperature(generator: torch.Generator) -> QuizQuestion:
    """Ask for the temperature that YaRN divides the scores by."""
    factor = whole(2, 64, generator)
    answer = temperature(factor)
    return QuizQuestion({"factor": factor}, answer, {"root": answer**-0.5})


def temperature(factor: float) -> float:
    """Return YaRN's temperature for a text `factor` times as long as those of training."""
    target = round(TRAIN_LENGTH * factor)
    scaled = yarn(rotary.frequencies(64), base=10_000.0, train_length=TRAIN_LENGTH, target_length=target)
    return scaled.temperature


SPECS = (
    QuestionSpec(
        key="interpolated_position", title="Interpolated position", make=interpolated_position, tolerance=TENTH
    ),
    QuestionSpec(key="ntk_base", title="New base of NTK-aware scaling", make=ntk_base, tolerance=PERCENT),
    QuestionSpec(key="yarn_temperature", title="Temperature of YaRN", make=yarn_temperature, tolerance=PERCENT),
    QuestionSpec(key="id_after_image", title="Id after an image", make=id_after_image, tolerance=WHOLE),
)
