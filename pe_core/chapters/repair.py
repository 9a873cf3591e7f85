"""Pictures of a trained model that was read with repairs: a run of the lab, kept in a file.

`file` is what `python -m pe_core.lab --encodings rope --repairs ...` has written; unless given, the run that comes with
the project.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pe_core.figures import repair
from pe_core.figures.figure import Figure
from pe_core.files import KEPT_RUNS
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.record_file import from_json

KEPT_FILE = str(KEPT_RUNS / "repair.json")
ENCODING = "rope"


def read(repairs: Sequence[str], file: str = KEPT_FILE) -> RunRecord:
    """Return the run with those of its repairs that are asked for, in the order asked for."""
    record = from_json(Path(file).read_text(encoding="utf-8"))
    outcome = record.mean(ENCODING)
    repaired = {key: outcome.repaired[key] for key in repairs if key in outcome.repaired}
    return replace(record, outcomes={ENCODING: {record.config.seed: replace(outcome, repaired=repaired)}})


def losses_by_length(repairs: Sequence[str], file: str = KEPT_FILE) -> Figure:
    """Return the held-out loss of the trained model over evaluated length, as trained and with each of the repairs."""
    return repair.by_length(read(repairs, file), ENCODING)
