import torch

from pe_core.masks import causal, chunked, prefix, sliding_window
from tests.cases import each
from tests.parity import oracle

LENGTH = 12


def evaluated(rule):
    """The mask of a function of batch, head, query and key."""
    places = torch.arange(LENGTH)
    return torch.tensor([[bool(rule(0, 0, query, key)) for key in places] for query in places])


@each("window", [1, 2, 5, 12, 20])
def test_transformers_counts_the_window_with_self(window):
    theirs = oracle("transformers.masking_utils").sliding_window_causal_mask_function(window)
    assert torch.equal(evaluated(theirs), sliding_window(LENGTH, window))


@each("chunk", [1, 2, 5, 12, 20])
def test_transformers_cuts_the_same_chunks(chunk):
    utils = oracle("transformers.masking_utils")
    theirs = utils.chunked_causal_mask_function(chunk, torch.tensor([0]))
    assert torch.equal(evaluated(theirs), chunked(LENGTH, chunk))


def test_transformers_has_the_same_causal_mask():
    theirs = oracle("transformers.masking_utils").causal_mask_function
    assert torch.equal(evaluated(theirs), causal(LENGTH))


@each("n_prefix", [0, 1, 4, 12])
def test_a_prefix_is_one_block_of_transformers_beside_the_causal_mask(n_prefix):
    utils = oracle("transformers.masking_utils")
    blocks = torch.where(torch.arange(LENGTH) < n_prefix, 0, -1)[None]  # -1: in no block
    theirs = utils.or_masks(utils.causal_mask_function, utils.blockwise_overlay(blocks))
    assert torch.equal(evaluated(theirs), prefix(LENGTH, n_prefix))
