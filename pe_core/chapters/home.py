"""Home: trained models read a text on past their training length, and what a long text takes in memory.

The numbers of the models are those of a kept file, `home.json`, with titles and verdicts, and `home_picture.json` holds
the picture that they make, so that the first picture of a fresh server waits for no library. `python -m
pe_core.chapters.home` trains the models of the run that comes with the project anew and writes both, in some minutes.
"""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pe_core.chapters.wording import listed, rows
from pe_core.figures.figure import Facts, Figure, KeptFigure
from pe_core.files import KEPT_RUNS, write_whole
from pe_core.measures.memory import CACHED_MODELS, kv_cache_bytes
from pe_core.parameters import require

KEPT, RUN = KEPT_RUNS / "home.json", KEPT_RUNS / "default.json"
PICTURE = KEPT_RUNS / "home_picture.json"
SHOWN = ("sinusoidal", "rope", "alibi")
AVERAGED = 32  # characters of a running mean: that of one is now near 0 and now near 8
LENGTHS = 4_096, 32_768, 131_072  # tokens
KIB, GIB = 2**10, 2**30


@dataclass(frozen=True)
class Reader:
    """A trained model that has read the text: its title, its loss in nats at each character, and its verdict.

    `within` and `end` are what the verdict compares, over all held-out text: the loss at the end of the longest windows
    and that of the same characters within the training length.
    """

    title: str
    losses: tuple[float, ...]
    within: float
    end: float
    verdict: str


@dataclass(frozen=True)
class KeptText:
    """What is kept: the text, where it is from, the training length, the settings in words, and the readers by key."""

    name: str
    text: str
    train_length: int
    steps: int
    seed: int
    n_parameters: int
    readers: Mapping[str, Reader]


def from_json(content: str) -> KeptText:
    """Return what a file holds that `to_json` has written."""
    found = json.loads(content)
    readers = {key: Reader(**{**one, "losses": tuple(one["losses"])}) for key, one in found.pop("readers").items()}
    return KeptText(**found, readers=readers)


def to_json(kept_text: KeptText) -> str:
    """Return the file: each list of losses in a line, with three decimals."""
    readers = {
        key: {**vars(one), "losses": [round(loss, 3) for loss in one.losses]} for key, one in kept_text.readers.items()
    }
    return json.dumps({**vars(kept_text), "readers": readers}, ensure_ascii=False) + "\n"


@cache
def kept() -> KeptText:
    """Return what comes with the project."""
    return from_json(KEPT.read_text(encoding="utf-8"))


def running_means(values: Sequence[float], width: int) -> list[float]:
    """Return at each place the mean of the last `width` values up to it; at the first places of those there are."""
    return [math.fsum(values[max(0, end - width) : end]) / min(width, end) for end in range(1, len(values) + 1)]


def past_training(encodings: tuple[str, ...] = SHOWN) -> Figure:
    """Return the text as models with these encodings have read it; `ValueError` for one that was not trained."""
    # Not for the page, which draws the kept picture: these load pandas and Altair.
    from pe_core.figures.looks.palette import PINNED
    from pe_core.figures.read_along import read_along

    found = kept()
    for key in encodings:
        require(key in found.readers, "encodings", f"be among {', '.join(found.readers)}", key)
    titles = {key: found.readers[key].title for key in encodings}
    losses = {titles[key]: running_means(found.readers[key].losses, AVERAGED) for key in encodings}
    text = found.text.replace("\n", "↵")
    figure = read_along(text, losses, [PINNED[key] for key in encodings], train_length=found.train_length)
    ends = {title: (means[found.train_length - 1], means[-1]) for title, means in losses.items()}
    return figure.with_facts(
        {
            **facts(),
            "averaged": AVERAGED,
            "at-training": listed({title: one for title, (one, _) in ends.items()}, ".2f"),
            "at-end": listed({title: one for title, (_, one) in ends.items()}, ".2f"),
        }
    )


@cache
def kept_picture() -> KeptFigure:
    """Return `past_training()` as it comes with the project."""
    return KeptFigure.from_json(PICTURE.read_text(encoding="utf-8"))


def facts() -> Facts:
    """Return what Home says of the models, and its rows: two losses, e to these, their ratio with the verdict."""
    found = kept()
    named: dict[str, float] = {}
    cells = []
    for key, one in found.readers.items():
        few, many = math.exp(one.within), math.exp(one.end)
        named |= {f"{key}-within": one.within, f"{key}-end": one.end, f"{key}-few": few, f"{key}-many": many}
        ratio = f"× {one.end / one.within:.2f}, {one.verdict}"
        cells.append((one.title, f"{one.within:.2f} → {one.end:.2f}", f"{few:.0f} → {many:.0f}", ratio))
    return {
        **named,
        "table": rows(cells),
        "train": found.train_length,
        "longest": len(found.text),
        "text": found.name,
        "steps": found.steps,
        "seed": found.seed,
        "parameters": found.n_parameters,
    }


def memory() -> Facts:
    """Return what keys and values take: the rows of the table, at each of `LENGTHS`, and what each token takes."""
    cells, each = [], {}
    for model in CACHED_MODELS.values():
        one, *taken = (
            kv_cache_bytes(model.n_layers, model.n_kv_heads, model.head_dim, length) for length in (1, *LENGTHS)
        )
        each[model.title] = f"{one / KIB:g} KiB"
        cells.append((model.title, *(f"{size / GIB:g} GiB" for size in taken)))
    heads = [f"{length:,}" for length in LENGTHS]
    sources = "; ".join(dict.fromkeys(model.source for model in CACHED_MODELS.values()))
    return {"caches": rows(cells), "each": listed(each), "lengths": " | ".join(heads), "sources": sources}


def made() -> KeptText:
    """Train the models of the kept run anew and let each of them read the first window of the held-out text."""
    # Not for the page: this is what loads torch.
    from pe_core.encodings import ENCODINGS
    from pe_core.lab.experiment.datasets import built_in
    from pe_core.lab.experiment.model import Transformer
    from pe_core.lab.experiment.run import Outcome, measure, run_encoding
    from pe_core.lab.results import record_file
    from pe_core.lab.results.record import judged, text_facts
    from pe_core.lab.results.statistics import compared

    config = record_file.from_json(RUN.read_text(encoding="utf-8")).config
    dataset, longest = built_in(), max(config.lengths)
    readers, n_parameters = {}, 0
    for key in config.encodings:
        losses: list[float] = []
        for event in run_encoding(config, key, dataset):
            if isinstance(event, Transformer):
                losses = measure(event, config, dataset, longest).losses[0].tolist()
            elif isinstance(event, Outcome):
                within, end = compared(event.lengths)
                verdict = judged(event.lengths, text_facts(dataset))
                readers[key] = Reader(ENCODINGS[key].title, tuple(losses), within, end, verdict)
                n_parameters = max(n_parameters, event.n_parameters)
    text = "".join(dataset.vocabulary[token] for token in dataset.held_out[:longest].tolist())
    return KeptText(dataset.name, text, config.train_length, config.steps, config.seed, n_parameters, readers)


def main() -> int:
    """Make the kept files; return the exit status: 0 done, 130 interrupted (the files stay as they were)."""
    try:
        write_whole(KEPT, to_json(made()).encode())
        write_whole(PICTURE, past_training().kept().to_json().encode())
    except KeyboardInterrupt:
        print("stopped; nothing was written", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
