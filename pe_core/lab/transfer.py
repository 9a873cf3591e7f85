"""Does the ranking of small models hold for larger ones? All runs of that question: `pe-lab transfer --help`."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from pe_core.files import write_whole
from pe_core.lab.command_line import Parser, add_device, add_options, check_file, status, unfinished
from pe_core.lab.device import checked
from pe_core.lab.experiment import long_text
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import MULTIPLES, PAPER, SIZES, RunConfig
from pe_core.lab.long_run import alone, forget, joined, train_models
from pe_core.lab.results.gallery import LARGER, TUNED, Gallery, SeedRun, shared_settings, to_json
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.record_file import versions
from pe_core.translation import speaking

ENCODINGS = ("none", "sinusoidal", "learned", "rope", "alibi", "t5", "kerple_log", "fire")
REPAIRED, REPAIRS = "rope", ("pi", "ntk", "dynamic_ntk", "yarn")  # before and after a fine-tuning
# Models of 19 million parameters, which are evaluated to 4,096 tokens.
SETTINGS = {
    "train_length": 512,
    "d_model": 512,
    "n_heads": 8,
    "n_layers": 6,
    "batch_size": 64,
    "steps": 2_000,
    "peak_learning_rate": 0.001,
    "n_seeds": 3,
    "tune_steps": 100,
}
PARAMETERS = {name: replace(SIZES[PAPER][name], default=value) for name, value in SETTINGS.items()}
FOLDER = Path(torch.__path__[0]) / "distributed"  # Python source, as the small models learn


def main(arguments: list[str]) -> int:
    """Train what is missing and write both files; return the exit status: 0 done, 2 bad input, 130 interrupted."""
    options = parser().parse_args(arguments)
    say = speaking(options.language)

    def work() -> None:
        device = checked(options.device)
        learned = long_text.from_path(options.text)
        runs = configs(options)
        options.out.mkdir(parents=True, exist_ok=True)
        paths = [options.out / one.name for one in (LARGER, TUNED)]
        for path in paths:
            check_file(path)
        folder = unfinished(options.out)
        # All of the first seed first: where it is stopped there is a whole comparison.
        models = [one for run in runs for one in alone(run)]
        models.sort(key=lambda one: (one.seed, ENCODINGS.index(one.encodings[0])))
        records = train_models(models, learned, device, folder, say)
        made = [joined(run, [one for one in records if one.config.encodings[0] in run.encodings]) for run in runs]
        galleries = of_runs(made), of_runs(made[1:], tuned=True)
        for path, gallery in zip(paths, galleries, strict=True):
            write_whole(path, to_json(gallery).encode())
            print(f"{say('wrote ')}{path}")
        forget(models, learned, folder)

    return status(work, say, "stopped; the same command goes on from the last checkpoint")


def parser() -> Parser:
    """Return the parser; its defaults are the question itself, and smaller numbers try the command."""
    program = Parser(
        prog="pe-lab transfer",
        description="Train eight encodings in larger models, and RoPE also under repairs with and without fine-tuning, "
        "and write the files that the gallery shows beside its small models.",
    )
    add_options(program, PARAMETERS.values())
    add_device(program)
    program.set_defaults(device="cuda")
    program.add_argument(
        "--text",
        type=Path,
        default=FOLDER,
        metavar="FOLDER",
        help="a folder of files in UTF-8, by default one of torch",
    )
    program.add_argument(
        "--out",
        type=Path,
        default=Path("runs/transfer"),
        metavar="FOLDER",
        help=f"writes {LARGER.name} and {TUNED.name} in it",
    )
    return program


def configs(options: argparse.Namespace) -> Sequence[RunConfig]:
    """Return the run of the encodings without repairs, and that of the one with them; `ValueError` for bad values."""
    told = {name: one.parse(getattr(options, name)) for name, one in PARAMETERS.items()}
    plain = tuple(key for key in ENCODINGS if key != REPAIRED)
    return (
        RunConfig(plain, **{**told, "tune_steps": 0}),  # type: ignore[arg-type]
        RunConfig((REPAIRED,), repairs=REPAIRS, **told),  # type: ignore[arg-type]
    )


def of_runs(records: Sequence[RunRecord], *, tuned: bool = False) -> Gallery:
    """Return runs of the same text and settings as one gallery, as far as the small models are evaluated.

    `tuned` takes what was measured after a fine-tuning in place of what was before it, of the encodings that have it.
    """
    short = [record.up_to(MULTIPLES[-1]) for record in records]
    config = short[0].config
    shared = shared_settings(config) | ({"tune_steps": config.tune_steps} if tuned else {})
    runs = {
        key: {seed: _after_tuning(one) if tuned else _as_trained(one) for seed, one in by_seed.items()}
        for record in short
        for key, by_seed in record.outcomes.items()
        if not tuned or all(one.tuned for one in by_seed.values())
    }
    return Gallery(shared, short[0].text, versions(), runs)


def _as_trained(one: Outcome) -> SeedRun:
    return SeedRun(one.n_parameters, one.lengths, {name: read.lengths for name, read in one.repaired.items()})


def _after_tuning(one: Outcome) -> SeedRun:
    repaired = {name: read.lengths for name, read in one.tuned.items() if name != AS_TRAINED.key}
    return SeedRun(one.n_parameters, one.tuned[AS_TRAINED.key].lengths, repaired)
