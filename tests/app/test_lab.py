"""The lab's controls: what stands first, what they offer and refuse, experiments, what a run is expected to take."""

import tracemalloc
from dataclasses import replace

from pe_core.encodings import ENCODINGS
from pe_core.figures import curves, runs
from pe_core.lab.experiment import datasets, training
from pe_core.lab.experiment.settings import PARAMETERS, RunConfig
from pe_core.lab.experiment.tasks import own_defaults
from pe_core.lab.queue import estimate
from pe_core.lab.queue.estimate import Need
from pe_core.masks import MASKS
from pe_core.positions import REMAPS
from tests.app.in_chinese import also_in_chinese
from tests.app.opened import frames, opened, said, sentences
from tests.app.running import LINK, can_press, press, reached, refusal, snapshot
from tests.app.test_lab_kept import record_of
from tests.cases import each
from tests.lab.queue.test_estimate import made
from ui.lab import jobs as lab
from ui.lab.setup import EXPERIMENTS, FIRST_RUN
from ui.start import prepare_lab

HUGE = {"train_length": "256", "d_model": "256", "n_heads": "8", "n_layers": "6", "batch_size": "32"}
HUGE |= {"steps": "5000", "n_seeds": "10", "tune_steps": "500"}


def captions(at):
    return [caption.value for caption in at.caption]


def test_the_largest_link_is_refused_with_nothing_measured_and_nothing_built(monkeypatch):
    """After the warm-up neither torch nor Altair has a part in a refusal."""
    known = made()
    bare = {estimate.BARE: known.small(estimate.BARE)}
    monkeypatch.setattr(lab, "calibration", lambda: replace(known, small=bare.__getitem__))
    prepare_lab()
    monkeypatch.setattr(estimate, "build_model", None)
    monkeypatch.setattr(training, "Transformer", None)
    monkeypatch.setattr(curves, "alt", None)
    monkeypatch.setattr(runs, "alt", None)
    for key in ("none", "cope"):
        tracemalloc.start()
        try:
            at = opened("lab", **HUGE, encodings=key)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert refusal(at).startswith("run must take at most 15 min on this machine, got an ")
        assert not at.warning
        assert at.query_params == {**HUGE, "encodings": key}
        assert peak < 50e6


def test_a_run_that_needs_too_much_memory_is_refused(monkeypatch):
    monkeypatch.setattr(lab, "need", lambda config, dataset: Need(1.0, 2_001 * 2**20))
    assert refusal(opened("lab")) == "run must need at most 2,000 MB of memory, got an expected 2,001 MB"
    monkeypatch.setenv("PE_MAX_MEMORY", "2001")
    assert not opened("lab").button(key="train").disabled
    monkeypatch.setenv("PE_MAX_MEMORY", "99")
    assert refusal(opened("lab")) == "PE_MAX_MEMORY must be a whole number from 100 to 1,000,000, got '99'"


@each(
    ("seconds", "words"),
    [(0.0, "1 s"), (0.4, "1 s"), (1.6, "2 s"), (119.4, "119 s"), (120.0, "2 min"), (5_430.0, "90 min")],
)
def test_a_duration_in_words(seconds, words):
    assert lab.duration(seconds) == words


def test_mask_and_positions_are_chosen_by_title_explained_and_reach_the_run(expects):
    asked = expects(1.0)
    at = opened("lab", mask="sinks")
    at.selectbox(key="remap").select("randomised").run()
    assert (asked[-1].mask, asked[-1].remap) == ("sinks", "randomised")
    assert at.query_params == {"mask": "sinks", "remap": "randomised"}
    assert at.selectbox(key="mask").options == [MASKS[key].title for key in PARAMETERS["mask"].choices]
    assert {MASKS["sinks"].summary, REMAPS["randomised"].summary} <= set(captions(at))


def pasted(at, text):
    at.segmented_control(key="text").set_value("paste").run()
    return at.text_area(key="pasted").set_value(text).run()


@each(
    ("text", "reason"),
    [
        ("to be or not to be " * 105 + "to b", "have at least 2,000 characters, got 1,999"),
        ("a" * 6_000, "have at least two different characters, got 'a'"),
        ("ab" * 500_000 + "c", "have at most 1,000,000 bytes in UTF-8, got 1,000,001"),
        ("aé" * 333_333 + "aa", "have at most 1,000,000 bytes in UTF-8, got 1,000,001"),
    ],
)
def test_a_text_that_cannot_be_used(expects, text, reason):
    expects(1.0)
    at = pasted(opened("lab"), text)
    assert refusal(at) == f"text must {reason}"
    also_in_chinese(at)


