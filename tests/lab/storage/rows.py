"""What stands in the database of a store, past the store itself."""

from sqlalchemy import create_engine
from sqlalchemy import select as choose
from sqlalchemy.pool import NullPool

from pe_core.lab.storage.database import RUNS


def rows(url):
    """The rows of all runs, the last one that was begun first."""
    with create_engine(url, poolclass=NullPool).connect() as connection:
        return connection.execute(choose(RUNS).order_by(RUNS.c.began.desc())).all()


def execute(url, statement):
    """Execute a statement, and return the rows that it finds."""
    with create_engine(url, poolclass=NullPool).begin() as connection:
        found = connection.exec_driver_sql(statement)
        return found.all() if found.returns_rows else []
