"""What a model answers at its training length and beyond it: as trained, and in glances while it is in training."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from pe_core.encodings import PositionalEncoding
from pe_core.lab.experiment.datasets import Examples
from pe_core.lab.experiment.model import Cache, Transformer
from pe_core.lab.experiment.repair import AS_TRAINED, Repair
from pe_core.lab.experiment.settings import RunConfig, conditions
from pe_core.lab.experiment.task import Dataset, Task

CACHED_TOKENS = 2_048  # of texts that are read together, so that they stay in the cache
WHOLE, PART = 2_048, 512  # tokens of a text that is read at once, and of the parts of a longer one
WHOLE_ON_GPU = 4_096  # there many small parts cost more time than large matrices
MAX_TOKENS, FEW_TEXTS = 4_096, 8  # of a batch, whose texts are told the same positions


@dataclass(frozen=True)
class LengthLoss:
    """What a model does at one length: loss in nats per answer, mean over all places, and over their last quarter.

    Of a task also the share of answers that are right, of examples that are right as a whole, and of right answers
    among those asked past the training length (at that length, of all); None for a text. Of a text also the loss at the
    `end` of the windows, that of the same characters `within` the training length, and their difference by block, as
    `end_loss` defines them; None for a task, and in files from before they were measured.
    """

    length: int
    loss: float
    last_quarter: float
    accuracy: float | None = None
    exact: float | None = None
    beyond: float | None = None
    end: float | None = None
    within: float | None = None
    blocks: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of a model to N examples of T tokens: the loss of each in nats, and whether the likeliest is right.

    Where nothing was asked the loss is 0 and the answer is not right.
    """

    losses: Tensor  # (N, T) float64
    right: Tensor  # (N, T) bool
    asked: Tensor  # (N, T) bool

    @property
    def by_place(self) -> Tensor:
        """The mean loss at each place where an answer is asked, float64, (places,): for a text, at every position."""
        n_asked = self.asked.sum(0)
        return (self.losses.sum(0) / n_asked)[n_asked > 0]

    @property
    def accuracy(self) -> float:
        """The share of answers that are right."""
        return float(self.right.sum() / self.asked.sum())

    def accuracy_from(self, place: int) -> float:
        """Return the share of right answers among those that are asked at this place, counted from 0, or later."""
        return int(self.right[:, place:].sum()) / int(self.asked[:, place:].sum())

    @property
    def exact(self) -> float:
        """The share of examples all of whose answers are right."""
        return float((self.right | ~self.asked).all(1).double().mean())


@torch.inference_mode()
def answers(
    model: Transformer,
    examples: Examples,
    *,
    mask: Tensor | None = None,
    positions: Callable[[], Tensor] | None = None,
    encoding: PositionalEncoding | None = None,
) -> Answers:
    """Return what a model answers in evaluation mode, on the CPU, where the examples are too; each without context.

    `mask` (T, T) is causal unless given; `positions` returns what the model is told for a batch, (T,), so that random
    ones are drawn anew, else it counts from 0; another `encoding` can stand in for the trained one. These are where the
    model is.
    """
    losses, right = [], []
    length = examples.inputs.shape[1]
    at_once = texts_at_once(length)
    together = texts_in_cache(length) if _on_cpu(model) else at_once
    before = model.training
    model.eval()
    try:
        for first in range(0, len(examples.inputs), at_once):
            batch = examples.part(first, first + at_once).to(model.device)
            told = positions() if positions else None
            for part in batch.split(together):
                logits = _read(model, part.inputs, told, mask, encoding)
                losses.append(F.cross_entropy(logits.transpose(1, 2), part.targets, reduction="none").double())
                right.append(logits.argmax(-1) == part.targets)
    finally:
        model.train(before)
    return Answers(torch.cat(losses).cpu(), torch.cat(right).cpu(), examples.asked)


@torch.inference_mode()
def answers_under(model: Transformer, config: RunConfig, examples: Examples, repair: Repair) -> Answers:
    """Return what a model of a run answers under a repair, which takes the place of what it changes.

    Random positions are drawn from the seed of the run, and anew for each batch.
    """
    mask, positions = conditions(config, examples.inputs.shape[1], repair, model.device)
    encoding = repair.build(model.encoding, config.shape)
    return answers(model, examples, mask=mask, positions=positions, encoding=encoding)


def _read(
    model: Transformer, tokens: Tensor, told: Tensor | None, mask: Tensor | None, encoding: PositionalEncoding | None
) -> Tensor:
    """Return the logits of texts; those of more than `WHOLE` tokens are read in parts, to have no matrix of all pairs.

    A text is read as a whole where a longer one would change what layers have kept of its beginning.
    """
    length = tokens.shape[1]
    positions = torch.arange(length, device=tokens.device) if told is None else told
    whole = WHOLE if _on_cpu(model) else WHOLE_ON_GPU
    if length <= whole or not _grows(encoding or model.encoding, positions):
        return model(tokens, positions=told, mask=mask, encoding=encoding)  # type: ignore[no-any-return]
    cache, found = Cache(len(model.blocks)), []
    for first in range(0, length, PART):
        end = min(first + PART, length)
        seen = None if mask is None else mask[:end, :end]
        new = slice(first, end)
        found.append(model(tokens[:, new], positions=positions[new], mask=seen, encoding=encoding, cache=cache))
    return torch.cat(found, dim=1)


def _on_cpu(model: Transformer) -> bool:
    return model.device.type == "cpu"


