"""The gallery: every encoding trained with several seeds, its file, and the order that follows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pe_core.encodings import ENCODINGS
from pe_core.files import KEPT_RUNS
from pe_core.lab.experiment.datasets import Corpus
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import MULTIPLES, OF_MODEL, RunConfig
from pe_core.lab.results.comparison import Summary, common_seeds, next_told, ranked
from pe_core.lab.results.record import TextFacts, judged, text_facts
from pe_core.lab.results.record_file import check_format, head, in_lines, rounded, versions
from pe_core.lab.results.statistics import (
    NOT_LEARNED,
    Losses,
    at_end,
    compared,
    grade,
    more_bits,
    whole_windows,
)
from pe_core.parameters import Value, require

KEPT = KEPT_RUNS / "gallery.json"
KEPT_PROGRAM = KEPT_RUNS / "gallery_program.json"  # the same runs on the program text
# The same encodings in larger models.
LARGER = KEPT_RUNS / "larger.json"  # of most steps, with one seed
EARLY = KEPT_RUNS / "larger_early.json"  # of few steps, with several seeds
TUNED = KEPT_RUNS / "larger_tuned.json"  # of those of few steps RoPE, fine-tuned at the longest length
END, WHOLE = "end", "whole"  # measures of what length costs: at the end of the window, or over whole windows
PER_NAT = 10_000  # differences by block are kept as whole numbers, of ten-thousandths of a nat
SHARED = tuple(name for name in OF_MODEL if name != "seed")  # settings that all models of one gallery have in common


@dataclass(frozen=True)
class Gallery:
    """All runs of a sweep as far as it has come, by encoding and seed, with what they have in common.

    Its file keeps of an outcome no losses by position, and those after a fine-tuning as those under a repair.
    """

    settings: Mapping[str, Value]
    text: TextFacts
    versions: Mapping[str, str]
    runs: Mapping[str, Mapping[int, Outcome]] = field(default_factory=dict)

    @property
    def train_length(self) -> int:
        """Characters that the models saw at once in training."""
        return int(self.settings["train_length"])

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that any encoding was trained with."""
        return tuple(sorted({seed for by_seed in self.runs.values() for seed in by_seed}))


def empty(corpus: Corpus) -> Gallery:
    """Return the gallery before the first run, which will have the lab's defaults; its settings are what all share."""
    return Gallery(shared_settings(RunConfig()), text_facts(corpus), versions())


def shared_settings(config: RunConfig) -> dict[str, Any]:
    """Return the settings of a run that all models of its gallery have in common."""
    return {name: value for name, value in config.settings().items() if name in SHARED}


def to_json(gallery: Gallery) -> str:
    """Return the gallery with a line for each run and each repair.

    Losses have six digits, and the differences by block of the lengths beyond training four decimals.
    """
    rows = [
        {"encoding": encoding, "seed": seed, "repair": repair, "n_weights": one.n_parameters, **_columns(read.lengths)}
        for encoding, by_seed in gallery.runs.items()
        for seed, one in by_seed.items()
        for repair, read in {"": one.as_trained, **one.repaired}.items()
    ]
    return in_lines({**head(gallery.settings, gallery.text), "versions": gallery.versions}, rows)


def _columns(losses: Losses) -> dict[str, Any]:
    names = ("loss", "last_quarter", *(("end", "within") if at_end(losses) else ()))
    columns: dict[str, Any] = {name: rounded([getattr(one, name) for one in losses]) for name in names}
    if at_end(losses):
        columns["blocks"] = [" ".join(str(round(block * PER_NAT)) for block in one.blocks) for one in losses[1:]]
    return columns


def from_json(text: str) -> Gallery:
    """Return the gallery that `to_json` wrote; `ValueError` for a file of another format."""
    content = json.loads(text)
    check_format(content)
    lengths = RunConfig(train_length=content["settings"]["train_length"]).lengths
    runs: dict[str, dict[int, Outcome]] = {}
    for row in content["trainings"]:
        losses, by_seed, seed = _losses_of(row, lengths), runs.setdefault(row["encoding"], {}), row["seed"]
        if repair := row["repair"]:  # its line stands below that of the run
            own = by_seed[seed]
            by_seed[seed] = replace(own, repaired={**own.repaired, repair: Measurement(losses, ())})
        else:
            by_seed[seed] = Outcome(row["n_weights"], losses, ())
    return Gallery(content["settings"], TextFacts(**content["text"]), content["versions"], runs)


