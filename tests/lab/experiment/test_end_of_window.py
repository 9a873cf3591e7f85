"""What length costs: the end of long windows against the same characters within the training length."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_core.lab.experiment.evaluation import end_loss
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.run import measure, run_encoding
from pe_core.lab.experiment.settings import FARTHER, MULTIPLES, RunConfig
from tests.strategies import seeds

multiples = st.sampled_from(MULTIPLES)


def test_twice_the_length_by_hand():
    # L = 2, and of each window the last character counts. Eight short windows make one block.
    within = torch.tensor([[9.0, 1.0], [9.0, 2.0]] * 4, dtype=torch.float64)
    long = torch.tensor([[9.0, 9.0, 9.0, 2.5]] * 2 + [[9.0, 9.0, 9.0, 3.5]] * 2, dtype=torch.float64)
    assert end_loss(long, within, 8) == (3.0, 2.0, (1.0,))


def by_loops(losses, within, max_multiple):
    """Every character on its own, by its place in the text."""
    length, long = within.shape[1], losses.shape[1]
    n_blocks = len(within) // max_multiple
    ends, same, by_block = [], [], [[] for _ in range(n_blocks)]
    for number, window in enumerate(losses.tolist()):
        for place in range(long - length // 2, long):
            character = number * long + place
            if ((number + 1) * long - 1) // (max_multiple * length) >= n_blocks:
                continue
            ends.append(window[place])
            same.append(float(within[character // length, character % length]))
            by_block[((number + 1) * long - 1) // (max_multiple * length)].append(ends[-1] - same[-1])
    per_block = len(ends) / n_blocks
    return sum(ends) / len(ends), sum(same) / len(same), [sum(block) / per_block for block in by_block]


@given(seeds, multiples, st.sampled_from([8, FARTHER]), st.sampled_from([2, 5, 8]), st.integers(0, 300))
def test_it_equals_the_definition(seed, multiple, max_multiple, length, more):
    n_characters = 2 * max_multiple * length + more
    generator = torch.Generator().manual_seed(seed)
    within, long = (
        torch.rand(n_characters // size, size, generator=generator, dtype=torch.float64)
        for size in (length, multiple * length)
    )
    *found, found_blocks = end_loss(long, within, max_multiple)
    *expected, blocks = by_loops(long, within, max_multiple)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found_blocks == pytest.approx(blocks, abs=1e-12)
    assert sum(blocks) / len(blocks) == pytest.approx(found[0] - found[1], abs=1e-12)


CONFIG = RunConfig(("rope",), 16, 16, n_heads=2, n_layers=1, steps=50, tune_steps=50, repairs=("window",))


@pytest.fixture(scope="module")
def run(text):
    """The trained model and the outcome of a run that was measured on two blocks of a text."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pe_core.lab.experiment.datasets.Corpus.n_held_out", 256)
        events = list(run_encoding(CONFIG, "rope", text))
        yield events[CONFIG.steps], events[-1], text


def test_an_outcome_has_it_at_every_length(run):
    model, outcome, text = run
    within = measure(model, CONFIG, text, 16).losses
    assert not within.requires_grad
    for one in outcome.lengths:
        end, same, blocks = by_loops(measure(model, CONFIG, text, one.length).losses, within, 8)
        assert (one.end, one.within) == (pytest.approx(end, abs=1e-12), pytest.approx(same, abs=1e-12))
        assert one.blocks == pytest.approx(blocks, abs=1e-12)
    first = outcome.lengths[0]
    assert (first.end, first.blocks) == (first.within, (0.0, 0.0))
    assert first.end != first.loss  # of the second half of the windows only


def test_repairs_and_fine_tuned_models_are_held_against_the_model_as_trained(run):
    model, outcome, text = run
    within = [one.within for one in outcome.lengths]
    others = {**outcome.repaired, **{f"{key}, fine-tuned": one for key, one in outcome.tuned.items()}}
    assert list(others) == ["window", "as_trained, fine-tuned", "window, fine-tuned"]
    for one in others.values():
        assert [each.within for each in one.lengths] == within
    found, window = measure(model, CONFIG, text, 128, named("window")), outcome.repaired["window"]
    assert window.lengths[-1].end == pytest.approx(float(found.losses[:, -8:].mean()), abs=1e-12)
    assert window.positions == tuple(found.by_place.tolist())
    assert window.lengths[0].loss == pytest.approx(outcome.lengths[0].loss, rel=1e-4)
    assert window.lengths[-1].loss != pytest.approx(outcome.lengths[-1].loss, rel=1e-4)
    own = outcome.tuned[AS_TRAINED.key].lengths
    assert own[0].end != own[0].within  # what the model has learned since counts
