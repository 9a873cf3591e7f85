"""Make the gallery, every encoding trained with several seeds: `python -m pe_core.lab.gallery --help`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from pe_core.encodings import ENCODINGS
from pe_core.files import write_whole
from pe_core.lab.command_line import Parser, make_room, status
from pe_core.lab.experiment.datasets import built_in
from pe_core.lab.experiment.settings import PARAMETERS
from pe_core.lab.results.gallery import to_json
from pe_core.lab.sweeps.gallery import SEEDS, begin, missing, sweep
from pe_core.lab.sweeps.sweep import TEXT, TEXTS
from pe_core.parameters import require
from pe_core.translation import speaking


def parser() -> Parser:
    """Return the parser of the command."""
    program = Parser(
        prog="python -m pe_core.lab.gallery",
        description="Train every encoding with several seeds on all cores, and keep the losses. "
        "A file that is there already is continued if it was made the same way.",
    )
    steps = PARAMETERS["steps"]
    program.add_argument("--out", type=Path, required=True, metavar="FILE", help="the JSON file")
    seeds, keys = list(map(str, SEEDS)), list(ENCODINGS)
    program.add_argument(
        "--seeds", nargs="+", default=seeds, metavar="N", help=f"seeds to train with (default {' '.join(seeds)})"
    )
    program.add_argument(
        "--encodings", nargs="+", default=keys, metavar="KEY", help=f"encodings to train, of {', '.join(keys)}"
    )
    program.add_argument(
        "--text", default=TEXT, metavar="NAME", help=f"text to learn, one of {', '.join(TEXTS)} (default {TEXT})"
    )
    words = f"{steps.help} Must {steps.rule} (default {steps.default})."
    program.add_argument("--steps", default=str(steps.default), metavar="N", help=words)
    return program


def make(out: Path, encodings: Sequence[str], seeds: Sequence[int], steps: int, text: str) -> None:
    """Make or continue the file under a progress bar; after each run it is written whole."""
    make_room(out, [""])
    gallery = begin(out, steps, built_in(*TEXTS[text]))
    with tqdm(total=len(missing(gallery, encodings, seeds, steps)), unit="run") as bar:
        for grown_gallery in sweep(gallery, encodings, seeds, steps, text):
            write_whole(out, to_json(grown_gallery).encode())
            bar.update()


def main(arguments: list[str] | None = None) -> int:
    """Make or continue the file; return the exit status: 0 done, 2 bad input, 130 interrupted (the file is kept)."""
    options = parser().parse_args(arguments)
    say = speaking(options.language)

    def work() -> None:
        for key in options.encodings:
            require(key in ENCODINGS, "encodings", f"be among {', '.join(ENCODINGS)}", key)
        require(options.text in TEXTS, "text", f"be one of {', '.join(TEXTS)}", options.text)
        seeds = [int(PARAMETERS["seed"].parse(text)) for text in options.seeds]
        make(options.out, options.encodings, seeds, int(PARAMETERS["steps"].parse(options.steps)), options.text)

    return status(work, say, f"stopped; {options.out} holds what is complete")


if __name__ == "__main__":
    sys.exit(main())
