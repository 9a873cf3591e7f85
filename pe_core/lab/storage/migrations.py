"""The versions that the tables of the store have had, and the way from each to the next.

0: nothing yet. 1: runs. 2: their trained weights beside them. 3: keys of encodings may be long. 4: owners, private runs
that expire, and a table that tells the version. Every step looks before it acts, so that one that was cut short in a
database whose tables change outside of transactions is simply taken again.
"""

import json
from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import Connection, func, inspect
from sqlalchemy import select as choose
from sqlalchemy.schema import CreateColumn

from pe_core.encodings.own import MAX_KEY
from pe_core.lab.experiment.datasets import BUILT_IN
from pe_core.lab.storage.tables import LISTED, METADATA, RUNS, STORE_VERSION, WEIGHTS

WITH_WEIGHTS, WITH_LONG_KEYS, WITH_OWNERS = 2, 3, 4
VERSION = 4  # of this code
# The text of the first versions, which are not here any more; it was another one under each version of Python.
EARLIER_TEXTS = ("Python language reference",)
OWN_TEXT = "own text"
_LOCK = 0x7065_6C61  # any number that nothing else in a PostgreSQL database locks


def version_of(connection: Connection) -> int:
    """Return the version of the tables in a database, 0 where there are none."""
    tables = inspect(connection).get_table_names()
    if STORE_VERSION.name in tables and (number := connection.scalar(choose(func.max(STORE_VERSION.c.number)))):
        return int(number)
    if RUNS.name not in tables:
        return 0
    if WEIGHTS.name not in tables:
        return 1
    return WITH_WEIGHTS if _longest_key(connection) < MAX_KEY else WITH_LONG_KEYS


def migrate(connection: Connection) -> None:
    """Bring the tables to the version of this code, in a transaction that has just begun.

    Another process may be at it: this one waits, and then finds nothing left to do.
    """
    _lock(connection)
    before = version_of(connection)
    if before == 0:
        METADATA.create_all(connection)
    for version in range(max(1, before), VERSION if before else 0):
        _STEPS[version](connection)
    if before < VERSION:
        connection.execute(STORE_VERSION.delete())
        connection.execute(STORE_VERSION.insert().values(number=VERSION))


def was_private(text: str) -> bool:
    """Return whether the text of a run of an older version, by its facts as JSON, was somebody's own.

    Built-in texts are known by their names: their contents have changed since. What cannot be read counts as private.
    """
    try:
        facts = json.loads(text)
        return bool(facts["characters"] > 0 and facts["name"] not in (*BUILT_IN, *EARLIER_TEXTS))
    except (ValueError, TypeError, KeyError):
        return True


def _lock(connection: Connection) -> None:
    """Let no other process change the tables until the transaction is over."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # Python's module would begin after the tables were changed
    elif connection.dialect.name == "postgresql":
        connection.execute(choose(func.pg_advisory_xact_lock(_LOCK)))


def _longest_key(connection: Connection) -> int:
    """Return how many characters the key of an encoding may have."""
    [column] = [one for one in inspect(connection).get_columns(WEIGHTS.name) if one["name"] == "encoding"]
    return getattr(column["type"], "length", None) or 0


def _add_weights(connection: Connection) -> None:
    WEIGHTS.create(connection, checkfirst=True)


def _lengthen_keys(connection: Connection) -> None:
    """Make room for the key of an encoding that somebody has typed; SQLite needs none."""
    kind = WEIGHTS.c.encoding.type.compile(connection.dialect)
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ALTER TABLE weights ALTER COLUMN encoding TYPE {kind}")
    elif connection.dialect.name in ("mysql", "mariadb"):
        connection.exec_driver_sql(f"ALTER TABLE weights MODIFY encoding {kind} NOT NULL")


def _add_owners(connection: Connection) -> None:
    """Add who owns a run and how long it is kept, and forget what older versions have kept of own texts unasked.

    These are the weights, which can write pieces of the text, and the name of its file.
    """
    STORE_VERSION.create(connection, checkfirst=True)
    there = {column["name"] for column in inspect(connection).get_columns(RUNS.name)}
    for column in (RUNS.c.owner, RUNS.c.private, RUNS.c.expires):
        if column.name not in there:
            definition = CreateColumn(column).compile(dialect=connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE runs ADD COLUMN {definition}")
    for run, text in connection.execute(choose(RUNS.c.hash, RUNS.c.text)).all():
        private = was_private(text)
        connection.execute(RUNS.update().where(RUNS.c.hash == run).values(private=private))
        if private:
            connection.execute(WEIGHTS.delete().where(WEIGHTS.c.hash == run))
            _forget_name(connection, run)
    LISTED.create(connection, checkfirst=True)


def _forget_name(connection: Connection, run: str) -> None:
    """Call the text of a run what every own text is called now; what cannot be read stays as it is."""
    text, record = connection.execute(choose(RUNS.c.text, RUNS.c.record).where(RUNS.c.hash == run)).one()
    with suppress(ValueError, TypeError, KeyError):
        changed = {"text": json.dumps({**json.loads(text), "name": OWN_TEXT})}
        if record is not None:
            content = json.loads(record)
            content["text"]["name"] = OWN_TEXT
            changed["record"] = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        connection.execute(RUNS.update().where(RUNS.c.hash == run).values(changed))


_STEPS: dict[int, Callable[[Connection], None]] = {
    1: _add_weights,
    WITH_WEIGHTS: _lengthen_keys,
    WITH_LONG_KEYS: _add_owners,
}
