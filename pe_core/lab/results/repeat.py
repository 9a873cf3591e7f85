"""A run once more, from a script that names all its settings."""

from collections.abc import Callable

from pe_core.lab.device import CPU
from pe_core.lab.experiment.datasets import BUILT_IN
from pe_core.lab.experiment.run import Event, one_thread, run_encoding
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.task import Dataset, Task
from pe_core.lab.results.record import Progress, RunRecord, TextFacts, built_in, collect, text_facts

TEXT_FILE = "text.txt"
SCRIPT = '''"""Repeats a run of the lab, bit for bit with the same versions on the same kind of processor.

It needs the Positional Encoding Explorer: `pip install .` in a checkout of it, then run this in any folder.
{where}
"""

from pathlib import Path

{imported}
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.record_file import exact_json
from pe_core.lab.results.repeat import repeat
from pe_core.lab.storage.run_hash import run_hash

config = RunConfig(
{settings}
)
text = {source}
if text_facts(text).sha256 != "{sha256}":
    raise SystemExit("This is another text than that of the run.")
if run_hash(config, text_facts(text)) != "{run}":
    print("The code or torch is of another version: the numbers may differ.")
Path("run.json").write_text(exact_json(repeat(config, text)), encoding="utf-8")
'''


def repeat(
    config: RunConfig, dataset: Dataset, device: str = CPU, told: Callable[[Event], None] = lambda event: None
) -> RunRecord:
    """Return the record of a run whose encodings are trained one after the other, on one thread as the lab does it.

    Each event of `run_encoding` is `told` to whoever shows how far it is.
    """
    progress = {(key, seed): Progress() for key in config.encodings for seed in config.seeds}
    with one_thread():
        for (key, seed), one in progress.items():
            for event in run_encoding(config.of_seed(seed), key, dataset, device):
                one.note(event)
                told(event)
    return collect(config, text_facts(dataset), progress, device)


def script(config: RunConfig, text: TextFacts, run: str) -> str:
    """Return a Python script that repeats the run of this hash and writes its JSON with all digits.

    An own text is read from a file beside the script; the built-in ones and the tasks come with the package. The script
    stops where the text is another one, and says where code or torch are.
    """
    where, imported, source = _origin(text)
    settings = "\n".join(f"    {name}={value!r}," for name, value in vars(config).items())
    return SCRIPT.format(where=where, imported=imported, settings=settings, source=source, sha256=text.sha256, run=run)


def _origin(text: TextFacts) -> tuple[str, str, str]:
    """Return for a script where the text is, in a sentence, what has to be imported for it, and the call."""
    known = built_in(text)
    if known is None:
        return (
            f"The text is in the file {TEXT_FILE} beside this script, in UTF-8.",
            "from pe_core.lab.experiment.datasets import from_bytes",
            f'from_bytes(Path("{TEXT_FILE}").read_bytes(), name={text.name!r})',
        )
    if isinstance(known, Task):
        return (
            f"The examples of the task {known.title} are made by it.",
            "from pe_core.lab.experiment.tasks import TASKS",
            f'TASKS["{known.key}"]',
        )
    key, split = BUILT_IN[known.name]
    return (
        "The text comes with PyTorch.",
        "from pe_core.lab.experiment.datasets import built_in",
        f'built_in("{key}", {split})',
    )