def _grows(encoding: PositionalEncoding, positions: Tensor) -> bool:
    try:
        encoding.check_cache(positions[:PART], positions[PART:])
    except ValueError:
        return False
    return True


def texts_at_once(length: int) -> int:
    """Return how many texts of so many tokens are in one batch of an evaluation, told the same positions."""
    return max(1, CACHED_TOKENS // length, min(FEW_TEXTS, MAX_TOKENS // length))


def texts_in_cache(length: int) -> int:
    """Return how many texts of so many tokens are read together on the CPU: as many as are fastest.

    A bias of each text is (H, T, T); of some long texts it is so large that the system takes its memory back each time.
    """
    return max(1, CACHED_TOKENS // length)


def summarise(losses: Tensor) -> LengthLoss:
    """Return the summary of the losses by position, shape (length,)."""
    last = losses[-max(1, len(losses) // 4) :]
    return LengthLoss(len(losses), float(losses.mean()), float(last.mean()))


def marked(found: Answers, length: int, train_length: int) -> LengthLoss:
    """Return the summary of the answers to a task whose questions have at most so many tokens.

    There is nothing to pair: a longer example asks another question. What can be left out is what is asked within the
    training length, which some tasks do in examples of any length.
    """
    summary = summarise(found.by_place)
    beyond = found.accuracy_from(train_length) if length > train_length else found.accuracy
    return LengthLoss(length, summary.loss, summary.last_quarter, found.accuracy, found.exact, beyond)


def end_loss(losses: Tensor, within: Tensor, max_multiple: int) -> tuple[float, float, tuple[float, ...]]:
    """Return what the last half training length of windows costs, the same within the training length, and by block.

    All in nats per character; the last are the differences by block of the text, whose mean is that of the first two.
    So what length costs is measured where it is paid. A window of N training lengths L begins within the training
    length: there it reads what every window of L reads, and costs nothing more. The mean over the whole window, as in
    Press et al. 2021 (arXiv:2108.12409), has that part in it: a half at 2L. All windows are cut from the same place of
    the text, so each long one ends where a window of L ends. Both give a loss for the last L/2 characters there: in the
    long window after (N - 1/2) L to N L characters, in the window of L after L/2 to L.

    `losses` (n, N L) are those of windows of N training lengths, `within` (m, L) those of the same text in windows of
    L. A block is one window of the longest length, of `max_multiple` training lengths. Only whole blocks count, so that
    all lengths are compared over the same ones. A window belongs to the block that it ends in. Where N does not divide
    `max_multiple` blocks hold unequal numbers of windows, and each weighs as much as it holds.
    """
    length = within.shape[1]
    multiple, last = losses.shape[1] // length, length // 2
    n_blocks = len(within) // max_multiple
    n_windows = n_blocks * max_multiple // multiple
    ends = torch.arange(1, n_windows + 1) * multiple - 1  # the window of L that ends where the long one does
    long, short = losses[:n_windows, -last:].mean(1), within[ends, -last:].mean(1)
    blocks = torch.zeros(n_blocks, dtype=losses.dtype).index_add(0, ends // max_multiple, long - short)
    return float(long.mean()), float(short.mean()), tuple((blocks * n_blocks / n_windows).tolist())


def summarise_text(found: Answers, within: Tensor, max_multiple: int) -> LengthLoss:
    """Return the summary of what a model does with a text at one length; the rest is as `end_loss` has it."""
    end, same, blocks = end_loss(found.losses, within, max_multiple)
    return replace(summarise(found.by_place), end=end, within=same, blocks=blocks)


N_LONGEST = 2  # windows of the longest length that are read under a repair, and as many characters in shorter ones
FIRST = 10  # steps before the first glance, so that there is something to see within a second
MIN_APART, MAX_APART, N_GLANCES = 25, 100, 6  # steps between two glances, and how many a short run has


@dataclass(frozen=True)
class Glance:
    """What a model in training does after so many steps with a few held-out examples of one length.

    It shows how the loss past the training length comes about, and decides no number of a finished run: nothing is
    drawn from the generators of the training, and the model is left as it was.
    `loss` is in nats per answer; `accuracy` is the fraction of right answers of a task, None for a text; `repair` is
    the key of what was changed.
    """

    step: int
    length: int
    loss: float
    accuracy: float | None = None
    repair: str = AS_TRAINED.key


def glanced_steps(config: RunConfig) -> tuple[int, ...]:
    """Return the steps after which a model is glanced at: an early one, then a sixth of the training apart.

    That is 25 to 100 steps. None comes near the last step, which the whole evaluation follows.
    """
    apart = min(MAX_APART, max(MIN_APART, config.steps // N_GLANCES))
    return FIRST, *range(apart, config.steps - apart // 2, apart)


def glanced_tokens(config: RunConfig, length: int, repair: Repair) -> int:
    """Return how many tokens a glance reads at a length, at most: one batch of an evaluation, under a repair less."""
    return texts_at_once(length) * length if repair is AS_TRAINED else N_LONGEST * max(config.lengths)


def glance(
    model: Transformer, config: RunConfig, dataset: Dataset, step: int, repairs: Sequence[Repair] = ()
) -> Iterator[Glance]:
    """Yield what a model does after so many steps, length by length, as it is and under each of the repairs."""
    for repair in (AS_TRAINED, *repairs):
        for length in config.lengths:
            examples = dataset.held_out_examples(length).part(0, glanced_tokens(config, length, repair) // length)
            found = answers_under(model, config, examples, repair)
            accuracy = found.accuracy if isinstance(dataset, Task) else None
            yield Glance(step, length, float(found.by_place.mean()), accuracy, repair.key)
