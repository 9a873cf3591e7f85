"""A run of large models on one device, one after the other: it can be stopped at any time, and goes on from there."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic

import torch
from tqdm import tqdm

from pe_core.files import write_whole
from pe_core.lab.device import CPU
from pe_core.lab.experiment.checkpoint import Checkpoint
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.run import Outcome, Unit, one_thread, plan, repairs_of, run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset
from pe_core.lab.queue.estimate import calibrate, need
from pe_core.lab.queue.time_left import Remaining, weight
from pe_core.lab.results import record_file
from pe_core.lab.results.record import Progress, RunRecord, collect, text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.parameters import cut, require
from pe_core.translation import Say

SHOWN = 1.0  # seconds between two numbers of the bar


def alone(config: RunConfig) -> list[RunConfig]:
    """Return the runs of one model each that a run is made of, those of the first seed first."""
    return [
        replace(config.of_seed(seed), encodings=(key,), repairs=tuple(one.key for one in repairs_of(config, key)))
        for seed in config.seeds
        for key in config.encodings
    ]


def train_long(config: RunConfig, learned: Dataset, device: str, folder: Path, say: Say = str) -> RunRecord:
    """Return the record of a run, under a progress bar; what is unfinished lies in `folder`, from where it goes on.

    Raises `ValueError` where the memory will not do, before anything is trained, and where the device fails.
    """
    models = alone(config)
    record = joined(config, train_models(models, learned, device, folder, say))
    forget(models, learned, folder)
    return record


def train_models(
    models: Sequence[RunConfig], learned: Dataset, device: str, folder: Path, say: Say = str
) -> list[RunRecord]:
    """Return the record of each of at least one model, under a progress bar; errors as in `train_long`.

    What is complete lies in the folder, from where it is taken another time.
    """
    learned.check_length(max(max(one.lengths) for one in models))
    runs = [(one, learned) for one in models]
    check_memory(runs, device)
    records = []
    with Bar(runs, say) as bar:
        for one in models:
            bar.begin()
            kept = _file(one, learned, folder, "json")
            if kept.exists():
                records.append(record_file.from_json(kept.read_text(encoding="utf-8")))
                bar.skip()
            else:
                checkpoint = _file(one, learned, folder, "pt")
                records.append(resumed(one, learned, device, checkpoint, bar, kept))
    return records


def _file(model: RunConfig, learned: Dataset, folder: Path, suffix: str) -> Path:
    """Return a file of a model, named by the hash of all that decides its numbers: no other run has it."""
    return folder / f"{run_hash(model, text_facts(learned))}.{suffix}"


def joined(config: RunConfig, models: Sequence[RunRecord]) -> RunRecord:
    """Return the record of a run from those of its models."""
    progress = {}
    for one in models:
        [encoding], seed = one.config.encodings, one.config.seed
        curve, outcome = one.curves[encoding][seed], one.outcomes[encoding][seed]
        progress[encoding, seed] = Progress(list(curve), outcome=outcome)
    return collect(config, models[0].text, progress, models[0].device)


def forget(models: Iterable[RunConfig], learned: Dataset, folder: Path) -> None:
    """Remove the files of models that are complete, and their folder where nothing else lies in it."""
    for one in models:
        _file(one, learned, folder, "json").unlink()
    tidy(folder)


def tidy(folder: Path) -> None:
    """Remove the folder of what is unfinished where it is there and empty."""
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def resumed(
    config: RunConfig, learned: Dataset, device: str, path: Path, bar: "Bar | None" = None, kept: Path | None = None
) -> RunRecord:
    """Return the record of one encoding with one seed, going on from its checkpoints, of which `path` is the first.

    They are removed at the end, after the record was written to the file `kept` where one is named. Raises `ValueError`
    where the device fails: then they stay.
    """
    [encoding], seed = config.encodings, config.seed
    progress, checkpoint = Progress(), Checkpoint(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with one_thread(), _told(encoding, seed, device, checkpoint):
        for event in run_encoding(config, encoding, learned, device, checkpoint=checkpoint):
            progress.note(event)
            if bar and not isinstance(event, Transformer | Outcome):
                bar.advance(len(checkpoint.newest.curve), again=checkpoint.newest.again)
    record = collect(config, text_facts(learned), {(encoding, seed): progress}, device)
    if kept:
        write_whole(kept, record_file.exact_json(record).encode())
    checkpoint.remove()
    return record


@contextmanager
def _told(encoding: str, seed: int, device: str, checkpoint: Checkpoint) -> Iterator[None]:
    """Turn a failure of the device into one sentence that says where it was, and that the run can go on."""
    try:
        yield
    except RuntimeError as error:
        newest = checkpoint.newest
        what = f"fine-tuning {encoding} under {newest.tuned}" if newest.tuned else encoding
        where = f"after step {len(newest.curve):,} of {what} with seed {seed}"
        then = f"the same command goes on from step {newest.kept:,} of it"
        first = cut(str(error).partition("\n")[0], 120)
        if isinstance(error, torch.OutOfMemoryError) or "not enough memory" in str(error):
            raise ValueError(f"{device} ran out of memory {where}; {then}") from None
        if isinstance(error, torch.AcceleratorError) or "CUDA error" in str(error):
            raise ValueError(f"{device} was lost {where} ({first}); {then}") from None
        raise ValueError(f"training failed {where} ({first}); {then}") from None


class Bar:
    """A progress bar over models that are trained one after the other: steps, tokens per second, and the time left.

    Work counts as `weight` weighs it, and what is left takes its time at the pace of what was done here so far.
    """

    def __init__(self, models: Sequence[tuple[RunConfig, Dataset]], say: Say) -> None:
        self._say = say
        self._config, learned = models[0]
        self._vocab_size = len(learned.vocabulary)
        self._ahead = [plan(one, one.encodings[0], n_held_out=text.n_held_out) for one, text in models]
        self._now = Remaining([])
        total = sum(self._weight(unit) * times for units in self._ahead for unit, times in units)
        layout = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
        self._bar = tqdm(total=total, smoothing=0, bar_format=layout)  # of all that was done, not of the last moments
        self._since, self._tokens, self._before = monotonic(), 0, 0

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def _weight(self, unit: Unit) -> int:
        return round(weight(self._config, unit, self._vocab_size))

    def begin(self) -> None:
        """Take in that the next model begins."""
        self._now = Remaining(self._ahead.pop(0))

    def skip(self) -> None:
        """Take in that the model was complete before."""
        while unit := self._now.take():
            self._done_before(unit)

    def _done_before(self, unit: Unit) -> None:
        self._before += self._weight(unit)
        self._bar.initial = self._before  # the pace is that of the rest
        self._bar.update(self._weight(unit))

    def advance(self, steps: int, *, again: bool) -> None:
        """Take in one unit of work, `again` where it was done before; so many steps were made in what is learned."""
        unit = self._now.take()
        assert unit is not None  # a run has the events of its plan
        if again:
            self._done_before(unit)
            return
        self._bar.update(self._weight(unit))
        self._tokens += unit.tokens
        now = monotonic()
        if (taken := now - self._since) >= SHOWN:
            self._bar.set_postfix_str(self._say(f"{steps} steps, {self._tokens / taken:,.0f} tokens/s"))
            self._since, self._tokens = now, 0


def check_memory(runs: Iterable[tuple[RunConfig, Dataset]], device: str) -> None:
    """Raise `ValueError` where the largest model of runs needs more memory than the device has free."""
    free = free_bytes(device)
    if free is None:
        return
    calibration = calibrate()
    models = {(model, len(learned.vocabulary)) for one, learned in runs for model in alone(one.of_seed(0))}
    needed, largest = max(
        (need(model, vocab_size, calibration, n_workers=1).bytes, model.encodings[0]) for model, vocab_size in models
    )
    rule = f"be at least {needed / 1e9:.1f} GB for {largest} in this run"
    require(needed <= free, f"free memory of {device}", rule, f"{free / 1e9:.1f} GB")


def free_bytes(device: str) -> int | None:
    """Return how much memory of a device is free, None where that is not known: on systems that do not tell it."""
    if device != CPU:
        return int(torch.accelerator.get_memory_info(torch.device(device))[0])
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((1_024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)
