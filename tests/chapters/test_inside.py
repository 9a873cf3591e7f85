"""Pictures of the page on the inside of models: numbers of plain loops, every argument matters, what is refused."""

import math

import numpy as np
import pytest
import torch

from pe_core.chapters import inside as pictures
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.tasks import TASKS
from pe_core.lab.inspection import inside
from pe_core.lab.inspection.inside import InspectedModel
from pe_core.lab.inspection.sample_input import question, sample_input
from pe_core.lab.inspection.trained_run import read, trained
from tests.cases import each, refuses
from tests.encodings.loops import plain_entropy
from tests.lab.conftest import text as _text

text = _text  # the fixture of the lab's tests: an own short text

TEXT = "raise the error if the name of the file is not a string, and close the file at the end of it.\n"
BASES = {
    pictures.attention: {"encoding": "rope", "repair": "as_trained", "layer": 1, "head": 1, "text": TEXT},
    pictures.entropy: {"layer": 1, "head": 1, "of_even": False},
}
OTHERS = {"encoding": "alibi", "repair": "window", "layer": 2, "head": 2, "text": TEXT[:-1], "of_even": True}


@pytest.fixture(scope="module")
def run():
    return read()


@pytest.fixture(scope="module")
def tiny(text):
    return trained(RunConfig(("none", "rope"), 16, 16, 2, 1, 50, mask="window"), text)


@pytest.fixture(scope="module")
def copying():
    return trained(RunConfig(("none", "rope"), 16, 16, 1, 1, 50), TASKS["copy"])


def data(function, run, **arguments):
    figure = function(run=run, **arguments)
    return {name: frame.to_dict() for name, frame in figure.frames.items()}


@each(("function", "base"), BASES.items())
def test_every_argument_changes_the_picture(run, function, base):
    before = data(function, run, **base)
    for name in base:
        assert before != data(function, run, **{**base, name: OTHERS[name]}), name


def test_what_lies_past_the_training_length_is_marked_and_told_where_the_text_is_longer(run):
    base = BASES[pictures.attention]
    for n, marked in ((63, False), (64, False), (65, True)):
        figure = pictures.attention(run, **{**base, "text": TEXT[:n]})
        assert ("mark" in figure.frames) == marked
        assert ("training length" in figure.svg()) == marked
        assert {"keys-past", "far"}.isdisjoint(figure.facts) != marked


def test_the_stripe_of_the_kept_model_ends_where_the_page_says(run):
    text = sample_input(run, pictures.max_length(run)).text
    found = pictures.probabilities(run, "rope", "as_trained", text)[1, 2]
    one_back, far = found.diagonal(-1), found.tril(-90).sum(-1)
    assert one_back[:94].mean() > 0.85
    assert one_back[119:].mean() < 0.02
    assert far[120:].mean() > 0.95


def test_the_axes_name_the_symbols_of_a_short_text_and_else_their_places(run):
    base = BASES[pictures.attention]
    short = pictures.attention(run, **{**base, "text": "an end.\nso it is  ok"})
    assert len(short.frames["symbols"]) == 20
    assert "".join(short.frames["symbols"].symbol) == "an␣end.↵so␣it␣is␣␣ok"
    assert short.frames["symbols"].place.tolist() == list(range(20))
    assert short.svg().count("↵") == 2  # below and beside
    long = pictures.attention(run, **{**base, "text": TEXT[:21]})
    assert "symbols" not in long.frames
    assert ">20<" in long.svg()


