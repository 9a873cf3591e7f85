"""The pictures of the gallery: their numbers are those of the file, and each argument changes them."""

from functools import partial

import pytest

from pe_core.encodings import ENCODINGS
from pe_core.lab.experiment.settings import MULTIPLES
from pe_core.lab.results.gallery import KEPT, read, to_json
from pe_core.pictures import gallery as pictures
from tests.lab.galleries import made, rising
from tests.pictures.offered import alike, offered

CALLS = {
    "ranking": (pictures.ranking, {"multiple": 8}, {"multiple": 2}),
    "by_length": (pictures.by_length, {"encodings": ("rope", "alibi")}, {"encodings": ("rope",)}),
    "repairs": (pictures.repairs, {"encoding": "rope", "multiple": 8}, {"encoding": "learned", "multiple": 2}),
    "orders": (pictures.orders, {"table": "press_512", "multiple": 8}, {"table": "kazemnejad", "multiple": 2}),
}


@pytest.fixture
def other_file(tmp_path):
    losses = {key: {0: rising(1.5, 1.2)} for key in ("none", "learned", "sinusoidal", "rope", "alibi")}
    gallery = made(losses, {"rope": {0: {"pi": rising(1.5, 2.0)}}})
    path = tmp_path / "other.json"
    path.write_text(to_json(gallery), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", CALLS)
def test_the_python_that_is_offered_makes_the_same_picture(name, tmp_path):
    draw, arguments, _ = CALLS[name]
    picture = partial(draw, **arguments)
    assert alike(offered(picture, tmp_path), picture())


@pytest.mark.parametrize(("name", "argument"), [(name, one) for name, call in CALLS.items() for one in call[1]])
def test_every_argument_changes_the_picture(name, argument):
    draw, first, other = CALLS[name]
    assert not alike(draw(**first), draw(**{**first, argument: other[argument]}))


@pytest.mark.parametrize("name", ["ranking", "by_length", "repairs"])
def test_another_file_gives_another_picture(name, other_file):
    draw, arguments, _ = CALLS[name]
    assert not alike(draw(**arguments), draw(**arguments, file=other_file))


@pytest.mark.parametrize("multiple", MULTIPLES[1:])
def test_the_ranking_has_every_encoding_with_the_ratio_of_its_mean_losses(multiple):
    rows, gallery = pictures.ranking(multiple).frames["rows"].set_index("name"), read(KEPT)
    assert set(rows.index) == {spec.title for spec in ENCODINGS.values()}
    for key in ENCODINGS:
        losses = [one.losses for one in gallery.runs[key].values()]
        expected = sum(one[MULTIPLES.index(multiple)].loss for one in losses) / sum(one[0].loss for one in losses)
        row = rows.loc[ENCODINGS[key].title]
        assert row["mean"] == pytest.approx(expected, rel=1e-12)
        assert row.least <= row["mean"] <= row.greatest
        assert row.n == len(losses)
    assert rows[rows.learned]["mean"].is_monotonic_increasing


def test_what_is_missing_in_a_file_is_named(other_file):
    with pytest.raises(ValueError, match=r"^encodings must be among none, learned, sinusoidal, rope, alibi, got t5$"):
        pictures.by_length(("t5",), other_file)
    with pytest.raises(ValueError, match="file must have every system of Press, Smith & Lewis 2021, Table 2"):
        pictures.orders("press_512", 2, other_file)
