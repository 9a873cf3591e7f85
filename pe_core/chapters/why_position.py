"""Pictures of the chapter on why position is needed."""

from collections.abc import Sequence

import torch

from pe_core.encodings import ENCODINGS, PositionalEncoding, Shape
from pe_core.figures import cells
from pe_core.figures.figure import Figure
from pe_core.measures import order
from pe_core.measures.profile import initial

MOST_WORDS = 12
SHAPE = Shape(d_model=order.DIM, n_heads=order.N_HEADS, train_length=MOST_WORDS, max_length=MOST_WORDS)


def readers(encoding: str) -> dict[str, order.Reader]:
    """Return the five readers that are compared, by name; `encoding` is the key of the second one's."""
    spec = ENCODINGS[encoding]
    return {
        "Attention, no encoding": order.attention(PositionalEncoding()),
        f"Attention, {spec.title}": order.attention(initial(spec.build(SHAPE))),
        "Causal decoder, no encoding": order.attention(PositionalEncoding(), causal=True),
        "Recurrent layer": order.recurrent,
        "Convolution of 3": order.convolution,
    }


def changes(words: Sequence[str], encoding: str, number: int) -> Figure:
    """Return the table of what each reader notices when the words stand in shuffled order `number`."""
    x, places = order.word_vectors(words), order.shuffled(len(words), number)
    with torch.inference_mode():
        moved = {name: order.change(reader, x, places) for name, reader in readers(encoding).items()}
    return cells.changes(words, moved)