def test_a_task_is_read_in_symbols_and_its_entropy_is_that_of_its_answers(copying):
    figure = pictures.attention(copying, "rope", "as_trained", 1, 1, "12=1")
    assert "Key (symbol attended to)" in figure.svg()
    assert pictures.max_length(copying) == 128
    frame = pictures.entropy(copying, 1, 1, False).frames["lines"]
    assert frame[frame.name == "RoPE"].x.tolist() == list(range(16, 129, 16))
    asked = {48: TASKS["copy"].held_out_examples(48).part(0, 6)}
    found = inside.where_asked({"rope": pictures.inspected(copying, "rope", "as_trained")}, asked)
    assert frame[frame.name == "RoPE"].y.tolist()[2] == pytest.approx(float(found.entropy["rope"][0, 0, 0]))
    even = frame[frame.name == "even attention"]
    assert even.y.tolist()[0] == pytest.approx(sum(math.log(n) for n in range(9, 17)) / 8)
    shares = pictures.entropy(copying, 1, 0, True).frames["lines"]
    assert shares.y.between(0, 1).all()


def test_the_image_holds_the_attention_of_that_head(run):
    base = {**BASES[pictures.attention], "layer": 2, "head": 3}
    cells = pictures.attention(run, **base).tables()["image"].set_index(["Query", "Key"]).Attention
    tokens = run.tokens(TEXT)[None]
    expected = inside.attention(InspectedModel(run.models["rope"], run.record.config), tokens)[1, 0, 2]
    assert cells.to_numpy() == pytest.approx(expected.double().flatten().numpy())
    assert cells[5].sum() == pytest.approx(1, abs=1e-5)
    assert cells[5][6:].sum() == 0


def test_a_repair_takes_far_keys_out_of_the_image(run):
    base = {**BASES[pictures.attention], "repair": "window"}
    cells = pictures.attention(run, **base).tables()["image"]
    far = cells[cells.Query - cells.Key >= 64]
    assert len(far) > 0
    assert (far.Attention == 0).all()
    assert pictures.attention(run, **BASES[pictures.attention]).tables()["image"].Attention[far.index].sum() > 0


def test_another_run_is_looked_at_as_far_as_its_encodings_go_and_under_its_mask(tiny):
    assert pictures.max_length(tiny) == 128
    excerpt = tiny.text(torch.arange(128) % len(tiny.vocabulary))
    cells = pictures.attention(tiny, "none", "as_trained", 1, 2, excerpt).tables()["image"]
    assert (cells[cells.Query - cells.Key >= 8].Attention == 0).all()  # its window is half a training length
    frame = pictures.entropy(tiny, 1, 0, False).frames["lines"]
    assert frame[frame.name == "even attention"].y.max() == pytest.approx(math.log(8))


LEARNED = "text must be made of the 97 characters that the models have learned, got "
OF_ALIBI = "as_trained, log_n, window, sinks, streaming, lambda, half_window, grouped"


@each(
    ("function", "changed", "message"),
    [
        (pictures.attention, {"encoding": "t5"}, "encoding must be one of none, sinusoidal, rope, alibi, got t5"),
        (pictures.attention, {"encoding": "alibi", "repair": "ntk"}, f"repair must be one of {OF_ALIBI}, got ntk"),
        (pictures.attention, {"layer": 3}, "layer must be from 1 to 2, got 3"),
        (pictures.attention, {"head": 0}, "head must be from 1 to 4, got 0"),
        (pictures.attention, {"text": "e" * 257}, "text must have at most 256 characters, got 257"),
        (pictures.attention, {"text": "naïve"}, f"{LEARNED}'ï'"),
        (pictures.entropy, {"layer": 0}, "layer must be from 1 to 2, got 0"),
        (pictures.entropy, {"head": 5}, "head must be from 0 to 4, got 5"),
    ],
)
def test_what_is_not_allowed(run, function, changed, message):
    refuses(lambda: function(run=run, **{**BASES[function], **changed}), message)


