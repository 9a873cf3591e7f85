"""Does the ranking of small models hold for larger ones? Their runs as the gallery keeps them, beside its small models.

`make transfer` trains them; `python -m pe_core.lab.transfer --help` writes the files.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pe_core.files import write_whole
from pe_core.lab.command_line import Parser, check_file, status
from pe_core.lab.experiment.repair import AS_TRAINED
from pe_core.lab.experiment.run import Outcome
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.gallery import LARGER, TUNED, Gallery, shared_settings, to_json
from pe_core.lab.results.record import RunRecord
from pe_core.lab.results.record_file import from_json, versions
from pe_core.translation import Say


def main(arguments: list[str] | None = None) -> int:
    """Write both files; return the exit status: 0 done, 2 bad input."""
    return status(_write, parser().parse_args(arguments))


def _write(options: argparse.Namespace, say: Say) -> None:
    records = [from_json(path.read_text(encoding="utf-8")) for path in options.runs]
    tuned = [record for record in records if record.config.tune_steps]
    options.out.mkdir(parents=True, exist_ok=True)
    for name, gallery in {LARGER.name: of_runs(records), TUNED.name: of_runs(tuned, tuned=True)}.items():
        check_file(options.out / name)
        write_whole(options.out / name, to_json(gallery).encode())
        print(f"{say('wrote ')}{options.out / name}")


def parser() -> Parser:
    """Return the parser of the command."""
    program = Parser(
        prog="python -m pe_core.lab.transfer",
        description="Write the files of larger models, which the gallery shows beside its own, from files of runs.",
    )
    text = "JSON that pe-lab has written, of the same text and settings; one of them with fine-tuning"
    program.add_argument("runs", type=Path, metavar="FILE", nargs="+", help=text)
    text = f"writes {LARGER.name} and {TUNED.name} in it"
    program.add_argument("--out", type=Path, required=True, metavar="FOLDER", help=text)
    return program


def of_runs(records: Sequence[RunRecord], *, tuned: bool = False) -> Gallery:
    """Return runs of the same text and settings as one gallery, as far as the small models are evaluated.

    `tuned` takes what was measured after a fine-tuning in place of what was before it, of the encodings that have it.
    """
    short = [record.up_to(MULTIPLES[-1]) for record in records]
    config = short[0].config
    shared = shared_settings(config) | ({"tune_steps": config.tune_steps} if tuned else {})
    runs = {
        key: {seed: _after_tuning(one) if tuned else one for seed, one in by_seed.items()}
        for record in short
        for key, by_seed in record.outcomes.items()
        if not tuned or all(one.tuned for one in by_seed.values())
    }
    return Gallery(shared, short[0].text, versions(), runs)


def _after_tuning(one: Outcome) -> Outcome:
    repaired = {name: read for name, read in one.tuned.items() if name != AS_TRAINED.key}
    return replace(one, lengths=one.tuned[AS_TRAINED.key].lengths, repaired=repaired)


if __name__ == "__main__":
    sys.exit(main())
