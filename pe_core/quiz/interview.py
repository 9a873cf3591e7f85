"""The numbers that the answers of the interview name."""

import torch

from pe_core.encodings import mrope, rotary, sinusoidal
from pe_core.measures.channels import unfinished

HEAD_DIM, BASE, TRAIN_LENGTH = 128, 10_000, 4_096  # of Llama 2
SIDE = 14  # patches of an image, as the language model sees it


def numbers() -> dict[str, float | str]:
    """Return the numbers by name."""
    frequencies = rotary.frequencies(HEAD_DIM, BASE)
    image = mrope.position_ids([mrope.Image(SIDE, SIDE), mrope.Text(1)])
    row = sinusoidal.table(torch.tensor([1]), 4, dtype=torch.float64)[0]
    return {
        "head_dim": HEAD_DIM,
        "base": BASE,
        "train": TRAIN_LENGTH,
        "pairs": len(frequencies),
        "unfinished": unfinished(frequencies, TRAIN_LENGTH),
        "row": ", ".join(f"{value:.4f}" for value in row.tolist()),
        "side": SIDE,
        "patches": SIDE * SIDE,
        "taken": int(image[-1, 0]),
    }
