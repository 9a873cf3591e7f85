"""Loss against the amount of data: encodings trained on parts of the text, each with several seeds, and the file.

Each model takes the same number of steps, so with an eighth of the text every passage is read eight times as often.
The part is the beginning of the training text; what is held out is always the same.

    python -m pe_core.lab.inspection.amounts   # trains for some minutes and writes amounts.json
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pe_core.files import KEPT_RUNS, check_writable, write_whole
from pe_core.lab.experiment.datasets import Corpus, built_in
from pe_core.lab.experiment.run import measure, one_thread
from pe_core.lab.experiment.settings import RunConfig, read_config
from pe_core.lab.experiment.training import build_model, train
from pe_core.lab.results.record import TextFacts, text_facts
from pe_core.lab.results.record_file import check_format, head

KEPT = KEPT_RUNS / "amounts.json"
ENCODINGS = ("learned", "sinusoidal")
PARTS = (16, 8, 4, 2, 1)  # of the training text: one divided by these
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Amounts:
    """Characters trained on, and of each encoding the losses on held-out text (amounts, seeds), nats per character."""

    config: RunConfig
    characters: Sequence[int]
    losses: Mapping[str, Sequence[Sequence[float]]]


def part_of(corpus: Corpus, part: int) -> Corpus:
    """Return the corpus with one `part`-th of its training text, from the beginning, and all of what is held out."""
    return replace(corpus, train=corpus.train[: len(corpus.train) // part])


def loss_after(config: RunConfig, encoding: str, corpus: Corpus) -> float:
    """Return the mean held-out loss at the training length of a model that is trained on the corpus, nats a character.

    It has as many characters in its vocabulary as the whole text, so that all losses are of the same task.
    """
    model = build_model(config, encoding, corpus)
    for _ in train(model, encoding, corpus, config):
        pass
    return float(measure(model, config, corpus, config.train_length).by_place.mean())


def train_amounts(config: RunConfig, corpus: Corpus) -> Iterator[tuple[str, int, int, float]]:
    """Train a model of each encoding, part and seed, and yield these three with its held-out loss."""
    for part in PARTS:
        for seed in SEEDS:
            for encoding in ENCODINGS:
                with one_thread():
                    yield encoding, part, seed, loss_after(replace(config, seed=seed), encoding, part_of(corpus, part))


def read(path: str | Path = KEPT) -> Amounts:
    """Return what `write` has written; `ValueError` for a file of another format, `OSError` where there is none."""
    facts = json.loads(Path(path).read_text(encoding="utf-8"))
    check_format(facts)
    return Amounts(read_config(facts["settings"]), facts["characters"], facts["losses"])


def write(found: Amounts, text: TextFacts, path: Path) -> None:
    """Write the losses with the settings, text and versions that they belong to, whole or not at all."""
    numbers = {"characters": found.characters, "losses": found.losses}
    facts = {**head(found.config.settings(), text), **numbers}
    write_whole(path, (json.dumps(facts, indent=1) + "\n").encode())


def main(path: Path = KEPT) -> None:
    """Train all models, print the loss of each, and write the file."""
    check_writable(path)
    config, corpus = RunConfig(ENCODINGS), built_in()
    losses: dict[str, list[list[float]]] = {encoding: [[] for _ in PARTS] for encoding in ENCODINGS}
    for encoding, part, seed, loss in train_amounts(config, corpus):
        losses[encoding][PARTS.index(part)].append(loss)
        print(f"{encoding}, 1/{part} of the text, seed {seed}: {loss:.4f}", flush=True)
    characters = [len(part_of(corpus, part).train) for part in PARTS]
    write(Amounts(config, characters, losses), text_facts(corpus), path)


if __name__ == "__main__":
    main()
