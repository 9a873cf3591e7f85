"""A run as it is handed to a trainer: what to train, from what, and whose it is."""

import secrets
from dataclasses import dataclass, field

from pe_core.lab.experiment.datasets import Dataset
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import TextFacts, built_in, text_facts


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
