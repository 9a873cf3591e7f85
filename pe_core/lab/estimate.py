"""How long a run will take on this machine, from steps that were really taken."""

import time
from itertools import islice

import torch

from pe_core.lab.corpus import EVALUATED_CHARACTERS, Corpus
from pe_core.lab.run import work
from pe_core.lab.threads import one_thread
from pe_core.lab.training import RunConfig, build_model, train


def seconds(config: RunConfig, n_symbols: int, *, n_workers: int, n_held_out: int = EVALUATED_CHARACTERS) -> float:
    """Return the expected seconds of a run over `n_symbols`, each worker training one encoding at a time.

    Takes one step to warm up and measures the next two of the first encoding; the others are taken to cost the same.
    The text does not matter for the time, so random symbols stand in for it.
    """
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(n_symbols, (4 * config.train_length,), generator=generator)
    corpus = Corpus("random", tuple(map(str, range(n_symbols))), tokens, tokens)
    encoding = config.encodings[0]
    steps = train(build_model(config, encoding, corpus), encoding, corpus, config)
    with one_thread():
        next(steps)
        start = time.perf_counter()
        taken = len(list(islice(steps, 2)))
        step = (time.perf_counter() - start) / taken
    total = config.n_seeds * sum(work(config, key, n_held_out) for key in config.encodings)
    return step * total / min(n_workers, config.n_seeds * len(config.encodings))
