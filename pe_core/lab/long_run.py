"""A run of large models on one device, one after the other: it can be stopped at any time, and goes on from there."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from time import monotonic

import torch
from tqdm import tqdm

from pe_core.files import write_whole
from pe_core.lab.device import CPU
from pe_core.lab.experiment.checkpoint import Checkpoint
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.run import Outcome, Unit, one_thread, plan, repairs_of, run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks.base import Dataset
from pe_core.lab.queue.estimate import calibrate, need
from pe_core.lab.queue.time_left import Pace, Remaining, weight
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
                checkpoint = _file(one, learned, folder, "safetensors")
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

    The time is that of what is left at the pace that was measured here so far, of which nothing is said before the
    first steps. What a model takes to begin, as to be compiled, is measured apart and expected of each that follows.
    """

    def __init__(self, models: Sequence[tuple[RunConfig, Dataset]], say: Say) -> None:
        config, learned = models[0]
        self._say = say
        self._vocab_size, self._config = len(learned.vocabulary), config
        self._pace = Pace(config, len(learned.vocabulary))
        self._ahead = [_Ahead(one, text, self._weight) for one, text in models]
        self._now: _Ahead | None = None
        self._beginning: list[float] = []  # seconds of the first unit of each model
        self._bar = tqdm(total=sum(one.work for one in self._ahead), bar_format="{l_bar}{bar}| {elapsed}{postfix}")
        self._last = self._since = monotonic()
        self._tokens, self._fresh = 0, True

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def _weight(self, unit: Unit) -> int:
        return round(weight(self._config, unit, self._vocab_size))

    def begin(self) -> None:
        """Take in that the next model begins."""
        self._now, self._fresh, self._last = self._ahead.pop(0), True, monotonic()

    def skip(self) -> None:
        """Take in that the model was complete before."""
        assert self._now is not None  # it has begun
        self._bar.update(self._now.work)

    def advance(self, steps: int, *, again: bool) -> None:
        """Take in one unit of work, `again` where it was done before; so many steps were made in what is learned."""
        assert self._now is not None  # it has begun
        unit = self._now.rest.take()
        assert unit is not None  # a run has the events of its plan
        self._bar.update(self._weight(unit))
        now = monotonic()
        seconds, self._last = now - self._last, now
        if again:
            return
        if self._fresh:
            self._beginning.append(seconds)
        else:
            self._pace.note(self._now.encoding, unit, seconds)
        self._fresh = False
        self._tokens += unit.tokens
        if (taken := now - self._since) >= SHOWN:
            told = f"{steps} steps, {self._tokens / taken:,.0f} tokens/s"
            left = self.seconds_left()
            about = f", about {self._bar.format_interval(left)} left" if left else ""
            self._bar.set_postfix_str(self._say(f"{told}{about}"))
            self._since, self._tokens = now, 0

    def seconds_left(self) -> float:
        """Return how long the rest takes at the pace so far; 0 before anything was measured."""
        models = self._ahead if self._now is None else [self._now, *self._ahead]
        left = sum(float(one.rest.seconds(one.encoding, self._pace).sum()) for one in models)
        begins = len(self._ahead) * fmean(self._beginning) if self._beginning else 0.0
        return left + begins if left else 0.0


class _Ahead:
    """What a model has still to do, and its work in all, as `weight` weighs it."""

    def __init__(self, config: RunConfig, learned: Dataset, weigh: Callable[[Unit], int]) -> None:
        [self.encoding] = config.encodings
        units = plan(config, self.encoding, n_held_out=learned.n_held_out)
        self.work = sum(weigh(unit) * times for unit, times in units)
        self.rest = Remaining(units)


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
