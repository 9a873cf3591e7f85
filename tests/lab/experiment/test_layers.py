"""Layers that differ: what a pattern says, what is refused, what a model does with it, and how it travels."""

import copy
from dataclasses import replace
from itertools import islice

import torch
from hypothesis import example, given
from hypothesis import strategies as st

from pe_core.encodings import ENCODINGS
from pe_core.encodings.log_n import LogN
from pe_core.lab.__main__ import parser
from pe_core.lab.experiment.layers import Layered, laid_out, parse, reads_with
from pe_core.lab.experiment.model import Transformer
from pe_core.lab.experiment.repair import named
from pe_core.lab.experiment.settings import PARAMETERS, RunConfig, build_encoding, parse_config
from pe_core.lab.experiment.training import build_model, train
from pe_core.lab.queue import estimate
from pe_core.lab.results import record_file, repeat
from pe_core.lab.results.record import RunRecord, text_facts
from pe_core.lab.storage.run_hash import run_hash
from pe_core.lab.storage.weights import from_bytes, to_bytes
from pe_core.lab.sweep_cli import parser as sweep_parser
from pe_core.lab.sweep_cli import plan
from pe_core.masks import causal, chunked, sliding_window
from tests.cases import each, refuses
from tests.encodings.test_own import ALIBI, ROPE

CONFIG = RunConfig(("rope",), train_length=16, d_model=16, n_heads=2, n_layers=3, steps=50, batch_size=8)
SHAPE = CONFIG.shape
TOKENS = torch.randint(7, (2, 40), generator=torch.Generator().manual_seed(0))
POSITIONS = torch.arange(40)
LOCAL = {"mask": ("window", (("window", 0.5), ("convention", "with self")))}
GLOBAL = {"mask": ("causal", ())}
NONE = {"encoding": ("none", ())}
WARM = {"temperature": ("temperature", (("strength", 0.1), ("floor", 2.0)))}


def model(encoding, n_layers=3):
    return Transformer(7, SHAPE, n_layers, encoding, generator=torch.Generator().manual_seed(0)).eval()


def logits(key, layers="", n_layers=3, **params):
    """What an untrained model answers; its shared weights are always the same."""
    with torch.inference_mode():
        return model(laid_out(ENCODINGS[key].build(SHAPE, params), layers, SHAPE), n_layers)(TOKENS)


@each(
    ("text", "pattern"),
    [
        ("", ()),
        ("5 local : 1 global", (*[LOCAL] * 5, GLOBAL)),
        ("2 window(window=0.5):causal", (LOCAL, LOCAL, GLOBAL)),
        (" none + local ", (LOCAL | NONE,)),
        ("rope(base=1e+6, layout=half)", ({"encoding": ("rope", (("base", 1e6), ("layout", "half")))},)),
        ("none+temperature(floor=2):log_n", (NONE | WARM, {"temperature": ("log_n", ())})),
    ],
)
def test_what_a_pattern_says(text, pattern):
    assert parse(text) == pattern


FORM = "be words joined by +, with : between layers, such as 5 local : 1 global or local(window=0.25)+none"
KNOWN = (
    "name local, global, causal, window, sinks, lambda, dilated, chunked, temperature, log_n, "
    "or an encoding that adds nothing to the embeddings"
)
REFUSED = {
    " ": f"{FORM}, got ''",
    "local :": f"{FORM}, got ''",
    "local(window=0.25": f"{FORM}, got 'local(window=0.25'",
    "2 locally : nowhere": f"{KNOWN}, got 'locally'",
    "sinusoidal": f"{KNOWN}, got 'sinusoidal'",  # stands before the layers
    "local+chunked : global": "have at most one mask in each layer, got 'local+chunked'",
    "rope+alibi": "have at most one encoding in each layer, got 'rope+alibi'",
    "log_n+temperature": "have at most one temperature in each layer, got 'log_n+temperature'",
    "0 local": "count layers from 1, got '0 local'",
    "5 local : 2 global": "be at most 6 in a pattern, got more at '2 global'",
    "local(size=3)": "give local values by name, each once, of window, convention, got 'local(size=3)'",
    "local(window=1,window=2)": "give local values by name, each once, of window, convention, "
    "got 'local(window=1,window=2)'",
    "none(a=1)": "give none values by name, each once, of (none), got 'none(a=1)'",
    "local(window=9)": "have values that are allowed, got 'local(window=9)': "
    "window must be a number from 0.05 to 8, got '9'",
    "x" * 90: f"{KNOWN}, got {'x' * 40!r} and more",
    "local:" * 34: "have at most 200 characters, got 204",
}