def _losses_of(row: Mapping[str, Any], lengths: Sequence[int]) -> Losses:
    """Return the losses of a line; those from before the end of windows was measured have no columns of it."""
    whole = [LengthLoss(*loss) for loss in zip(lengths, row["loss"], row["last_quarter"], strict=True)]
    if "end" not in row:
        return tuple(whole)
    blocks = [tuple(int(number) / PER_NAT for number in text.split()) for text in ("", *row["blocks"])]
    return tuple(
        replace(one, end=end, within=within, blocks=differences)
        for one, end, within, differences in zip(whole, row["end"], row["within"], blocks, strict=True)
    )


def read(file: str | Path) -> Gallery:
    """Return the gallery in a file; errors as in `from_json`."""
    return from_json(Path(file).read_text(encoding="utf-8"))


BEYOND = MULTIPLES[1:]


@dataclass(frozen=True)
class Standing(Summary):
    """One system of the gallery at one multiple of the training length, by its losses up to there."""

    key: str
    group: str

    @property
    def trained(self) -> float:
        """The mean loss within the training length in nats per character, the first of the two of the ratio."""
        return compared(self.losses)[0]

    @property
    def read(self) -> float:
        """The mean loss at the multiple in nats per character, the second of the two of the ratio."""
        return compared(self.losses)[1]

    @property
    def more_bits(self) -> float:
        """What length costs in bits per character."""
        return more_bits(self.losses)

    @property
    def mean(self) -> float:
        """The ratio of the mean losses, from which the verdict follows; those of each seed are its `grades`."""
        return grade(self.losses)


def by_measure(losses: Mapping[int, Losses], measure: str) -> Mapping[int, Losses]:
    """Return the losses of each seed with what a measure, `END` or `WHOLE`, compares; `ValueError` for another one."""
    require(measure in (END, WHOLE), "measure", f"be {END} or {WHOLE}", measure)
    return losses if measure == END else {seed: whole_windows(one) for seed, one in losses.items()}


def standings(gallery: Gallery, multiple: int, measure: str = END) -> list[Standing]:
    """Return every encoding at a multiple of the training length, the smallest ratio first, "not learned" last.

    `measure` is `END`, the loss at the end of the windows against that of the same characters within the training
    length, or `WHOLE`, means over whole windows as in Press et al. Only seeds count that all encodings were trained
    with, if there are any.
    """
    losses = {key: {seed: one.lengths for seed, one in by_seed.items()} for key, by_seed in gallery.runs.items()}
    named_so = {key: (ENCODINGS[key].title, ENCODINGS[key].family) for key in losses}
    return _standings(gallery, losses, named_so, multiple, measure)


def repaired(gallery: Gallery, encoding: str, multiple: int, measure: str = END) -> list[Standing]:
    """Return one encoding as it was trained and under each repair, the smallest ratio first; all else as `standings`.

    At the end of the windows each is held against the model as trained within the training length.
    """
    runs = gallery.runs[encoding]
    losses = {AS_TRAINED.key: {seed: one.lengths for seed, one in runs.items()}}
    for name in dict.fromkeys(name for one in runs.values() for name in one.repaired):
        losses[name] = {seed: one.repaired[name].lengths for seed, one in runs.items() if name in one.repaired}
    named_so = {name: (named(name).title, "repaired") for name in losses if name != AS_TRAINED.key}
    return _standings(
        gallery, losses, {AS_TRAINED.key: (AS_TRAINED.title, "as trained"), **named_so}, multiple, measure
    )


def _standings(
    gallery: Gallery,
    losses: Mapping[str, Mapping[int, Losses]],
    named_so: Mapping[str, tuple[str, str]],
    multiple: int,
    measure: str,
) -> list[Standing]:
    """Return the order of systems, given their losses by seed, and the title and group of each."""
    require(multiple in BEYOND, "multiple", f"be one of {', '.join(map(str, BEYOND))}", multiple)
    found = []
    for key, by_seed in losses.items():
        upto = {seed: one[: MULTIPLES.index(multiple) + 1] for seed, one in by_measure(by_seed, measure).items()}
        title, group = named_so[key]
        found.append(Standing(title, upto, partial(judged, text=gallery.text), key, group))
    if common := common_seeds(found):
        found = [one.of_seeds(common) for one in found]
    return ranked(found)


def next_apart(found: Sequence[Standing]) -> list[bool | None]:
    """Return for each system whether its seeds tell it apart from the next one, after Holm's correction over all pairs.

    False where there are too few seeds to say so. None where one has not learned, and for the last.
    """
    told, learned = next_told(found), [one.verdict != NOT_LEARNED for one in found]
    pairs = zip(told, learned, learned[1:], strict=False)  # the last one has nobody beside it
    return [*(one == "yes" if first and second else None for one, first, second in pairs), None]
