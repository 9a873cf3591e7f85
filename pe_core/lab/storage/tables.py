"""The tables of the store: runs, their trained weights, and the version that all of them have."""

from sqlalchemy import Boolean, Column, Double, Index, Integer, LargeBinary, MetaData, String, Table, Text

from pe_core.encodings.own import MAX_KEY

VERSION = 4
METADATA = MetaData()
RUNS = Table(
    "runs",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("began", Double, nullable=False),  # seconds since 1970
    Column("ended", Double),
    Column("owner", String(64), nullable=False, server_default=""),  # nobody's where it is empty
    Column("private", Boolean, nullable=False),  # of an own text
    Column("expires", Double),  # seconds since 1970, NULL where it is kept for good
    Column("settings", Text, nullable=False),  # this and all that follow are JSON
    Column("text", Text, nullable=False),
    Column("versions", Text, nullable=False),
    Column("ratios", Text),
    Column("record", Text),
)
# All that decides what is listed, the newest first. Without it the database would walk through every record.
LISTED = Index("runs_listed", *(RUNS.c[name] for name in ("began", "hash", "state", "private", "owner", "expires")))
WEIGHTS = Table(
    "weights",
    METADATA,
    Column("hash", String(64), primary_key=True),  # of the run
    Column("encoding", String(MAX_KEY), primary_key=True),
    Column("seed", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)
STORE_VERSION = Table("store_version", METADATA, Column("number", Integer, primary_key=True, autoincrement=False))
