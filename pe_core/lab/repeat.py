"""A run once more, from a script that names all its settings."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from pe_core.lab import corpus
from pe_core.lab.corpus import Corpus
from pe_core.lab.examples import Material
from pe_core.lab.results import Outcome, RunRecord, TextFacts, text_facts
from pe_core.lab.run import run_encoding
from pe_core.lab.tasks import TASKS, Task
from pe_core.lab.threads import one_thread
from pe_core.lab.training import RunConfig, TrainStep

TEXT_FILE = "text.txt"
RESULT_FILE = "run.json"


def repeat(config: RunConfig, material: Material) -> RunRecord:
    """Return the record of a run whose encodings are trained one after the other, on one thread as the lab does it."""
    with one_thread():
        first, *others = (_of_seed(config.of_seed(seed), material) for seed in config.seeds)
    return replace(first, config=config, again=tuple(others))


def _of_seed(config: RunConfig, material: Material) -> RunRecord:
    curves: dict[str, tuple[float, ...]] = {}
    outcomes: dict[str, Outcome] = {}
    for key in config.encodings:
        pieces = list(run_encoding(config, key, material))
        curves[key] = tuple(piece.loss for piece in pieces if isinstance(piece, TrainStep))
        outcomes[key] = next(piece for piece in pieces if isinstance(piece, Outcome))
    return RunRecord(config, text_facts(material), curves, outcomes)


def script(config: RunConfig, text: TextFacts, run: str) -> str:
    """Return a Python script that repeats the run of this hash and writes its JSON with all digits.

    An own text is read from a file beside the script; the built-in one and the tasks come with the package. The script
    stops where the text is another one, and says where code or torch are.
    """
    where, imported, source = _origin(text)
    settings = [f"    {name}={value!r}," for name, value in vars(config).items()]
    lines = [
        '"""Repeats a run of the lab, bit for bit with the same versions on the same kind of processor.',
        "",
        "It needs the Positional Encoding Explorer: `pip install .` in a checkout of it, then run this in any folder.",
        where,
        '"""',
        "",
        "from pathlib import Path",
        "",
        *sorted(
            [
                imported,
                "from pe_core.lab.repeat import repeat",
                "from pe_core.lab.results import text_facts",
                "from pe_core.lab.results_file import exact_json",
                "from pe_core.lab.run_hash import run_hash",
                "from pe_core.lab.training import RunConfig",
            ]
        ),
        "",
        "config = RunConfig(",
        *settings,
        ")",
        f"text = {source}",
        f'if text_facts(text).sha256 != "{text.sha256}":',
        '    raise SystemExit("This is another text than that of the run.")',
        f'if run_hash(config, text_facts(text)) != "{run}":',
        '    print("The code or torch is of another version: the numbers may differ.")',
        f'Path("{RESULT_FILE}").write_text(exact_json(repeat(config, text)), encoding="utf-8")',
        "",
    ]
    return "\n".join(lines)


def _origin(text: TextFacts) -> tuple[str, str, str]:
    """Return for a script where the text is, in a sentence, what has to be imported for it, and the call."""
    known = built_in(text)
    if known is None:
        return (
            f"The text is in the file {TEXT_FILE} beside this script, in UTF-8.",
            "from pe_core.lab.corpus import from_bytes",
            f'from_bytes(Path("{TEXT_FILE}").read_bytes(), name={text.name!r})',
        )
    if isinstance(known, Task):
        return (
            f"The examples of the task {known.title} are made by it.",
            "from pe_core.lab.tasks import TASKS",
            f'TASKS["{known.key}"]',
        )
    return "The text is built into Python.", "from pe_core.lab.corpus import built_in", "built_in()"


def built_in(text: TextFacts) -> Corpus | Task | None:
    """Return the built-in text or the task that the facts are of, None for an own text."""
    return _known().get(text.sha256)


def is_own(text: TextFacts) -> bool:
    """Return whether somebody has brought a text along, so that it is nobody else's to read."""
    return not text.is_task and built_in(text) is None


@cache
def _known() -> Mapping[str, Corpus | Task]:
    """Return the built-in text and the tasks by their digests, which take a hundredth of a second each."""
    known: list[Corpus | Task] = [corpus.built_in(), *TASKS.values()]
    return {one.sha256: one for one in known}
