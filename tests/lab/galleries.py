"""Galleries for tests, of losses that are given and not trained."""

from dataclasses import replace

from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.gallery import Gallery, to_json
from pe_core.lab.results.record import TextFacts

LENGTHS = RunConfig().lengths
TEXT = TextFacts("made up", 1_000, 20, 3.0, 2.9, "0" * 64)
SETTINGS = {"train_length": 64, "steps": 400}


def rising(start, *ratios):
    """The losses of one seed: a start at the training length and a ratio at each further length, the last repeated."""
    ratios = (1.0, *ratios, *[ratios[-1]] * (len(LENGTHS) - 1 - len(ratios)))
    losses = [round(start * ratio, 5) for ratio in ratios]
    return tuple(LengthLoss(length, loss, loss) for length, loss in zip(LENGTHS, losses, strict=True))


def paying(losses, within, blocks):
    """These losses with the end of the windows: so much within the training length, and past it more in each block."""
    end = within + sum(blocks) / len(blocks)
    first, *others = losses
    return (
        replace(first, end=within, within=within),
        *(replace(one, end=round(end, 5), within=within, blocks=blocks) for one in others),
    )


def outcome(losses, repaired):
    """An outcome of these losses, and of those under repairs."""
    return Outcome(1_000, losses, (), {name: Measurement(read, ()) for name, read in repaired.items()})


def made(losses, repaired=None):
    """A gallery of `losses`, by encoding and seed, and of `repaired`, by encoding, seed and repair."""
    repaired = repaired or {}
    runs = {
        key: {seed: outcome(one, repaired.get(key, {}).get(seed, {})) for seed, one in by_seed.items()}
        for key, by_seed in losses.items()
    }
    return Gallery(SETTINGS, TEXT, {"python": "3", "torch": "2"}, runs)


def written_to(folder, settings=SETTINGS, **ratios):
    """The path of a new gallery of the ratio at the longest text by encoding, or of a ratio for each seed."""
    runs = {
        key: {seed: rising(1.5, one) for seed, one in enumerate(several if isinstance(several, list) else [several])}
        for key, several in ratios.items()
    }
    path = folder / f"{len([*folder.iterdir()])}.json"
    path.write_text(to_json(replace(made(runs), settings=settings)), encoding="utf-8")
    return str(path)
