"""The lab for a first visit: what stands first, experiments by link, kept runs, Train pressed right after pasting."""

from dataclasses import replace

from pe_core.lab.experiment.settings import PARAMETERS, RunConfig
from pe_core.lab.experiment.tasks import TASKS
from tests.app.opened import frames, opened, said, sentences
from tests.app.running import can_press, press, reached, snapshot
from tests.app.test_lab_kept import record_of
from tests.cases import each
from ui.lab.experiments import EXPERIMENTS
from ui.lab.setup import FIRST_RUN


def order(at):
    """The elements of the page in order, by key or label where they have one."""
    return [getattr(element, "key", None) or getattr(element, "label", None) or element.type for element in at.main]


def test_the_question_stands_first_then_encodings_train_and_the_curves_and_all_else_is_folded(expects):
    expects(1.0)
    at = opened("lab")
    assert at.title[0].value == "Which encoding survives longer texts?"
    found = order(at)
    places = [found.index(name) for name in ("encodings", "train", "pause", "stop", "vega_lite_chart")]
    assert places == sorted(places)
    assert found.index("vega_lite_chart") < found.index("task")
    [more] = [one for one in at.expander if one.label == "More settings"]
    assert not more.proto.expanded
    within = {element.key for element in more if getattr(element, "key", None)}
    assert {*PARAMETERS, "task", "text", "repairs", "repairs_together"} <= within
    assert "encodings" not in within
    assert at.multiselect(key="encodings").value == ["sinusoidal", "rope", "alibi"]
    training, by_length, *_ = frames(at)
    assert set(training["lines"]["name"]) == set(by_length["lines"]["name"]) == {"Sinusoidal", "RoPE", "ALiBi"}
    assert "**RoPE**: breaks" in said(at)


@each("key", EXPERIMENTS)
def test_an_experiment_by_link_sets_every_control(key, expects):
    asked = expects(1.0)
    at = opened("lab", steps="1000", seed="7", n_seeds="2")
    at.query_params.clear()
    at.query_params["experiment"] = key
    at.run()
    assert not at.warning
    assert "experiment" not in at.query_params
    settings = EXPERIMENTS[key].settings
    if key == "own_text":
        assert at.segmented_control(key="text").value == "paste"
        assert not at.button(key="train").disabled
        return
    expected = {
        "length_cliff": FIRST_RUN,
        "copy": RunConfig(FIRST_RUN.encodings, **TASKS["copy"].own_settings),
        "rope_repairs": replace(FIRST_RUN, encodings=("rope",), repairs=tuple(settings.get("repairs", ()))),
        "seeds": replace(FIRST_RUN, n_seeds=3),
    }
    assert asked[-1] == expected[key]


def test_every_experiment_is_a_link_that_can_be_copied_and_another_one_is_named(expects):
    expects(1.0)
    links = [link.proto for link in opened("lab").get("page_link")]
    found = {link.query_string: link.label for link in links if link.query_string.startswith("experiment=")}
    assert found == {f"experiment={key}": one.title for key, one in EXPERIMENTS.items()}
    at = opened("lab", experiment="nope")
    [warning] = at.warning
    assert "experiment must be one of length_cliff, copy, rope_repairs, seeds, own_text, got nope" in warning.value
    assert order(at).index("warning") < order(at).index("encodings")


def test_train_pressed_with_the_text_that_was_just_pasted(endless):
    """A field tells its text when it is left: with the very click on Train."""
    at = opened("lab", text="paste")
    at.text_area(key="pasted").set_value("to be or not to be, that is the question. " * 300)
    press(at, "train")
    assert snapshot(at).record.text.name == "own text"
    assert can_press(at) == {"Pause", "Stop"}


def test_train_without_a_text_says_so_and_a_text_that_repeats_itself_is_said(expects):
    expects(1.0)
    at = press(opened("lab", text="paste"), "train")
    assert at.error[0].value.startswith("Not started: there is no text yet.")
    at.text_area(key="pasted").set_value("The quick brown fox jumps over the lazy dog.\n" * 500).run()
    assert "**This text repeats itself**: 100% of" in at.warning[0].value


def test_a_kept_run_comes_up_by_itself_and_is_trained_again_live(store, endless):
    record = record_of(FIRST_RUN, 2.5)
    store.put(record)
    at = opened("lab")
    assert [caption.value for caption in at.caption if caption.value.startswith("**Kept.**")]
    assert "run" not in at.query_params
    assert at.button(key="train").label == "Train it again live"
    press(at, "train")
    reached(at, lambda: snapshot(at).steps > 3)
    assert can_press(at) == {"Pause", "Stop"}
    assert at.button(key="train").label == "Train"


def test_the_length_cliff_appears_while_it_trains(expects):
    expects(1.0)
    at = opened("lab", train_length="16", d_model="16", n_heads="1", n_layers="1", steps="5000", encodings="rope")
    press(at, "train")
    reached(at, lambda: snapshot(at).record.glances)
    lines = frames(at)[1]["lines"]
    assert lines["x"].tolist() == [16, 32, 48, 64, 96, 128]
    assert "RoPE after " in sentences(at)[1]
    assert "**RoPE**: not done yet" in said(at)
    press(at, "stop")
