"""Every entry of every registry has its page in the catalogue: described, drawn, with its code and its controls."""

import pytest

from pe_core.chapters.catalogue import parameter_of
from pe_core.encodings import alibi, index
from pe_core.masks import causal, sliding_window
from pe_core.parameters import Parameter
from pe_core.standalone import parts
from tests.app.catalogued import ENTRIES, PAGE, SHARED, all_text, sound
from tests.app.opened import opened
from tests.cases import each
from ui.catalogue import KINDS
from ui.documents import source_of
from ui.widgets.prose import Text


def largest(kind, entry):
    """The link to an entry with the largest of all its controls."""
    own = [parameter_of(kind.name, entry.key, parameter) for parameter in entry.parameters]
    return {one.name: str(one.choices[-1] if one.choices else one.maximum) for one in (*SHARED, *own)}


@pytest.mark.parametrize("registry", KINDS)
def test_every_entry_is_shown_with_the_largest_of_all_its_controls(registry):
    """An entry may refuse a shape, in words of its own; with its defaults each is opened by `test_every_page.py`."""
    kind, text = KINDS[registry], Text(PAGE)
    for key, entry in kind.entries.items():
        at = opened(PAGE, **{**largest(kind, entry), "cat_registry": registry, f"cat_{kind.name}": key})
        assert [warning.value for warning in at.warning] == [], key
        if not at.error:
            sound(at)
        assert all(" must " in error.value and ", got " in error.value for error in at.error), key
        assert at.subheader[0].value == entry.title
        assert entry.summary in all_text(at)
        assert source_of(entry, text) in all_text(at), key
        for hook in getattr(entry, "hooks", ()):
            assert text(f"hook-{hook}") in all_text(at), key


def test_the_parts_of_a_maker_are_found_through_each_other_in_the_order_of_the_source():
    assert parts(alibi.SPEC.make, "alibi")[:2] == (alibi.slopes, alibi.bias)
    assert alibi.nonsymmetric_bias in parts(alibi.SPEC.make, "alibi")
    assert parts(index.INTEGER.make, "integer") == (index.table, index._last, index.Index)
    masks = KINDS["Masks"].entries
    assert parts(masks["window"].make, "window")[:2] == (causal, sliding_window)
    assert sliding_window not in parts(masks["causal"].make, "causal")


def test_the_names_of_widgets_are_all_different():
    names = [one.name for one in SHARED]
    for registry, key in ENTRIES:
        kind = KINDS[registry]
        names += [parameter_of(kind.name, key, parameter).name for parameter in kind.entries[key].parameters]
    assert len(set(names)) == len(names)


@each(
    ("minimum", "maximum", "step", "expected"),
    [(0.001, 1.0, 1, 0.001), (0.1, 2.0, 1, 0.01), (0.0, 10.0, 0.05, 0.05), (0.0, 1.0, 1e-5, 0.01)],
)
def test_a_range_gets_steps_that_a_slider_can_show(minimum, maximum, step, expected):
    parameter = Parameter("x", "X", minimum, "Help.", minimum, maximum, step)
    own = parameter_of("encoding", "alibi", parameter)
    assert own.name == "cat_encoding_alibi_x"
    assert own.step == pytest.approx(expected)
    assert (own.minimum, own.maximum, own.default, own.choices) == (minimum, maximum, minimum, ())


def test_a_range_over_powers_of_ten_has_its_ends_and_its_default_among_the_choices():
    own = parameter_of("encoding", "alibi", Parameter("x", "X", 0.03, "Help.", 0.0004, 7.0))
    assert own.choices == (0.0004, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 7)
    assert [own.parse(str(rung)) for rung in own.choices] == list(own.choices)


@each(("registry", "key"), ENTRIES)
def test_the_widgets_offer_only_what_the_registry_allows(registry, key):
    kind = KINDS[registry]
    for parameter in kind.entries[key].parameters:
        own = parameter_of(kind.name, key, parameter)
        own.check(own.default)
        assert own.default == parameter.default
        for value in own.choices or (own.minimum, own.maximum):
            parameter.check(type(parameter.default)(value))