@each("text", REFUSED)
def test_a_text_that_is_no_pattern_is_refused_by_its_wrong_part(text):
    refuses(lambda: RunConfig(n_layers=6, layers=text), f"layers must {REFUSED[text]}")


WORDS = ("5", "local", "none", "rope", "temperature", ":", "+", "(", ")", "window", "=", "0.5", ",", " ", "x", "\x00")
TEXTS = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(WORDS), max_size=40).map("".join))


@given(st.lists(TEXTS, min_size=1, max_size=4))
@example([sign * 200 for sign in "(+9"])
def test_any_text_is_a_pattern_of_few_layers_or_refused_in_a_short_sentence(texts):
    for text in texts:
        pattern, refusal = None, "layers must "
        try:
            pattern = parse(text)
        except ValueError as error:
            refusal = str(error)
        assert refusal.startswith("layers must "), text
        assert len(refusal) < 400, text
        assert pattern is None or (len(pattern) <= 6 and bool(pattern) == bool(text)), text


@each(
    ("changes", "message"),
    [
        ({"layers": "3 local : global"}, "layers must fit into the models, whose n_layers is 3, got a pattern of 4"),
        (
            {"layers": "none : t5", "encodings": ("rope", "sinusoidal", "alibi")},
            "layers must leave one to rope and alibi, which would all be the same, got 'none : t5'",
        ),
        (
            {"layers": "local : alibi+log_n", "repairs": ("ntk", "log_n+streaming")},
            "repairs must number positions in the same way in all layers with alibi, rope_log_n, got log_n+streaming",
        ),
    ],
)
def test_a_pattern_that_does_not_suit_its_run_is_refused(changes, message):
    refuses(lambda: replace(CONFIG, **changes), message)
    replace(CONFIG, layers="none : t5", encodings=("rope", "sinusoidal"))  # all layers of one encoding
    replace(CONFIG, layers="local : none", repairs=("streaming",))  # with masks


def test_a_model_reads_each_layer_under_the_mask_of_its_place():
    """The definition, layer by layer, with the plain encoding and an explicit mask."""
    rope = ENCODINGS["rope"].build(SHAPE)
    bare = model(rope, 4)
    with torch.inference_mode():
        x = bare.embedding(TOKENS)
        for layer, block in enumerate(bare.blocks):
            mask = (sliding_window(40, 4), chunked(40, 8), causal(40))[layer % 3]
            x = block(x, POSITIONS, mask, rope)
        expected = bare.head(bare.norm(x))
    assert torch.equal(logits("rope", "local(window=0.25) : chunked : global", 4), expected)


OF_LLAMA_4 = "chunked(chunk=1) : none+temperature(strength=0.5,floor=0.25)"


@each(
    ("layers", "key", "params", "entry", "values"),
    [
        ("2 local : none", "rope", {}, "rnope_window", {"interval": 3}),
        ("2 local : rope(base=1e6,layout=half)", "rope", {"layout": "half"}, "gemma3", {"interval": 3}),
        ("2 local : global", "rope", {"layout": "half"}, "gemma3", {"interval": 3, "base_full": 1e4}),
        ("rope(base=160000,layout=half) : 2 local", "rope", {"layout": "half"}, "modernbert", {}),
        (OF_LLAMA_4, "rope", {"base": 5e5}, "llama4", {"chunk": 1.0, "strength": 0.5, "floor": 0.25}),
        ("log_n", "rope", {}, "rope_log_n", {}),
        ("global", "t5", {}, "t5", {}),
        ("alibi", "rope", {}, "alibi", {}),
        ("none : global", "sinusoidal", {}, "sinusoidal", {}),
    ],
)
def test_patterns_equal_the_entries_of_the_registry_to_the_last_bit(layers, key, params, entry, values):
    assert torch.equal(logits(key, layers, **params), logits(entry, **values))


def test_layers_that_name_the_same_encoding_share_what_it_learns():
    encoding = laid_out(ENCODINGS["rope"].build(SHAPE), "t5 : local : t5+local", SHAPE)
    assert len(list(encoding.parameters())) == len(encoding.state_dict()) == 1
    first, other, third = (encoding.at_layer(layer) for layer in range(3))
    assert next(first.parameters()) is next(third.parameters())
    assert not list(other.parameters())


def test_weights_of_single_layers_are_trained_and_kept(text):
    """The model has learned parameters of its own and of one layer."""
    config = replace(CONFIG, encodings=("kerple_log",), layers="local : t5 : global")
    made, fresh = (build_model(config, "kerple_log", text) for _ in range(2))
    list(islice(train(made, "kerple_log", text, config), 3))
    before = fresh.state_dict()
    moved = [name for name, value in made.eval().state_dict().items() if not torch.equal(value, before[name])]
    assert len([name for name in moved if name.startswith("encoding.encoding.")]) == 2
    assert len([name for name in moved if name.startswith("encoding.beside.")]) == 1
    content = to_bytes(made, "kerple_log", text.vocabulary)
    read, _ = from_bytes(content, config, "kerple_log", len(text.vocabulary))
    with torch.inference_mode():
        assert torch.equal(read(TOKENS), made(TOKENS))


