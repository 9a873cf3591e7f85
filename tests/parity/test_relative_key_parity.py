"""The form with queries only; BERT itself has left both behind. Speech models number the rows from key to query."""

from types import SimpleNamespace

import torch
from torch.testing import assert_close

from pe_core.encodings.relative_key import scores
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

REACH, HEAD_DIM = 9, 8


@each("length", [1, 5, REACH + 1])  # longer ones are clipped there
@each(("dtype", "within"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_wav2vec2_bert_adds_the_same_to_the_scores(length, dtype, within):
    library = oracle("transformers.models.wav2vec2_bert.modeling_wav2vec2_bert")
    q, k = normal(1, 2, 2, 3, length, HEAD_DIM).to(dtype)
    table = normal(2, 2 * REACH + 1, HEAD_DIM).to(dtype)
    module = SimpleNamespace(
        left_max_position_embeddings=REACH,
        right_max_position_embeddings=REACH,
        scaling=HEAD_DIM**-0.5,
        distance_embedding=torch.nn.Embedding.from_pretrained(table.flip(0)),
    )
    theirs = library._apply_relative_key_position_encoding(module, q, k)[1]
    assert_close(theirs, scores(q, k, table, torch.arange(length), both=False), atol=within, rtol=0)
