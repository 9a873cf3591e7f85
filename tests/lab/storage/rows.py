"""All that stands in a store, whoever may see it."""

from sqlalchemy import create_engine
from sqlalchemy import select as choose
from sqlalchemy.pool import NullPool

from pe_core.lab.storage.database import RUNS


def rows(url):
    """The rows of all runs, the last one that was begun first."""
    with create_engine(url, poolclass=NullPool).connect() as connection:
        return connection.execute(choose(RUNS).order_by(RUNS.c.began.desc())).all()
