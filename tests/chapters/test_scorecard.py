"""The scorecard: what its picture measures and says, the rows of its table, and what a click on a cell opens."""

import math

import pytest

from pe_core.chapters import gallery
from pe_core.chapters import scorecard as pictures
from pe_core.encodings import ENCODINGS, Shape
from pe_core.figures.looks.palette import shade
from pe_core.lab.results.statistics import NOT_LEARNED
from pe_core.measures import cards
from pe_core.measures.cards import SIZE, shape_of
from pe_core.measures.criteria import CRITERIA
from tests.cases import each
from tests.measures.handmade import scorecard

FIRST = {"criterion": "parameters", "encoding": "alibi", "d_model": 64, "n_heads": 4, "train_length": 16}
PICTURES = {
    pictures.ranking: (
        FIRST,
        {"criterion": "evenness", "encoding": "rope", "d_model": 96, "n_heads": 2, "train_length": 32},
        {**FIRST, "criterion": "global_order", "train_length": 64},
    )
}
NEW_SPEC = {(pictures.ranking, "criterion")}  # the title of the axis


def ranked(criterion, encoding="alibi"):
    return pictures.ranking(criterion, encoding, **SIZE)


def plain(found, expected):
    """Whether a number is the one expected, and not what rounding leaves of 0."""
    return found == pytest.approx(expected, abs=1e-9) and (found == 0 or abs(found) >= 1e-9)


@each("key", ["none", "learned", "rope"])
def test_each_bar_is_the_number_of_the_card_and_each_row_has_those_that_are_kept_without_rounding(key):
    shape = Shape(d_model=64, n_heads=4, train_length=16, max_length=128)
    card, title = scorecard(ENCODINGS[key].build(shape), shape), ENCODINGS[key].title
    for criterion in ("translation", "parameters", "composition"):
        bars = pictures.ranking(**{**FIRST, "criterion": criterion}).frames["bars"].set_index("name").value
        assert (title in bars) == (card[criterion] is not None)
        assert title not in bars or plain(bars[title], card[criterion])
    row = pictures.row(key)
    assert (row["Encoding"], row["Family"]) == (title, ENCODINGS[key].family)
    for name, expected in cards.read(cards.KEPT)[key].items():
        found = row[CRITERIA[name].title]
        assert found is expected is None or plain(found, expected)


@each("criterion", CRITERIA)
def test_the_best_stands_first_whichever_way_is_better(criterion):
    figure = ranked(criterion)
    bars = figure.frames["bars"]
    falls = CRITERIA[criterion].better != "lower"
    assert bars.value.is_monotonic_decreasing if falls else bars.value.is_monotonic_increasing
    facts = figure.facts
    assert (facts["first-value"], facts["last-value"]) == (bars.value.iloc[0], bars.value.iloc[-1])
    for end, value in (("first", bars.value.iloc[0]), ("last", bars.value.iloc[-1])):
        sharing = [spec.title for spec in ENCODINGS.values() if (bars[bars.name == spec.title].value == value).any()]
        others = f" and {len(sharing) - 1} others" if len(sharing) > 2 else f" and {sharing[1]}" if sharing[1:] else ""
        assert facts[end] == sharing[0] + others
    assert facts["count"] == len(bars)
    without = [spec.title for spec in ENCODINGS.values() if spec.title not in set(bars.name)]
    assert facts["without"] == (", ".join(without) or "none")
    assert figure.height == 140 + 22 * len(bars)


@each(("criterion", "key"), [("parameters", "shaw"), ("reach", "learned"), ("parameters", "none")])
def test_the_place_counts_those_that_are_strictly_better(criterion, key):
    figure = ranked(criterion, key)
    bars = figure.frames["bars"].set_index("name").value
    own = bars[ENCODINGS[key].title]
    better = bars > own if CRITERIA[criterion].better == "higher" else bars < own
    assert figure.facts["place"] == 1 + int(better.sum())
    sharing = int((bars == own).sum())
    assert (figure.facts["own"], figure.facts["sharing"], figure.facts["name"]) == (own, sharing, ENCODINGS[key].title)
    assert figure.facts["cell"] == ("cell" if sharing == 1 else "cell-shared")


