"""Lay out what is to be translated into a language: `python -m ui.language.layout fr`, or `make translation`.

The texts are the English ones, to be overwritten; words have their English and no translation. What is there already
stays as it is, and new words are added to it.
"""

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from pe_core.parameters import require
from pe_core.translation import CONTENT, ENGLISH, messages

COMPLETE = "zh"  # a language that has all words
_KEY = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})?")


def lay_out(language: str, content: Path = CONTENT) -> list[Path]:
    """Write the files of a language that are not there yet, and return them; `ValueError` for what is no key of one."""
    require(_KEY.fullmatch(language) is not None, "LANGUAGE", "be a key such as fr or pt-br", repr(language))
    require(language != ENGLISH, "LANGUAGE", "be another one than the texts have", language)
    folder, made = content / language, []
    for path in sorted((content / ENGLISH).rglob("*")):
        own = folder / path.relative_to(content / ENGLISH)
        if path.is_file() and not own.exists():
            own.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, own)
            made.append(own)
    (folder / "words").mkdir(exist_ok=True)
    for path in sorted((content / COMPLETE / "words").glob("*.po")):
        own, catalog = folder / "words" / path.name, Catalog()
        if own.exists():
            with own.open("rb") as file:
                catalog = read_po(file)
        new = [english for english in messages([path]) if english not in catalog]
        for english in new:
            catalog.add(english)
        if new:
            with own.open("wb") as file:
                write_po(file, catalog, width=120)
            made.append(own)
    return made


def main(arguments: Sequence[str]) -> int:
    """Lay out the language that is named; return 2, with a sentence, where it cannot be."""
    try:
        require(len(arguments) == 1, "the command line", "name one language", " ".join(arguments) or "none")
        made = lay_out(arguments[0])
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path in made:
        print(f"wrote {path.relative_to(CONTENT.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