def test_a_repair_changes_the_runs_own_encoding_and_leaves_the_rest():
    repaired = named("ntk+log_n").build(build_encoding(replace(CONFIG, layers="local : alibi : global"), "rope"), SHAPE)
    window, slopes, everywhere = (repaired.at_layer(layer) for layer in range(3))
    assert torch.equal(window.mask(POSITIONS), sliding_window(40, 8))
    assert slopes.mask(POSITIONS) is None
    assert everywhere.mask(POSITIONS) is None
    q = torch.randn(1, 2, 40, 8, generator=torch.Generator().manual_seed(0))
    scaled = named("ntk").build(ENCODINGS["rope"].build(SHAPE), SHAPE).rotate(q, q, POSITIONS)
    for layer, turned in ((window, scaled), (slopes, (q, q)), (everywhere, scaled)):
        assert torch.equal(layer.rotate(q, q, POSITIONS)[0], LogN(16).rotate(*turned, POSITIONS)[0])
        assert torch.equal(layer.rotate(q, q, POSITIONS)[1], turned[1])
        assert (layer.bias(q, q, POSITIONS) is None) == (layer is not slopes)


def test_a_repair_of_a_learned_table_finds_it_and_learned_layers_stay():
    config = replace(CONFIG, encodings=("learned",), layers="t5 : local")
    encoding = build_encoding(config, "learned")
    encoding.reset_parameters(torch.Generator().manual_seed(0))
    repaired = named("learned_clamp").build(copy.deepcopy(encoding), SHAPE)
    assert isinstance(repaired, Layered)
    x = torch.zeros(1, 40, 16)
    assert torch.equal(repaired.embed(x, POSITIONS)[0, 15:], encoding.encoding.table[15].expand(25, 16))
    own, same = (next(one.at_layer(0).parameters()) for one in (repaired.beside, encoding.beside))
    assert torch.equal(own, same)


LAYERED = replace(CONFIG, layers="2 local(window=0.25) : none+temperature")
FORMULAS = replace(
    CONFIG, encodings=(ALIBI, "alibi", ROPE, "rope", "own:bias:-abs(a)*log(1+abs(b)*distance);a=1;b=0.5")
)


@each("config", [LAYERED, FORMULAS])
def test_files_scripts_and_command_lines_carry_patterns_and_formulas(config, text):
    record = RunRecord(config, text_facts(text), {config.encodings[0]: {0: (2.0, 1.0)}})
    assert record_file.from_json(record_file.exact_json(record)) == record
    script = repeat.script(config, text_facts(text), "0" * 64)
    assert all(repr(one) in script for one in (*config.encodings, config.layers) if one)
    arguments = ["--encodings", *config.encodings]
    for name in PARAMETERS:
        arguments += [f"--{name.replace('_', '-')}", str(getattr(config, name))]
    options = parser().parse_args(arguments)
    assert parse_config(options.encodings, {name: getattr(options, name) for name in PARAMETERS}) == config


def test_a_sweep_takes_a_pattern():
    arguments = ["--encodings", "rope", "--n-layers", "3", "--layers", LAYERED.layers]
    assert [trial.config.layers for trial in plan(sweep_parser().parse_args(arguments))] == [LAYERED.layers]


def test_layers_name_the_encodings_whose_code_they_use_and_each_formula_has_a_hash_of_its_own(text):
    assert reads_with("alibi : none+temperature : alibi+log_n") == ("alibi", "none", "llama4", "rope_log_n")
    keys = (ALIBI, ALIBI.replace("-8", "-4"), "alibi")
    assert len({run_hash(replace(CONFIG, encodings=(key,)), text_facts(text)) for key in keys}) == len(keys)


def test_an_encoding_of_single_layers_counts_in_what_a_run_needs():
    small = {key: estimate.Step(1.0, 100.0) for key in ENCODINGS}
    small["t5"] = estimate.Step(1.5, 400.0)
    calibration = estimate.Calibration(small.__getitem__, estimate.Step(0.5, 10.0), estimate.Step(2.0, 200.0))
    plain, masked, learned = (
        estimate.need(replace(CONFIG, layers=layers), 20, calibration, n_workers=1)
        for layers in ("", "local : global", "t5 : global")
    )
    assert masked == plain
    assert learned.seconds > plain.seconds
    assert learned.bytes > plain.bytes