def test_a_text_stays_while_another_one_is_looked_at_and_may_be_too_short_for_the_chosen_length(expects):
    expects(1.0)
    at = pasted(opened("lab"), "to be or not to be " * 300)
    at.segmented_control(key="text").set_value("built-in").run()
    at.segmented_control(key="text").set_value("paste").run()
    assert at.text_area(key="pasted").value == "to be or not to be " * 300
    assert not at.button(key="train").disabled
    at.slider(key="train_length").set_value(256).run()
    assert refusal(at) == "text must have at least 10,245 characters, to be evaluated at length 2,048, got 5,700"


def test_the_page_says_what_a_text_is_and_how_much_of_it_was_seen_in_training(expects):
    expects(1.0)
    at = opened("lab", text="program")
    corpus = datasets.built_in("program")
    assert f"*PyTorch program*, {corpus.n_characters:,} characters. Python: the source of torch.jit" in said(at)
    assert f"One part, {len(corpus.held_out):,} characters, is held out" in said(at)
    assert "so 0.0% of them stand within so long a stretch of the training part" in said(at)
    assert "of the 1,140 characters that the loss is measured on, 100.0% stand within 64 characters in a row" in said(
        pasted(at, "to be or not to be " * 300)
    )


def test_an_uploaded_text(expects):
    expects(1.0)
    at = opened("lab", text="upload")
    assert at.button(key="train").disabled
    at.file_uploader(key="uploaded").upload("hamlet.txt", b"\xef\xbb\xbf" + b"to be or not to be " * 300).run()
    assert not at.error
    assert not at.button(key="train").disabled
    also_in_chinese(at)
    at.file_uploader(key="uploaded").set_value(("picture.png", b"\x89PNG" * 3_000, "image/png")).run()
    assert refusal(at) == "text must be UTF-8, got byte 0x89 at position 0"
    also_in_chinese(at)


def test_a_run_too_long_for_this_machine_and_a_bad_limit_are_named(expects, monkeypatch):
    monkeypatch.setenv("PE_MAX_SECONDS", "90")
    expects(7_260.0)
    at = opened("lab")
    assert refusal(at) == "run must take at most 90 s on this machine, got an expected 121 min"
    also_in_chinese(at)
    expects(90.0)
    assert not opened("lab").button(key="train").disabled
    monkeypatch.setenv("PE_MAX_SECONDS", "abc")
    assert refusal(opened("lab")) == "PE_MAX_SECONDS must be a whole number from 1 to 86,400, got 'abc'"


def test_limits_that_are_not_set_have_their_defaults():
    assert [lab.limit(one) for one in (lab.MAX_SECONDS, lab.MAX_MEMORY, lab.MAX_RUNS)] == [900, 2_000, 8]


# The first visit.


def order(at):
    """The elements of the page in order, by key or label where they have one."""
    return [getattr(element, "key", None) or getattr(element, "label", None) or element.type for element in at.main]


def test_the_question_stands_first_then_encodings_train_and_the_kept_run_and_all_else_is_folded(expects):
    expects(18.4)
    at = opened("lab")
    assert not at.error
    assert dict(at.query_params) == {}
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
    assert at.multiselect(key="encodings").options == [spec.title for spec in ENCODINGS.values()]
    assert [at.button(key=key).disabled for key in ("train", "pause", "stop")] == [False, True, True]
    takes = "Takes about **18 s** if nobody else trains, and at most about 1 MB of memory."
    assert takes in [caption.value for caption in at.caption]
    assert [set(chart["lines"]["name"]) for chart in frames(at)[:4]] == [{"Sinusoidal", "RoPE", "ALiBi"}] * 4
    assert frames(at)[4]["lines"]["name"].nunique() == 3
    assert at.dataframe[0].value["Encoding"].tolist() == ["Sinusoidal", "RoPE", "ALiBi"]
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
        "copy": RunConfig(FIRST_RUN.encodings, **own_defaults("copy")),
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


def test_train_without_a_text_says_so_and_takes_one_that_was_just_pasted(endless):
    """A field tells its text when it is left: with the very click on Train."""
    at = press(opened("lab", text="paste"), "train")
    assert at.error[0].value.startswith("Not started: there is no text yet.")
    at.text_area(key="pasted").set_value("The quick brown fox jumps over the lazy dog.\n" * 500).run()
    assert "**This text repeats itself**: 100% of" in at.warning[0].value
    also_in_chinese(at)
    at.text_area(key="pasted").set_value("".join(map(chr, range(0x4E00, 0x4E00 + 3_000)))).run()
    assert not at.warning
    at.text_area(key="pasted").set_value("to be or not to be, that is the question. " * 300)
    press(at, "train")
    assert snapshot(at).record.text.name == "own text"
    assert can_press(at) == {"Pause", "Stop"}


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
    at = press(opened("lab", **{**LINK, "steps": "5000"}, encodings="rope"), "train")
    reached(at, lambda: snapshot(at).record.glances)
    lines = frames(at)[1]["lines"]
    assert lines["x"].tolist() == [16, 32, 48, 64, 96, 128]
    assert "RoPE after " in sentences(at)[1]
    assert "**RoPE**: not done yet" in said(at)
    press(at, "stop")