def test_an_encoding_to_which_a_criterion_does_not_apply_has_no_place():
    facts = ranked("global_order", "none").facts
    assert (facts["cell"], facts["own"], facts["place"]) == ("cell-none", None, None)
    assert "None (NoPE)" in facts["without"].split(", ")


def test_what_is_kept_is_what_is_measured():
    """If this fails after an encoding or a criterion has changed: python -m pe_core.measures.cards."""
    kept, found = cards.read(cards.KEPT), cards.measure_all()
    assert {key: list(card) for key, card in kept.items()} == {key: list(card) for key, card in found.items()}
    for key, card in found.items():
        measured = [math.nan if value is None else value for value in card.values()]
        own = [math.nan if value is None else value for value in kept[key].values()]
        assert own == pytest.approx(measured, rel=1e-6, abs=1e-9, nan_ok=True), key


def test_a_click_on_a_cell_opens_its_encoding_and_its_criterion():
    rows, encoding = ["alibi", "rope"], {"scorecard_encoding": "rope"}
    for column in ("Family", "Encoding", "Trained"):
        assert pictures.cell(rows, [(1, column)]) == encoding
    for name, criterion in CRITERIA.items():
        assert pictures.cell(rows, [(1, criterion.title)]) == {**encoding, "criterion": name}


@each("criterion", CRITERIA)
def test_the_table_goes_from_the_best_to_the_worst_and_then_to_those_that_are_not_judged(criterion):
    keys, kept = pictures.ordered(criterion), cards.read(cards.KEPT)
    assert sorted(keys) == sorted(ENCODINGS)
    known = [key for key in keys if kept[key][criterion] is not None]
    assert keys[: len(known)] == known
    assert "none" not in known[:-1]
    shown = [float(f"{kept[key][criterion]:.3g}") for key in known if key != "none"]
    assert shown == sorted(shown, reverse=CRITERIA[criterion].better != "lower")


def coloured(numbers):
    """The table of made-up numbers, so that who is best here is not who is measured as best, and its columns."""
    rows = {
        key: {"Encoding": spec.title, "Family": spec.family, **{one.title: numbers[key] for one in CRITERIA.values()}}
        for key, spec in ENCODINGS.items()
    }
    columns = ["Encoding", *(one.title for one in CRITERIA.values()), "word", "ratio", "Family"]
    return pictures.table(rows, "word", "ratio")._compute(), columns


def test_the_table_is_coloured_by_the_place_in_a_column():
    numbers = {key: None if key == "rope" else float(place) for place, key in enumerate(ENCODINGS)}
    table, columns = coloured(numbers)
    assert table.columns.to_list() == columns
    none, rope, last = (list(ENCODINGS).index(key) for key in ("none", "rope", list(ENCODINGS)[-1]))
    first = 1  # of those that are judged
    for one in CRITERIA.values():
        best, worst = {"higher": (last, first), "lower": (first, last), "neutral": (None, None)}[one.better]
        looks = {row: dict(table.ctx[row, columns.index(one.title)]).get("background-color") for row in range(last + 1)}
        assert [row for row in looks if looks[row] == shade(1)] == ([] if best is None else [best])
        assert [row for row in looks if looks[row] == shade(0)] == ([] if worst is None else [worst])
        assert looks[rope] is looks[none] is None
    for place, key in enumerate(ENCODINGS):
        one = gallery.trained().get(key)
        word, ratio = table.data.word[place], table.data.ratio[place]
        assert (word, ratio) == (one.verdict, one.mean) if one else ratio != ratio
        assert bool(table.ctx[place, columns.index("ratio")]) == (
            one is not None and one.verdict != NOT_LEARNED and key != "none"
        )


