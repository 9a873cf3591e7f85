"""Pictures of a repaired model, of a task, and of a run in a file show the numbers of their records."""

from dataclasses import replace

import pytest
import vl_convert

from pe_core.chapters.lab import TITLES, length_losses, repaired, right_answers
from pe_core.chapters.run_picture import run_picture
from pe_core.encodings import ENCODINGS
from pe_core.files import KEPT_RUNS
from pe_core.lab import __main__ as cli
from pe_core.lab.experiment.evaluation import LengthLoss
from pe_core.lab.experiment.repair import AS_TRAINED, named
from pe_core.lab.experiment.run import Measurement, Outcome
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.results.record import text_facts
from pe_core.lab.results.record_file import from_json
from tests.cases import each
from tests.figures.layers import lines_of, told_of
from tests.lab.seeded import one_seed


def kept(name):
    return from_json((KEPT_RUNS / f"{name}.json").read_text(encoding="utf-8"))


KEPT = kept("repair")


def lines(figure):
    return dict(iter(figure.frames["lines"].groupby("name")))


def test_every_length_of_every_repair_is_a_point():
    drawn = lines(repaired(KEPT, "rope"))
    layers = [layer["encoding"] for layer in repaired(KEPT, "rope").spec["layer"]]
    [scale] = [layer["strokeDash"]["scale"] for layer in layers if "strokeDash" in layer]
    dashes = dict(zip(scale["domain"], scale["range"], strict=True))
    assert dashes["Window"] not in ([], dashes["ReRoPE"])  # they lie on each other
    outcome = KEPT.mean("rope")
    assert set(drawn) == {"As trained", *(named(name).title for name in outcome.repaired)}
    for name, read in outcome.repaired.items():
        points = drawn[named(name).title]
        assert list(zip(points.x, points.y, strict=True)) == [(one.length, one.loss) for one in read.lengths]
    assert drawn["As trained"].y.tolist() == [one.loss for one in outcome.lengths]


def test_a_point_by_position_is_the_mean_of_an_eighth_of_the_training_length():
    drawn = lines(repaired(KEPT, "rope", by_position=True))
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
    drawn = {tuned: fractions(repaired(FIRST, "rope", right, tuned=tuned)) for tuned in (False, True)}
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
    drawn = fractions(repaired(SEVERAL, "rope", "accuracy"))
    assert drawn["As trained"] == [[length, 0.625, 0.5, 0.75, 2] for length in CONFIG.lengths[:-1]] + [
        [128, 0.3125, 0.25, 0.375, 2]
    ]
    assert drawn[NTK][0] == [16, 0.5, 0.25, 0.75, 2]
    tuned = fractions(repaired(SEVERAL, "rope", "exact", tuned=True))
    assert tuned["As trained"][-1] == [128, 0.1875, 0.125, 0.25, 2]
    assert fractions(right_answers(SEVERAL, "accuracy")) == {"RoPE": drawn["As trained"]}
    losses = lines(repaired(SEVERAL, "rope"))["As trained"]
    assert losses[["x", "y", "min", "max", "n"]].to_numpy().tolist()[0] == [16, 0.375, 0.25, 0.5, 2]


@each("right", TITLES)
def test_fractions_have_their_own_axes_the_guess_of_an_answer_and_the_spread_of_several_seeds(right):
    for run, several in ((FIRST, False), (SEVERAL, True)):
        figure = repaired(run, "rope", right)
        axes = [lines_of(figure)["encoding"][axis]["title"] for axis in "xy"]
        assert axes == ["Evaluated length (symbols)", TITLES[right]]
        assert ("guesses" in figure.frames) == (right == "accuracy")  # a guess has hardly ever a whole example right
        assert ("n" in [one["field"] for one in told_of(figure)]) == several


@each("right", TITLES)
def test_the_spec_stays_while_a_run_of_a_task_goes_on(right):
    assert right_answers(FIRST, right).spec == right_answers(replace(FIRST, outcomes={}), right).spec


def every_picture(run):
    for tuned in (False, True):
        yield from (repaired(run, "rope", right, tuned=tuned) for right in TITLES)
        yield from (repaired(run, "rope", by_position=by_position, tuned=tuned) for by_position in (False, True))


def test_the_model_as_it_is_is_drawn_above_the_others():
    for figure in every_picture(FIRST):
        assert figure.frames["lines"].name.tolist()[-1] == "As trained"


def test_an_encoding_that_is_not_done_has_no_picture():
    with pytest.raises(KeyError, match=r"^'alibi'$"):
        repaired(FIRST, "alibi", "accuracy")


def test_all_are_drawn_alone_without_a_warning(capfd):
    alone = repaired(FIRST, "rope"), right_answers(FIRST, "accuracy"), right_answers(SEVERAL, "accuracy")
    for figure in (*every_picture(SEVERAL), *alone):
        assert vl_convert.vegalite_to_png(figure.standalone(), show_warnings=True).startswith(b"\x89PNG\r\n\x1a\n")
    assert capfd.readouterr().err == ""


def lines_at(spec, place):
    return spec["datasets"][f"lines-{place}"]


def rows(figure):
    return figure.frames["lines"].to_dict(orient="records")


@pytest.mark.parametrize(("name", "drawn"), [("default", length_losses), ("copy", right_answers)])
def test_a_run_without_repairs_has_one_part(name, drawn):
    record = kept(name)
    figure = drawn(record, "accuracy") if drawn is right_answers else drawn(record)
    assert run_picture(record) == {**figure.standalone(), "width": 640, "height": 380}


def test_each_encoding_that_was_repaired_has_a_part_with_all_its_lines():
    record = kept("claims")
    spec = run_picture(record)
    titles = [f"{ENCODINGS[key].title}, as trained and repaired" for key in record.config.encodings]
    assert [part["title"] for part in spec["vconcat"]] == ["All encodings, as trained", *titles]
    assert lines_at(spec, 0) == rows(length_losses(record))
    for place, key in enumerate(record.done, start=1):
        assert lines_at(spec, place) == rows(repaired(record, key))
    rope = 1 + record.done.index("rope")
    assert {row["name"] for row in lines_at(spec, rope)} == {*record.mean("rope").evaluations()}


def test_a_fine_tuned_model_has_a_part_of_its_own():
    outcomes = {
        seed: replace(one, tuned={AS_TRAINED.key: one.repaired["pi"], **one.repaired})
        for seed, one in KEPT.outcomes["rope"].items()
    }
    record = replace(KEPT, outcomes={"rope": outcomes}, config=replace(KEPT.config, tune_steps=50))
    spec = run_picture(record)
    titles = [part["title"] for part in spec["vconcat"]]
    assert titles[1:] == ["RoPE, as trained and repaired", "RoPE, after 50 more steps at 512 characters under each"]
    assert lines_at(spec, 2) == rows(repaired(record, "rope", tuned=True))


def test_the_command_line_writes_it(tmp_path):
    cli.write(KEPT, tmp_path / "run")
    assert (tmp_path / "run.png").read_bytes() == vl_convert.vegalite_to_png(run_picture(KEPT), scale=2)
