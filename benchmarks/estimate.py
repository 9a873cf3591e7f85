"""What the lab expects a run to need beside what it needs: seconds of a step, and memory, each in a fresh process."""

import multiprocessing
import resource
import time
from dataclasses import replace

import torch

from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.run import measure
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, train
from pe_core.lab.queue import estimate

DEFAULT = RunConfig(("rope",), steps=50)
WIDE = replace(DEFAULT, d_model=256, n_heads=8, n_layers=2, batch_size=32)
LONG = replace(DEFAULT, train_length=256, n_heads=8, batch_size=32)
DEEP = replace(DEFAULT, train_length=128, d_model=128, n_layers=6, batch_size=16)
ENCODINGS = ("none", "rope", "alibi", "t5", "shaw", "rerope", "fire", "cope")
STEPS = 3


def needed(config: RunConfig) -> tuple[float, float]:
    """Return the seconds of one core that a step takes, and the megabytes that steps and the longest evaluation add."""
    torch.set_num_threads(1)
    [encoding], corpus = config.encodings, built_in()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model = build_model(config, encoding, corpus)
    steps = train(model, encoding, corpus, config)
    next(steps)
    start = time.thread_time()
    for _ in range(STEPS):
        next(steps)
    seconds = (time.thread_time() - start) / STEPS
    measure(model, config, corpus, max(config.lengths))
    return seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> None:
    """Print the expected and the measured numbers of each configuration, and their ratio."""
    torch.set_num_threads(1)
    calibration, vocab_size = estimate.calibrate(), len(built_in().vocabulary)
    context = multiprocessing.get_context("spawn")
    for sizes in (DEFAULT, WIDE, LONG, DEEP):
        for encoding in ENCODINGS:
            config = replace(sizes, encodings=(encoding,))
            seconds = calibration.step(estimate.of(config, vocab_size), encoding).seconds
            megabytes = estimate.need(config, vocab_size, calibration, n_workers=1).bytes / 2**20
            with context.Pool(1) as alone:
                took, held = alone.apply(needed, (config,))
            print(
                f"{encoding} {config.train_length} x {config.d_model}, {config.n_layers} layers: "
                f"step {1000 * took:.0f} ms, expected {seconds / took:.2f} of it; "
                f"{held:.0f} MB, expected {megabytes / held:.2f} of it",
                flush=True,
            )


if __name__ == "__main__":
    main()
