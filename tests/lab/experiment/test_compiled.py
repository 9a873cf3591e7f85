"""Compiled training: the losses of a model that is traced are those of one that is not; evaluation compiles nothing."""

from dataclasses import replace
from itertools import islice
from types import SimpleNamespace

import pytest
import torch

from pe_core.encodings import rotary
from pe_core.lab.experiment import training
from pe_core.lab.experiment.evaluation import answers
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, compiled, compiles, train

CONFIG = RunConfig(("rope",), train_length=16, d_model=16, n_heads=2, n_layers=2, batch_size=8)


@pytest.fixture
def graphs(monkeypatch):
    """Lets training here be compiled, as on CUDA, by what needs no compiler of C++; the graphs that are traced."""
    torch.compiler.reset()
    traced = []

    def backend(graph, inputs):
        traced.append(graph)
        return graph.forward

    monkeypatch.setattr(training, "compiles", lambda *_: True)
    monkeypatch.setattr(training, "compiled", lambda model: torch.compile(model, backend=backend))
    yield traced
    torch.compiler.reset()


def losses(key, text):
    model = build_model(CONFIG, key, text)
    return [step.loss for step in islice(train(model, key, text, CONFIG), 5)], model


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # torch asks for it itself, of a table that is looked up
@pytest.mark.parametrize("key", ["learned", "rope", "t5", "fire"])
def test_compiled_training_has_the_losses_of_the_other(key, text, graphs, monkeypatch):
    found, model = losses(key, text)
    parts = len(graphs)
    assert parts == 1 or key == "learned"  # the whole model, and once for all steps; a table asks whether it is as long
    answers(model, text.held_out_examples(16))
    assert len(graphs) == parts
    monkeypatch.setattr(training, "compiles", compiles)
    expected, other = losses(key, text)
    assert len(graphs) == parts > 0
    assert found == pytest.approx(expected, abs=1e-5)
    torch.testing.assert_close(list(model.parameters()), list(other.parameters()), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_what_is_turned_in_real_numbers_is_turned_as_ever(dtype):
    x = torch.randn(2, 3, 5, 8, generator=torch.Generator().manual_seed(0)).to(dtype)
    positions, frequencies = torch.arange(5) + 1_000, rotary.frequencies(8)
    traced = []

    def backend(graph, inputs):
        traced.append(graph.code)
        return graph.forward

    turned = torch.compile(rotary.rotate, backend=backend)(x, positions, frequencies)
    torch.testing.assert_close(turned, rotary.rotate(x, positions, frequencies), rtol=1e-6, atol=1e-6)
    assert turned.dtype == dtype
    assert "complex" not in "".join(traced)
    assert "polar" not in "".join(traced)
    torch.compiler.reset()


def test_large_models_on_cuda_alone_are_compiled(text):
    large = replace(CONFIG, d_model=512)  # no small run has so many channels
    there = SimpleNamespace(device=torch.device("cuda"))
    assert compiles(there, large)
    assert not compiles(there, CONFIG)
    assert not compiles(build_model(CONFIG, "rope", text), large)


def test_what_cannot_be_compiled_is_computed_as_it_is(monkeypatch):
    def refused(graph, inputs):
        raise RuntimeError("no code for this")

    compile_as = torch.compile
    monkeypatch.setattr(torch, "compile", lambda model: compile_as(model, backend=refused))
    monkeypatch.setattr(torch._dynamo.config, "suppress_errors", False)  # and as it was afterwards
    layer = torch.nn.Linear(3, 2)
    x = torch.ones(4, 3)
    assert torch.equal(compiled(layer)(x), layer(x))
    torch.compiler.reset()
