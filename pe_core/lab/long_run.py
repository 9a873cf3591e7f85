"""A run of large models on one device, one after the other: it can be stopped at any time, and goes on from there."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

import torch
from tqdm import tqdm

from pe_core.files import write_whole
from pe_core.lab.device import CPU
from pe_core.lab.experiment.checkpoint import Checkpoint
from pe_core.lab.experiment.datasets import Dataset
from pe_core.lab.experiment.evaluation import PART
from pe_core.lab.experiment.layers import reads_with
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.run import Outcome, Unit, one_thread, plan, repairs_of, run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import TrainStep, texts_learned_at_once, texts_tuned_on
from pe_core.lab.queue.estimate import COPIES, FLOAT, SPARE, Calibration, calibrate, of
from pe_core.lab.results import record_file
from pe_core.lab.results.record import Progress, RunRecord, TextFacts, collect, text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.parameters import cut, require
from pe_core.translation import Say

BACKWARD = 3  # times the work of a forward pass is a step of training
SHOWN = 1.0  # seconds between two numbers of the bar


@dataclass(frozen=True)
class Model:
    """One model of a run: its configuration alone, and the names of its files in the folder of what is unfinished."""

    config: RunConfig
    record: Path
    checkpoint: Path

    @property
    def encoding(self) -> str:
        """The key of its encoding."""
        return self.config.encodings[0]


def models_of(config: RunConfig, text: TextFacts, folder: Path) -> list[Model]:
    """Return the models of a run, those of the first seed first; files have the hash of all that decides the numbers.

    So what another run, text or version has left in the folder is never taken for one of these.
    """
    found = []
    for seed in config.seeds:
        for key in config.encodings:
            repairs = tuple(repair.key for repair in repairs_of(config, key))
            alone = replace(config.of_seed(seed), encodings=(key,), repairs=repairs)
            name = run_hash(alone, text)
            found.append(Model(alone, folder / f"{name}.json", folder / f"{name}.safetensors"))
    return found


def train_long(config: RunConfig, learned: Dataset, device: str, folder: Path, say: Say = str) -> RunRecord:
    """Return the record of a run, under a progress bar; what is unfinished lies in `folder`, from where it goes on.

    Raises `ValueError` where the memory will not do, before anything is trained, and where the device fails.
    """
    learned.check_length(max(config.lengths))
    facts = text_facts(learned)
    check_memory(config, len(learned.vocabulary), device)
    folder.mkdir(parents=True, exist_ok=True)
    models = models_of(config, facts, folder)
    progress: dict[tuple[str, int], Progress] = {}
    with one_thread(), _Bar(sum(_work(unit) * n for one in models for unit, n in _plan(one, learned)), say) as bar:
        for one in models:
            progress[one.encoding, one.config.seed] = _trained(one, learned, device, facts, bar)
    for one in models:
        one.record.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()
    return collect(config, facts, progress, device)


def _plan(one: Model, learned: Dataset) -> list[tuple[Unit, int]]:
    return plan(one.config, one.encoding, n_held_out=learned.n_held_out)


def _work(unit: Unit) -> int:
    return unit.tokens * (BACKWARD if unit.learns else 1)


def _trained(one: Model, learned: Dataset, device: str, facts: TextFacts, bar: "_Bar") -> Progress:
    """Return what has come of one model: from its file where it is complete, else trained from its checkpoint on."""
    units = [unit for unit, n in _plan(one, learned) for _ in range(n)]
    seed, progress = one.config.seed, Progress()
    if one.record.exists():
        known = record_file.from_json(one.record.read_text(encoding="utf-8"))
        bar.skip(sum(map(_work, units)))
        return Progress(list(known.curves[one.encoding][seed]), outcome=known.outcomes[one.encoding][seed])
    checkpoint, ahead = Checkpoint(one.checkpoint), iter(units)
    with _told(one, device, progress, checkpoint):
        for event in run_encoding(one.config, one.encoding, learned, device, checkpoint=checkpoint):
            progress.note(event)
            if not isinstance(event, Transformer | Outcome):
                unit = next(ahead)
                made_before = isinstance(event, TrainStep) and event.step < len(checkpoint.curve)
                bar.advance(unit, len(progress.curve), made_before=made_before)
    record = collect(one.config, facts, {(one.encoding, seed): progress}, device)
    write_whole(one.record, record_file.exact_json(record).encode())
    checkpoint.remove()
    return progress


@contextmanager
def _told(one: Model, device: str, progress: Progress, checkpoint: Checkpoint) -> Iterator[None]:
    """Turn a failure of the device into one sentence that says where it was, and that the run can go on."""
    try:
        yield
    except RuntimeError as error:
        where = f"after step {len(progress.curve):,} of {one.encoding} with seed {one.config.seed}"
        then = f"the same command goes on from step {checkpoint.kept:,} of it"
        first = cut(str(error).partition("\n")[0], 120)
        if isinstance(error, torch.OutOfMemoryError) or "not enough memory" in str(error):
            raise ValueError(f"{device} ran out of memory {where}; {then}") from None
        if isinstance(error, torch.AcceleratorError) or "CUDA error" in str(error):
            raise ValueError(f"{device} was lost {where} ({first}); {then}") from None
        raise ValueError(f"training failed {where} ({first}); {then}") from None


class _Bar:
    """A progress bar in tokens, those that are learned counting three times; it says steps and tokens per second."""

    def __init__(self, total: int, say: Say) -> None:
        self._bar = tqdm(total=total, bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")
        self._say = say
        self._since, self._tokens = monotonic(), 0

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def skip(self, work: int) -> None:
        """Take in what was done before; remaining time counts the rest alone."""
        if not self._bar.disable:  # as with TQDM_DISABLE=1: then it has no start to be moved
            self._bar.initial += work
        self._bar.update(work)

    def advance(self, unit: Unit, steps: int, *, made_before: bool) -> None:
        """Take in one unit of work."""
        if made_before:
            self.skip(_work(unit))
            return
        self._bar.update(_work(unit))
        self._tokens += unit.tokens
        if (taken := monotonic() - self._since) >= SHOWN:
            self._bar.set_postfix_str(self._say(f"{steps} steps, {self._tokens / taken:,.0f} tokens/s"))
            self._since, self._tokens = monotonic(), 0


def check_memory(config: RunConfig, vocab_size: int, device: str) -> None:
    """Raise `ValueError` where the largest model of a run needs more memory than the device has free."""
    free = free_bytes(device)
    if free is None:
        return
    calibration = calibrate()
    needed = {key: needed_bytes(config, vocab_size, key, calibration) for key in config.encodings}
    largest = max(needed, key=lambda key: needed[key])
    rule = f"be at least {needed[largest] / 1e9:.1f} GB for {largest} in this run"
    require(needed[largest] <= free, f"free memory of {device}", rule, f"{free / 1e9:.1f} GB")


def free_bytes(device: str) -> int | None:
    """Return how much memory of a device is free, None where that is not known: on systems that do not tell it."""
    if device != CPU:
        return int(torch.accelerator.get_memory_info(torch.device(device))[0])
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((1_024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)


def needed_bytes(config: RunConfig, vocab_size: int, encoding: str, calibration: Calibration) -> float:
    """Return the memory that the model of an encoding needs at most: itself with its optimiser, and its largest step.

    That is a step of training or of fine-tuning, or a part of the longest text with the keys of all before it.
    """
    beside, longest = reads_with(config.layers), max(config.lengths)
    texts = min(config.batch_size, texts_learned_at_once(config.train_length))
    held = calibration.step(of(config, vocab_size, texts=texts), encoding, beside).held
    if config.tune_steps:
        texts = min(texts_tuned_on(config, longest), texts_learned_at_once(longest))
        tuning = of(config, vocab_size, texts=texts, length=longest)
        held = max(held, calibration.step(tuning, encoding, beside).held)
    pairs = config.n_heads * PART * longest
    reading = FLOAT * (3 * pairs + 3 * longest * vocab_size + 3 * config.n_layers * longest * config.d_model)
    n_parameters = config.n_layers * 12 * config.d_model**2 + 2 * config.d_model * vocab_size
    return COPIES * FLOAT * n_parameters + SPARE * max(held, reading)