@each(
    ("values", "better", "expected"),
    [
        ([3.0, 1.0, 2.0], "higher", [1, 0, 0.5]),
        ([3.0, 1.0, 2.0], "lower", [0, 1, 0.5]),
        ([3.0, 1.0, 2.0], "neutral", [None, None, None]),
        ([0.0, 0.0, 5.0, 9.0, None], "lower", [1, 1, 1 / 3, 0, None]),
        ([8.0, 8.0], "higher", [1, 1]),
        ([8.0], "lower", [1]),
        ([None], "lower", [None]),
        ([], "higher", []),
    ],
)
def test_a_grade_is_the_fraction_of_the_others_that_are_not_better(values, better, expected):
    assert pictures.grades(values, better) == pytest.approx(expected)


def test_numbers_that_are_shown_alike_have_one_colour():
    nearly = dict(zip([key for key in ENCODINGS if key != "none"], [0.05262, 0.05258, 0.0527], strict=False))
    table, columns = coloured(dict.fromkeys(ENCODINGS) | nearly)
    column = columns.index(next(one.title for one in CRITERIA.values() if one.better == "higher"))
    first, second, third = (dict(table.ctx[row, column])["background-color"] for row in range(1, 4))
    assert first == second != third


@each("key", CRITERIA)
def test_the_proof_shows_the_mathematics(key):
    first, *others, last = pictures.proof(key)
    assert first is CRITERIA[key].measure
    assert all(part.__module__.startswith("pe_core.measures.") and part.__doc__ for part in others)
    assert last is cards.measure


def test_the_exercise_counts_those_with_both_and_hangs_on_no_rounding():
    cards = {spec.title: pictures.row(key) for key, spec in ENCODINGS.items()}
    relative = {
        title: one[CRITERIA["dilution"].title]
        for title, one in cards.items()
        if one[CRITERIA["translation"].title] == 0 and one[CRITERIA["dilution"].title] is not None
    }
    both = [title for title, spread in relative.items() if spread < 0.5]
    assert both == ["RNoPE with windows", "Gemma 3", "Llama 4", "ALiBi", "KERPLE, power", "Sandwich", "CABLE"]
    assert max(relative[title] for title in both) < 0.4
    assert min(spread for title, spread in relative.items() if title not in both) > 0.6
    facts = {"count": len(both), "names": ", ".join(both), "spread": len(relative) - len(both)}
    assert pictures.relative_and_together(len(both)) == (True, facts)
    assert pictures.relative_and_together(len(both) + 1)[0] is False


def test_the_size_is_said_with_the_norm_of_its_content():
    said = pictures.size()
    assert said == {**SIZE, "head_dim": 16, "norm": 4, "differing": said["differing"]}
    assert "Gemma 3" in said["differing"]
    assert "ALiBi" not in said["differing"]
    assert shape_of(64, 4, 50) == Shape(d_model=64, n_heads=4, train_length=50, max_length=400)


def test_which_layer_is_measured_is_said_where_layers_differ():
    few, all_before = "at most 32 keys", "all keys up to its own"
    for key, seen in {"gemma3": few, "llama4": few, "modernbert": all_before, "rope_layers": all_before}.items():
        assert pictures.first_layer(key) == {"layers": "layers-differ", "seen": seen}
        assert key in pictures.differing()
    assert pictures.first_layer("alibi") == {"layers": ""}
    assert "alibi" not in pictures.differing()


@pytest.mark.parametrize(("value", "shown"), [(None, None), (0.0, 0.0), (-9e-10, 0.0), (1e-9, 1e-9), (-1.0, -1.0)])
def test_less_than_a_billionth_is_rounding(value, shown, monkeypatch):
    criterion = CRITERIA["uniqueness"]
    monkeypatch.setitem(CRITERIA, "made_up", type(criterion)(**{**vars(criterion), "measure": lambda *_: value}))
    assert pictures.measured.__wrapped__("made_up", "none", 64, 4, 16) == shown