def test_the_facts_of_attention_are_counted_row_by_row(run):
    figure = pictures.attention(run, **{**BASES[pictures.attention], "layer": 2, "head": 3})
    rows = figure.tables()["image"].pivot(index="Query", columns="Key", values="Attention").to_numpy()
    facts, n = figure.facts, len(TEXT)
    keys = [math.exp(plain_entropy(row)) for row in rows]
    assert facts["keys"] == pytest.approx(sum(keys[:64]) / 64, rel=1e-4)
    assert facts["keys-past"] == pytest.approx(sum(keys[64:]) / (n - 64), rel=1e-4)
    far = [sum(rows[m][: m - 63]) for m in range(64, n)]
    assert facts["far"] == pytest.approx(100 * sum(far) / len(far), rel=1e-4)
    assert facts["place"] == int(np.argmax(rows[-1]))
    assert facts["fraction"] == pytest.approx(max(rows[-1]))
    assert facts["character"] == "a line break"
    best = TEXT[facts["place"]]
    assert facts["best"] == {" ": "a space", "\n": "a line break"}.get(best, f"`{best}`")
    assert "answers" not in facts
    assert [pictures._shown(sign) for sign in "`x"] == ["`'`", "`x`"]  # a back-tick stays within its marks


def test_the_first_head_of_a_task_is_the_one_that_looks_most_at_right_answers(copying):
    trained = copying.record.config.train_length
    asked = question(TASKS["copy"], trained)
    every = pictures.probabilities(copying, "rope", "as_trained", asked.read)
    found = pictures.answer_fractions(copying, every, asked)
    by_hand = torch.zeros_like(found)
    for layer, of_layer in enumerate(every):
        for head, rows in enumerate(of_layer):
            queries = [m for m in range(len(rows)) if asked.asked[m + 1]]
            right = [(m, n) for m in queries for n in range(m + 1) if asked.text[n] == asked.text[m + 1]]
            by_hand[layer, head] = sum(float(rows[place]) for place in right) / len(queries)
    assert torch.allclose(found, by_hand, atol=1e-5)
    layer, head = pictures.first_head(copying, "rope")
    assert found[layer - 1, head - 1] == found.max()
    facts = pictures.attention_figure(copying, every, 1, 1, asked.read, asked).facts
    assert facts["answers"] == pytest.approx(100 * float(found[0, 0]))
    assert facts["answers-max"] == pytest.approx(100 * float(found.max()))
    assert (facts["answers-layer"], facts["answers-head"]) == (layer, head)


@each("encoding", ["rope", "alibi"])
def test_the_first_head_of_a_text_is_the_one_that_looks_farthest_past_the_training_length(run, encoding):
    assert pictures.first_length(run) == 192
    text = sample_input(run, 192).text
    heads = [(layer, head) for layer in (1, 2) for head in (1, 2, 3, 4)]
    far = {one: pictures.attention(run, encoding, "as_trained", *one, text).facts["far"] for one in heads}
    first = pictures.first_head(run, encoding)
    assert first == max(far, key=far.get)
    own, window = (pictures.attention(run, encoding, repair, *first, text) for repair in ("as_trained", "window"))
    assert own.facts["far"] > 30 + window.facts["far"]  # the second map shows something else
    assert window.facts["far"] == 0


def test_the_exercise_follows_from_the_slope():
    first = next(d for d in range(1_000) if math.exp(-d / 4) < 1 / 1_000)
    for guess, right in ((first, True), (first - 1, False)):
        found, facts = pictures.first_faint(guess)
        assert found == right
    assert (facts["first"], facts["slope"]) == (first, 0.25)
    assert facts["exact"] == pytest.approx(4 * math.log(1_000))
    assert 0 <= facts["beyond"] < 1  # per cent: this head cannot see far


def test_the_mean_of_all_heads_is_their_mean(run):
    found = pictures.entropies(run)

    def lines(head):
        frame = pictures.entropy_lines(run, found, layer=2, head=head, of_even=False).frames["lines"]
        return frame[frame.name == "ALiBi"].y.to_numpy()

    assert lines(0) == pytest.approx(np.mean([lines(head) for head in (1, 2, 3, 4)], axis=0))
