"""Open the catalogue at one entry, and check what every page of it must hold."""

import numpy as np

from pe_core.chapters import catalogue as pictures
from pe_core.figures.image import DIGITS
from tests.app import opened as page
from tests.app import walking
from tests.app.opened import opened
from ui.catalogue import KINDS
from ui.documents import documents

PAGE = "catalogue"
ENTRIES = [(name, key) for name, kind in KINDS.items() for key in kind.entries]
# What the code says of all entries, as it is shown.
DOCSTRINGS = {
    text
    for kind in KINDS.values()
    for entry in kind.entries.values()
    for text in documents(kind.maker(entry), entry.key, map(kind.maker, kind.entries.values()))
}
# The controls that entries share.
SHARED = [
    one
    for asked in (pictures.LENGTH, pictures.TRAINED, pictures.WIDTH, pictures.HEADS, pictures.SCALED, pictures.FARTHEST)
    for one in asked.values()
]


def entry_of(registry, key, **link):
    """The page of one entry, opened by a link; a parameter of the entry is named as in its registry."""
    kind = KINDS[registry]
    own = {parameter.name for parameter in kind.entries[key].parameters}
    names = {name: f"cat_{kind.name}_{key}_{name}" if name in own else name for name in link}
    return opened(
        PAGE, **{"cat_registry": registry, f"cat_{kind.name}": key}, **{names[name]: link[name] for name in link}
    )


def frames(at):
    """The data of the charts of the entry: the wall stands before them."""
    return page.frames(at)[1:]


def sentences(at):
    """What is said of the charts of the entry."""
    return page.sentences(at)[1:]


def numbers(at):
    """The numbers of the first image of the entry, as far as they are finite, as it tells them."""
    [image] = frames(at)[0]["table"].to_dict("records")
    signs = np.array([DIGITS.index(sign) for sign in image["numbers"]]).reshape(-1, image["digits"])
    found = signs @ 64 ** np.arange(image["digits"])[::-1]
    return (found[found > 0] - 64 ** image["digits"] // 2) / 10.0 ** image["decimals"]


def all_text(at):
    return "\n".join(element.value for element in at.markdown)


def sound(at):
    """The page, after checking that it draws and says something and has no error."""
    assert not walking.sound(at).error
    assert frames(at)
    assert "nan" not in "".join(sentences(at)).split()
    return at
