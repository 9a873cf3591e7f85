"""The pictures of a repaired model show the numbers of its record, every line told apart from the others."""

import pytest

from pe_core.figures.repair import by_length, by_position
from pe_core.lab.repair import named
from pe_core.lab.results_file import from_json
from tests.app.opened import ROOT

KEPT = from_json((ROOT / "content" / "runs" / "repair.json").read_text(encoding="utf-8"))


def lines(figure):
    return dict(iter(figure.frames["lines"].groupby("repair")))


def test_every_length_of_every_repair_is_a_point():
    drawn = lines(by_length(KEPT, "rope"))
    outcome = KEPT.outcomes["rope"]
    assert set(drawn) == {"As trained", *(named(name).title for name in outcome.repaired)}
    for name, read in outcome.repaired.items():
        points = drawn[named(name).title]
        assert list(zip(points.x, points.loss, strict=True)) == [(one.length, one.loss) for one in read.lengths]
    assert drawn["As trained"].loss.tolist() == [one.loss for one in outcome.lengths]


def test_a_point_by_position_is_the_mean_of_an_eighth_of_the_training_length():
    drawn = lines(by_position(KEPT, "rope"))
    read = KEPT.outcomes["rope"].repaired["ntk"]
    points = drawn[named("ntk").title]
    assert points.x.tolist() == list(range(8, 513, 8))
    for x, loss in zip(points.x, points.loss, strict=True):
        assert loss == pytest.approx(sum(read.positions[x - 8 : x]) / 8)


def test_no_two_lines_look_alike():
    scales = by_length(KEPT, "rope").spec["layer"][-1]["encoding"]
    looks = list(
        zip(scales["color"]["scale"]["range"], map(tuple, scales["strokeDash"]["scale"]["range"]), strict=True)
    )
    assert len(set(looks)) == len(looks) == 1 + len(KEPT.outcomes["rope"].repaired)
    assert scales["color"]["scale"]["domain"] == scales["strokeDash"]["scale"]["domain"]


@pytest.mark.parametrize("draw", [by_length, by_position])
def test_the_pictures_are_drawn(draw):
    figure = draw(KEPT, "rope")
    assert figure.svg().startswith("<svg")
    assert draw(KEPT, "rope").spec == figure.spec
