"""The gallery as an order: how much the loss of each encoding grows with the length, and who can be told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pe_core.encodings import ENCODINGS
from pe_core.lab.evaluation import Verdict, ratio, verdict
from pe_core.lab.gallery_file import Gallery
from pe_core.lab.repair import AS_TRAINED, named
from pe_core.lab.seeds import NOT_LEARNED, Losses, mean_losses, paired
from pe_core.lab.settings import MULTIPLES
from pe_core.parameters import require

BEYOND = MULTIPLES[1:]


@dataclass(frozen=True)
class Standing:
    """One system at one multiple of the training length.

    `ratios` are those of the losses with each seed; `trained` and `read` are the mean losses at the training length and
    at the multiple, in nats per character, `mean` is their ratio, from which the verdict follows; with `n_same` seeds
    alone it is the same.
    """

    key: str
    title: str
    group: str
    ratios: Mapping[int, float]
    trained: float
    read: float
    mean: float
    verdict: Verdict
    n_same: int

    @property
    def n(self) -> int:
        """How many seeds there are."""
        return len(self.ratios)


def standings(gallery: Gallery, multiple: int) -> list[Standing]:
    """Return every encoding at a multiple of the training length, the smallest ratio first, "not learned" last."""
    return _ordered(
        [
            _standing(gallery, key, spec.title, spec.family, _losses(gallery, key), multiple)
            for key, spec in ENCODINGS.items()
            if key in gallery.trainings
        ]
    )


def repaired(gallery: Gallery, encoding: str, multiple: int) -> list[Standing]:
    """Return one encoding as it was trained and under each repair, the smallest ratio first."""
    trainings = gallery.trainings[encoding]
    found = [_standing(gallery, AS_TRAINED.key, AS_TRAINED.title, "as trained", _losses(gallery, encoding), multiple)]
    for name in dict.fromkeys(name for training in trainings.values() for name in training.repaired):
        losses = {seed: one.repaired[name] for seed, one in trainings.items() if name in one.repaired}
        found.append(_standing(gallery, name, named(name).title, "repaired", losses, multiple))
    return _ordered(found)


def apart(first: Standing, second: Standing) -> bool:
    """Return whether the ratios of two systems differ by more than their seeds do; only common seeds count."""
    return paired(first.ratios, second.ratios).told == "yes"


def next_apart(found: Sequence[Standing]) -> list[bool | None]:
    """Return for each system whether it can be told apart from the next one; None where one has not learned.

    And None for the last.
    """
    learned = [standing.verdict != NOT_LEARNED for standing in found]
    neighbours = [
        apart(found[place], found[place + 1]) if learned[place] and learned[place + 1] else None
        for place in range(len(found) - 1)
    ]
    return [*neighbours, None]


def _losses(gallery: Gallery, encoding: str) -> dict[int, Losses]:
    return {seed: training.losses for seed, training in gallery.trainings[encoding].items()}


def _standing(
    gallery: Gallery, key: str, title: str, group: str, losses: Mapping[int, Losses], multiple: int
) -> Standing:
    require(multiple in BEYOND, "multiple", f"be one of {', '.join(map(str, BEYOND))}", multiple)
    upto = {seed: one[: MULTIPLES.index(multiple) + 1] for seed, one in losses.items()}
    mean = mean_losses(list(upto.values()))
    judged = verdict(mean, gallery.text.unigram_loss)
    return Standing(
        key,
        title,
        group,
        {seed: ratio(one) for seed, one in upto.items()},
        mean[0].loss,
        mean[-1].loss,
        ratio(mean),
        judged,
        sum(verdict(one, gallery.text.unigram_loss) == judged for one in upto.values()),
    )


def _ordered(found: Sequence[Standing]) -> list[Standing]:
    return sorted(found, key=lambda standing: (standing.verdict == NOT_LEARNED, standing.mean))
