"""A run that the server keeps, in words: when it began, what it has learned, and what is not the default about it."""

from datetime import UTC, datetime

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.storage.run_hash import is_this_version
from pe_core.lab.storage.store import KeptRun


def described(run: KeptRun) -> str:
    """Return a run in one line: what it has learned, its encodings, what is not the default, and when it began."""
    parts = [run.text.name, ", ".join(titles(run)), settings(run), when(run)]
    if not is_this_version(run.settings, run.versions):
        parts.append("of another version")
    return " · ".join(part for part in parts if part)


def titles(run: KeptRun) -> list[str]:
    """Return the titles of a run's encodings."""
    return [title(key) for key in encodings(run)]


def settings(run: KeptRun) -> str:
    """Return the settings of a run that are not the default ones, in words."""
    default = RunConfig().settings()
    return ", ".join(
        f"{name.replace('_', ' ')} {plain(value)}"
        for name, value in run.settings.items()
        if name != "encodings" and value != default.get(name)
    )


def plain(value: object) -> str:
    """Return the value of a setting in words."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def encodings(run: KeptRun) -> list[str]:
    """Return the keys of a run's encodings, which may be those of another version."""
    keys: list[str] = run.settings["encodings"]
    return keys


def title(key: str) -> str:
    """Return the title of an encoding, of one that is not here any more its key."""
    return ENCODINGS[key].title if key in ENCODINGS else key


def when(run: KeptRun) -> str:
    """Return when a run began, by the clock of UTC."""
    return datetime.fromtimestamp(run.began, UTC).strftime("%Y-%m-%d %H:%M")
