import math

import pytest
import torch
from torch.testing import assert_close

from pe_core.encodings.pope import Polar, frequencies
from tests.cases import each
from tests.parity import oracle
from tests.strategies import normal

LENGTH, HEADS, WIDTH = 24, 3, 8


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@each("first", [0, 5000])
def test_x_transformers_has_the_same_queries_and_keys_but_for_the_scale(first):
    """It computes in float32, whatever it is given; its phases are bounded alike, here some lie outside."""
    library = oracle("x_transformers.x_transformers")
    theirs = library.PolarEmbedding(WIDTH, HEADS)
    ours = Polar(HEADS, frequencies(WIDTH))
    phases = 3 * normal(1, HEADS, WIDTH).float()
    with torch.no_grad():
        theirs.learned_bias.copy_(phases[:, None])
        ours.phases.copy_(phases)
        positions = first + torch.arange(LENGTH)
        angles, bias = theirs(positions)
        q, k = normal(2, 2, 2, HEADS, LENGTH, WIDTH).float()
        expected = (library.apply_polar_pos_emb(q, angles), library.apply_polar_pos_emb(k, angles + bias))
        turned_q, turned_k = ours.rotate(q, k, positions)
    near = {0: 1e-5, 5000: 3e-3}[first]  # an angle of 5,000 radians in float32
    assert_close(turned_q / math.sqrt(2), expected[0], atol=near, rtol=0)
    assert_close(turned_k, expected[1], atol=near, rtol=0)
    double = ours.double().rotate(q.double(), k.double(), positions)
    assert_close(double[1].float(), expected[1], atol=near, rtol=0)
