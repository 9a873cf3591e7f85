"""A model computes where it is told to: nothing of another device meets it, and the numbers are those of the CPU."""

import importlib
from dataclasses import replace
from itertools import islice

import pytest
import torch

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.datasets import windows
from pe_core.lab.experiment.evaluation import answers_under
from pe_core.lab.experiment.model import Cache
from pe_core.lab.experiment.repair import REPAIRS, named
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, train, tune
from pe_core.lab.inspection.inside import InspectedModel, attention, logits
from pe_core.lab.storage.weights import to_bytes, unpacked
from tests.cases import each
from tests.lab.running import ready
from tests.other_device import DEVICE, Device

CONFIG = RunConfig(("rope",), train_length=16, d_model=16, n_heads=2, n_layers=1, batch_size=8, tune_steps=50)
LAYERS = {"rnope_window": 2, "gemma3": 6, "modernbert": 3, "llama4": 4, "rope_layers": 2}  # of a whole pattern
DECODED = ("rope", "learned", "alibi", "cable", "gemma3")  # one of each place where position enters


@pytest.fixture(autouse=True)
def fused(monkeypatch):
    """Let AdamW have the fused kernel here, which it has on GPUs and not on `meta`."""
    optimizer = importlib.import_module("torch.optim.optimizer")
    monkeypatch.setattr(optimizer, "_get_fused_kernels_supported_devices", lambda: ["cpu", DEVICE])


def same(compute):
    """Hold what is computed on the second device against what the CPU gives."""
    expected = compute("cpu")
    with Device():
        found = [value.cpu() for value in compute(DEVICE)]
    torch.testing.assert_close(found, list(expected), rtol=1e-4, atol=1e-5)


@each(
    ("key", "changes"),
    [
        *((key, {"n_layers": LAYERS.get(key, 1)}) for key in ENCODINGS),
        ("sinusoidal", {"remap": "randomised"}),
        ("sinusoidal", {"remap": "shape", "mask": "window"}),
    ],
)
def test_every_encoding_trains_and_reads_on_another_device_whatever_it_is_told(key, changes, text):
    config = replace(CONFIG, encodings=(key,), tune_steps=0, **changes)

    def compute(device):
        model = build_model(config, key, text, device)
        assert {one.device.type for one in model.parameters()} == {device}
        losses = [step.loss for step in islice(train(model, key, text, config), 2)]
        tokens, at = text.held_out[:40].view(2, 20).to(device), torch.arange(20)
        with torch.inference_mode():
            together = model(tokens, positions=torch.stack([at, at.clamp(min=3) - 3]).to(device))
            cache = Cache(config.n_layers)
            parts = [model(part, cache=cache) for part in tokens.split(10, dim=1)] if key in DECODED else []
        return torch.tensor(losses), together, *parts

    same(compute)


@each("key", REPAIRS)
def test_every_repair_reads_and_tunes_on_the_device(key, text):
    repair = named(key)
    encoding = repair.suits[0] if repair.suits else "rope"
    examples = windows(text.held_out, 32, 64)

    def compute(device):
        model = build_model(CONFIG, encoding, text, device)
        found_out = ready(repair, model, CONFIG, text)
        found = answers_under(model, CONFIG, examples, found_out)
        assert found.losses.device.type == "cpu"  # where the next one looks at them
        next(tune(model, CONFIG, text, found_out))
        return found.losses, found.right

    same(compute)


def test_a_model_is_looked_into_on_its_device(text):
    def compute(device):
        inspected = InspectedModel(build_model(CONFIG, "rope", text, device), replace(CONFIG, mask="window"))
        start = text.held_out[:20].to(device)
        return attention(inspected, start[None]), logits(inspected, start[None])

    same(compute)


def test_what_a_device_would_refuse_is_refused_here():
    """Else the tests above could not fail."""
    with Device():
        there, here = torch.arange(3, device=DEVICE), torch.arange(3)
        assert (there + there).tolist() == [0, 2, 4]
        for meet in (
            lambda: there + here,
            lambda: here[there],
            lambda: there.double() @ torch.eye(3, dtype=torch.float64),
            lambda: torch.nn.functional.embedding(there, torch.ones(3, 2)),
            lambda: torch.rand(3, device=DEVICE, generator=torch.Generator()),
        ):
            with pytest.raises((AssertionError, RuntimeError)):
                meet()


def test_weights_of_a_device_are_kept_as_those_of_the_cpu(text):
    model = build_model(CONFIG, "rope", text)
    with Device():
        kept = to_bytes(build_model(CONFIG, "rope", text, DEVICE), "rope", text.vocabulary)
    (found, facts), (expected, same_facts) = unpacked(kept), unpacked(to_bytes(model, "rope", text.vocabulary))
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    assert facts == same_facts
