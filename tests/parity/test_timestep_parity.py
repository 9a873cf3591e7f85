"""The setting with shift 1 and sines first; diffusers, which has the other one too, is not among what is installed."""

import torch
from torch.testing import assert_close

from pe_core.encodings.timestep import table
from tests.cases import each
from tests.parity import oracle


@each("dim", [4, 32])
@each("dtype", [torch.float64, torch.float32])
def test_the_time_step_of_qwen2_5_omni(dim, dtype):
    library = oracle("transformers.models.qwen2_5_omni.modeling_qwen2_5_omni")
    times = torch.tensor([0.0, 0.013, 0.25, 0.9], dtype=dtype)
    theirs = library.SinusPositionEmbedding(dim)(times)
    ours = table(times, dim, scale=1000.0, dtype=dtype)
    assert_close(theirs, ours, atol=1e-4, rtol=0)  # their frequencies are single precision, and times up to 900
