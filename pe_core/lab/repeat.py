"""A run once more, from a script that names all its settings."""

from pe_core.lab import corpus
from pe_core.lab.corpus import Corpus
from pe_core.lab.results import Outcome, RunRecord, TextFacts, text_facts
from pe_core.lab.run import run_encoding
from pe_core.lab.threads import one_thread
from pe_core.lab.training import RunConfig, TrainStep

TEXT_FILE = "text.txt"
RESULT_FILE = "run.json"


def repeat(config: RunConfig, text: Corpus) -> RunRecord:
    """Return the record of a run whose encodings are trained one after the other, on one thread as the lab does it."""
    curves: dict[str, tuple[float, ...]] = {}
    outcomes: dict[str, Outcome] = {}
    with one_thread():
        for key in config.encodings:
            pieces = list(run_encoding(config, key, text))
            curves[key] = tuple(piece.loss for piece in pieces if isinstance(piece, TrainStep))
            outcomes[key] = next(piece for piece in pieces if isinstance(piece, Outcome))
        return RunRecord(config, text_facts(text), curves, outcomes)


def script(config: RunConfig, text: TextFacts, run: str) -> str:
    """Return a Python script that repeats the run of this hash and writes its JSON with all digits.

    A text that is not built in is read from a file beside the script. The script stops where the text is another one,
    and says where code or torch are.
    """
    built_in = is_built_in(text)
    where = "built into Python" if built_in else f"in the file {TEXT_FILE} beside this script, in UTF-8"
    source = "built_in()" if built_in else f'from_bytes(Path("{TEXT_FILE}").read_bytes(), name={text.name!r})'
    settings = [f"    {name}={value!r}," for name, value in vars(config).items()]
    lines = [
        '"""Repeats a run of the lab, bit for bit with the same versions on the same kind of processor.',
        "",
        "Run it in the folder of the Positional Encoding Explorer, or with that folder in PYTHONPATH.",
        f"The text is {where}.",
        '"""',
        "",
        "from pathlib import Path",
        "",
        f"from pe_core.lab.corpus import {'built_in' if built_in else 'from_bytes'}",
        "from pe_core.lab.repeat import repeat",
        "from pe_core.lab.results import exact_json, text_facts",
        "from pe_core.lab.run_hash import run_hash",
        "from pe_core.lab.training import RunConfig",
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


def is_built_in(text: TextFacts) -> bool:
    """Return whether a text is the built-in one."""
    return text.sha256 == text_facts(corpus.built_in()).sha256
