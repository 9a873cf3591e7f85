"""The weights of kept runs: a table of their own, written and removed in the transactions of the runs."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Column, ColumnElement, Connection, Integer, LargeBinary, MetaData, Select, String, Table
from sqlalchemy import select as choose
from sqlalchemy.dialects.mysql import LONGBLOB

MOST_RUNS = 64  # whose weights are kept, the newest ones: a run has some megabytes, and its numbers stay

Weights = Mapping[tuple[str, int], bytes]  # of a run, by encoding and seed, in the format of safetensors

_content = LargeBinary().with_variant(LONGBLOB(), "mysql", "mariadb")  # their plain blob ends at 64 kB


def weight_table(metadata: MetaData) -> Table:
    """Return the table of weights, as one more of these."""
    return Table(
        "weights",
        metadata,
        Column("hash", String(64), primary_key=True),  # of the run
        Column("encoding", String(64), primary_key=True),
        Column("seed", Integer, primary_key=True, autoincrement=False),
        Column("content", _content, nullable=False),
    )


def put(connection: Connection, table: Table, run: str, weights: Weights) -> None:
    """Keep weights of a run; those that it has of other encodings and seeds stay."""
    for (encoding, seed), content in weights.items():
        connection.execute(table.delete().where(*_one(table, run, encoding, seed)))
        row = {"hash": run, "encoding": encoding, "seed": seed, "content": content}
        connection.execute(table.insert().values(row))


def get(connection: Connection, table: Table, run: str, encoding: str, seed: int) -> bytes | None:
    """Return the weights of an encoding of a run with this seed, None if there are none."""
    content: bytes | None = connection.scalar(choose(table.c.content).where(*_one(table, run, encoding, seed)))
    return content


def runs(table: Table) -> Select[tuple[str]]:
    """Return the question for the hashes of all runs that have weights; the database answers it from its index."""
    return choose(table.c.hash).distinct()


def remove(connection: Connection, table: Table, run: str) -> None:
    """Forget the weights of a run."""
    connection.execute(table.delete().where(table.c.hash == run))


def keep_only(connection: Connection, table: Table, runs: Sequence[str]) -> None:
    """Forget the weights of all runs but these."""
    connection.execute(table.delete().where(table.c.hash.not_in(runs)))


def _one(table: Table, run: str, encoding: str, seed: int) -> tuple[ColumnElement[bool], ...]:
    return table.c.hash == run, table.c.encoding == encoding, table.c.seed == seed
