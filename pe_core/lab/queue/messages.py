"""What goes between a visitor and a trainer: a run as it is handed over, and what is told of it until after its end."""

import secrets
from dataclasses import dataclass, field
from typing import Literal

from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks.base import Dataset
from pe_core.lab.results.record import RunRecord, TextFacts, built_in, text_facts

State = Literal["queued", "running", "paused", "finished", "stopped", "failed"]
LIVE: tuple[State, ...] = ("queued", "running", "paused")


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment: where it stands, how fast it goes, and what has come out so far.

    `place` counts the runs ahead in the queue, None once the run has ended or is paused. `seconds_left` is None until a
    speed has been measured. `message` says why a run failed or was stopped. `owner` is empty where nobody
    owns the run. `kept` is the hash that the run has in the store, once it is there; `unkept` says why it could not be
    put there.
    """

    state: State
    place: int | None
    done: float  # of the time of all its work, 0 to 1
    steps: int
    tokens_per_second: float | None
    seconds_left: float | None
    message: str
    record: RunRecord
    owner: str = ""
    kept: str = ""
    unkept: str = ""


@dataclass(frozen=True)
class Submission:
    """Settings, the facts of a dataset, an own text itself, the owner, and whether its weights may be stored.

    Datasets that come with the project do not travel: their facts say which one it is. `owner` is empty where nobody
    owns the run.
    """

    config: RunConfig
    text: TextFacts
    own_text: Dataset | None = None
    owner: str = ""
    keeps_weights: bool = False
    job_id: str = field(default_factory=lambda: secrets.token_urlsafe(9))

    @property
    def dataset(self) -> Dataset:
        """What the run learns from."""
        dataset = self.own_text or built_in(self.text)
        assert dataset is not None
        return dataset


def submission(config: RunConfig, dataset: Dataset, owner: str = "", *, keeps_weights: bool = False) -> Submission:
    """Return a run that has not begun; `ValueError` if the text is too short for it."""
    dataset.check_length(max(config.lengths))
    facts = text_facts(dataset)
    return Submission(config, facts, None if built_in(facts) else dataset, owner, keeps_weights)
