"""What the code says of itself, in other words: the same formulas, code and links, and of texts that there are."""

import re

from pe_core.translation import CONTENT, messages
from tests.app.test_catalogue import DOCSTRINGS
from tests.cases import each

TRANSLATED = messages([CONTENT / "zh/words/docstrings.po"])
KEPT = re.compile(r"\$\$.+?\$\$|\$[^$]+\$|`[^`]+`|\]\([^)]*\)", re.DOTALL)


def test_what_is_shown_is_translated_and_nothing_else():
    assert set(TRANSLATED) == DOCSTRINGS


@each("english", TRANSLATED)
def test_formulas_code_and_links_are_kept(english):
    kept = (sorted(" ".join(found.split()) for found in KEPT.findall(text)) for text in (english, TRANSLATED[english]))
    assert next(kept) == next(kept)
