"""The pictures of a repaired model, and of a task, show the numbers of their records."""

from dataclasses import replace

import pytest

from pe_core.chapters.lab import TITLES, by_length, by_position, right_answers, right_by_length
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.record_file import from_json
from tests.app.opened import ROOT
from tests.cases import each
from tests.figures.layers import lines_of, told_of
from tests.lab.seeded import one_seed

KEPT = from_json((ROOT / "pe_core" / "runs" / "repair.json").read_text(encoding="utf-8"))


def lines(figure):
    return dict(iter(figure.frames["lines"].groupby("name")))


def test_every_length_of_every_repair_is_a_point():
    drawn = lines(by_length(KEPT, "rope"))
    outcome = KEPT.mean("rope")
    assert set(drawn) == {"As trained", *(named(name).title for name in outcome.repaired)}
    for name, read in outcome.repaired.items():
        points = drawn[named(name).title]
        assert list(zip(points.x, points.y, strict=True)) == [(one.length, one.loss) for one in read.lengths]
    assert drawn["As trained"].y.tolist() == [one.loss for one in outcome.lengths]


def test_a_point_by_position_is_the_mean_of_an_eighth_of_the_training_length():
    drawn = lines(by_position(KEPT, "rope"))
    read = KEPT.mean("rope").repaired["ntk"]
    points = drawn[named("ntk").title]
    assert points.x.tolist() == list(range(8, 513, 8))
    for x, loss in zip(points.x, points.y, strict=True):
        assert loss == pytest.approx(sum(read.positions[x - 8 : x]) / 8)


CONFIG = RunConfig(
    ("rope", "alibi"), train_length=16, d_model=16, n_heads=2, n_layers=1, steps=50, tune_steps=50, repairs=("ntk",)
)
COPY = text_facts(TASKS["copy"])


def measured(shares):
    """So many right answers at each length, half as many whole examples, and a loss of 1 less them."""
    pairs = zip(CONFIG.lengths, shares, strict=True)
    marks = tuple(LengthLoss(length, 1 - right, 1 - right, right, right / 2) for length, right in pairs)
    return Measurement(marks, (1 - shares[-1],) * 128)


def of_seed(seed, shares):
    """A run of one seed, with what it has right as trained, repaired, tuned, and repaired and tuned."""
    own, ntk, tuned, both = (measured([share] * 5 + [share / 2]) for share in shares)
    outcome = Outcome(7, own.lengths, own.positions, {"ntk": ntk}, {AS_TRAINED.key: tuned, "ntk": both})
    return one_seed(replace(CONFIG, seed=seed), COPY, {}, {"rope": outcome})


FIRST, SECOND = of_seed(0, (0.5, 0.75, 1.0, 0.25)), of_seed(1, (0.75, 0.25, 0.5, 0.25))
SEVERAL = replace(
    FIRST, config=replace(CONFIG, n_seeds=2), outcomes={"rope": {**FIRST.outcomes["rope"], **SECOND.outcomes["rope"]}}
)
NTK = named("ntk").title


def fractions(figure):
    columns = ["x", "y", "min", "max", "n"]
    return {title: part[columns].to_numpy().tolist() for title, part in lines(figure).items()}


@each(("right", "times"), [("accuracy", 1), ("exact", 0.5)])
def test_of_a_task_every_repair_has_its_fractions(right, times):
    drawn = {tuned: fractions(right_by_length(FIRST, "rope", right, tuned=tuned)) for tuned in (False, True)}
    for tuned, title, known in (
        (False, "As trained", 0.5),
        (False, NTK, 0.75),
        (True, "As trained", 1.0),
        (True, NTK, 0.25),
    ):
        each = [times * one for one in [known] * 5 + [known / 2]]
        expected = [[length, one, one, one, 1] for length, one in zip(CONFIG.lengths, each, strict=True)]
        assert drawn[tuned][title] == expected
        assert set(drawn[tuned]) == {"As trained", NTK}


def test_of_several_seeds_a_line_is_the_mean_and_the_frame_has_their_spread():
    drawn = fractions(right_by_length(SEVERAL, "rope", "accuracy"))
    assert drawn["As trained"] == [[length, 0.625, 0.5, 0.75, 2] for length in CONFIG.lengths[:-1]] + [
        [128, 0.3125, 0.25, 0.375, 2]
    ]
    assert drawn[NTK][0] == [16, 0.5, 0.25, 0.75, 2]
    tuned = fractions(right_by_length(SEVERAL, "rope", "exact", tuned=True))
    assert tuned["As trained"][-1] == [128, 0.1875, 0.125, 0.25, 2]
    assert fractions(right_answers(SEVERAL, "accuracy")) == {"RoPE": drawn["As trained"]}
    losses = lines(by_length(SEVERAL, "rope"))["As trained"]
    assert losses[["x", "y", "min", "max", "n"]].to_numpy().tolist()[0] == [16, 0.375, 0.25, 0.5, 2]


@each("right", TITLES)
def test_fractions_have_their_own_axes_the_guess_of_an_answer_and_the_spread_of_several_seeds(right):
    for run, several in ((FIRST, False), (SEVERAL, True)):
        figure = right_by_length(run, "rope", right)
        axes = [lines_of(figure)["encoding"][axis]["title"] for axis in "xy"]
        assert axes == ["Evaluated length (symbols)", TITLES[right]]
        assert ("guesses" in figure.frames) == (right == "accuracy")  # a guess has hardly ever a whole example right
        assert ("n" in [one["field"] for one in told_of(figure)]) == several


@each("right", TITLES)
def test_the_spec_stays_while_a_run_of_a_task_goes_on(right):
    assert right_answers(FIRST, right).spec == right_answers(replace(FIRST, outcomes={}), right).spec


def every_picture(run):
    for tuned in (False, True):
        yield from (right_by_length(run, "rope", right, tuned=tuned) for right in TITLES)
        yield from (draw(run, "rope", tuned=tuned) for draw in (by_length, by_position))


def test_the_model_as_it_is_is_drawn_above_the_others():
    for figure in every_picture(FIRST):
        assert figure.frames["lines"].name.tolist()[-1] == "As trained"


def test_an_encoding_that_is_not_done_has_no_picture():
    with pytest.raises(KeyError, match=r"^'alibi'$"):
        right_by_length(FIRST, "alibi", "accuracy")


def test_all_are_drawn_alone_without_a_warning(capfd):
    import vl_convert

    alone = by_length(FIRST, "rope"), right_answers(FIRST, "accuracy"), right_answers(SEVERAL, "accuracy")
    for figure in (*every_picture(SEVERAL), *alone):
        assert vl_convert.vegalite_to_png(figure.standalone(), show_warnings=True).startswith(b"\x89PNG\r\n\x1a\n")
    assert capfd.readouterr().err == ""
