"""Pictures of the gallery.

`file` is what `python -m pe_core.lab.gallery` has written; unless given, the gallery that comes with the project.
"""

from collections.abc import Sequence

from pe_core.encodings import ENCODINGS
from pe_core.figures import gallery as figures
from pe_core.figures import paper_orders
from pe_core.figures.figure import Figure
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.results.gallery import KEPT, next_apart, read, repaired, standings
from pe_core.lab.results.papers import TABLES, Table, compare
from pe_core.parameters import require

KEPT_FILE = str(KEPT)


def ranking(multiple: int, file: str = KEPT_FILE) -> Figure:
    """Return all encodings by the ratio of their loss at `multiple` times the training length, the smallest first."""
    found = standings(read(file), multiple)
    return figures.ranking(found, next_apart(found))


def by_length(encodings: Sequence[str], file: str = KEPT_FILE) -> Figure:
    """Return the loss over the length for the encodings of these keys, with bands over the seeds."""
    gallery = read(file)
    for key in encodings:
        require(key in gallery.runs, "encodings", f"be among {', '.join(gallery.runs)}", key)
    losses = {ENCODINGS[key].title: [training.losses for training in gallery.runs[key].values()] for key in encodings}
    return figures.by_length(losses, train_length=gallery.train_length, guess=gallery.text.unigram_loss)


def repairs(encoding: str, multiple: int, file: str = KEPT_FILE) -> Figure:
    """Return an encoding as it was trained and under its repairs by the ratio of the loss, the smallest first."""
    found = repaired(read(file), encoding, multiple)
    return figures.ranking(found, next_apart(found), repairs=True)


def orders(table: str, multiple: int, file: str = KEPT_FILE) -> Figure:
    """Return the order of a paper beside ours; `table` is a key of `TABLES`, `multiple` one it can be compared at."""
    found = compare(TABLES[table], read(file), multiple)
    if found is None:
        raise ValueError(f"file must have every system of {TABLES[table].source} with a common seed, got {file}")
    return paper_orders.orders(found, titles(TABLES[table]))


def titles(table: Table) -> list[str]:
    """Return the names of the systems of a table."""
    if table.repairs_of is None:
        return [ENCODINGS[key].title for key in table.rows]
    return [AS_TRAINED.title if name == AS_TRAINED.key else named(name).title for name in table.rows]
