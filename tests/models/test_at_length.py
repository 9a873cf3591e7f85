"""What a text of a given length meets: by hand, against classes of transformers that are run, and what engines do."""

import importlib
import json
import math
from dataclasses import replace

import pytest
import torch

from pe_core.lab.inspect_cli import row
from pe_core.models import KNOWN, ConfigError, inspected
from pe_core.models.at_length import at_length, new_angles
from pe_core.models.engines import LLAMA_CPP, TRANSFORMERS, VLLM, engines
from pe_core.models.plain import plain
from pe_core.models.sentences import pairs
from tests.cases import each
from tests.models.modules import quietly
from tests.models.mutations import mutated

# Of eight channels and base 10,000: frequencies 1, 0.1, 0.01 and 0.001; in 100 tokens the first two make a full turn.
HYENA = {"model_type": "hyenadna", "max_seq_len": 96}
SMALL = {"model_type": "llama", "hidden_size": 16, "num_attention_heads": 2, "rope_theta": 1e4}
SMALL |= {"max_position_embeddings": 100}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 100, "beta_fast": 32, "beta_slow": 1}


def new_in(config, length):
    return [(one.new, one.pairs) for one in new_angles(inspected(config), length)]


def scaled(rope, claimed=400, **more):
    return {**SMALL, "max_position_embeddings": claimed, "rope_scaling": rope, **more}


def test_new_angles_by_hand():
    assert new_in(SMALL, 100) == [(0, 4)]
    assert new_in(SMALL, 101) == [(2, 4)]  # 0.01 * 100 and 0.001 * 100 rad: both are beyond what 100 tokens turn
    llama3 = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    llama3 = scaled({**llama3, "original_max_position_embeddings": 100})
    assert new_in(llama3, 400) == [(0, 4)]  # 0.01 / 4 * 400 = 1 rad
    assert new_in(llama3, 401) == [(2, 4)]


def test_a_window_that_is_no_longer_than_the_training_meets_nothing_new():
    near = {"model_type": "mistral", "max_position_embeddings": 1000, "sliding_window": 500, "rope_theta": 1e4}
    assert new_in(near, 10**6) == [(0, 64)]
    assert at_length(inspected(near), 10**6) == [
        "A text of 1,000,000 tokens is 1,000 times the claimed 1,000, and no rule scales: no pair leaves the "
        "range of its angles.",
        "In all layers a token sees 500 tokens at most.",
    ]


def test_dynamic_frequencies_are_those_of_the_text_at_hand():
    found = inspected(scaled({"rope_type": "dynamic", "factor": 2.0}, claimed=100))
    rotation = found.groups[0].rotation
    assert torch.equal(rotation.at(100), rotation.plain)
    base = 1e4 * (2.0 * 300 / 100 - 1) ** (8 / 6)
    assert rotation.at(300).tolist() == pytest.approx([base ** (-i / 4) for i in range(4)])


@each(("config", "length", "answer"), [
    (SMALL, 100, "A text of 100 tokens is within the claimed 100: no pair meets a new angle."),
    (SMALL, 250, "A text of 250 tokens is 2.5 times the claimed 100, and no rule scales: 2 of 4 pairs leave the "
     "range of angles of texts of 100 tokens."),
    (scaled(YARN), 400,
     "A text of 400 tokens is 4 times the original 100, and YaRN scales by 4: no pair leaves the range of its angles."),
    (scaled(YARN), 404,
     "A text of 404 tokens is 4.04 times the original 100, and YaRN scales by 4: 2 of 4 pairs leave the "
     "range of angles of texts of 100 tokens."),
    (scaled({"rope_type": "linear", "factor": 4.0}), 500,
     "A text of 500 tokens is longer than the claimed 400; the original length is not told, so new angles cannot "
     "be counted."),
    ({"model_type": "gemma2", "max_position_embeddings": 8192}, 100_000,
     "A text of 100,000 tokens is 12.2 times the claimed 8,192, and no rule scales: 28 of 128 pairs of full "
     "attention leave the range of angles of texts of 8,192 tokens."),
    ({"model_type": "gpt2"}, 1024, "A text of 1,024 tokens fits: the table has a row for each of 1,024 positions."),
    ({"model_type": "gpt2"}, 1025,
     "A text of 1,025 tokens does not fit: the class has a table of vectors for 1,024 positions, and "
     "transformers fails at token 1,025."),
    ({"model_type": "bloom"}, 257,
     "No table ends within 257 tokens: ALiBi lowers the score of its farthest key by about 1.0 in the head "
     "with the flattest slope, 1/256."),
    ({"model_type": "t5"}, 1000,
     "No table ends within 1,000 tokens: of its 1,000 distances, the 872 from 128 on share one bias in each "
     "direction."),
    ({"model_type": "t5"},
     128, "A text of 128 tokens has no distance of 128 or more, from where all in one direction share one bias."),
    ({"model_type": "deberta-v2", "relative_attention": True, "position_biased_input": False},
     1000, "No table ends within 1,000 tokens: all far distances in one direction share one learned vector."),
    ({"model_type": "granitemoehybrid"}, 9, "No layer is told a position, so no length brings a new one."),
    (HYENA, 96, "A text of 96 tokens is within the 96 that the model is made for."),
    (HYENA, 97, "A text of 97 tokens is longer than the 96 that the model is made for."),
    ({"model_type": "mpt", "max_seq_len": 96, "attn_config": {"alibi": True}}, 96,
     "A text of 96 tokens fits the class's table of biases for 96 positions: ALiBi lowers the score of its farthest "
     "key by about 0.4 in the head with the flattest slope, 1/256."),
    ({"model_type": "grounding-dino", "max_text_len": 8}, 9, "A text of 9 tokens is cut: the model reads 8 of them."),
    ({"model_type": "grounding-dino", "max_text_len": 8}, 8,
     "A text of 8 tokens fits: the table has a row for each of 512 positions."),
    ({"model_type": "recurrent_gemma"},
     9, "The file tells no length, so what is new in a text of 9 tokens cannot be told."),
])  # fmt: skip
def test_the_answer_in_a_sentence(config, length, answer):
    assert at_length(inspected(config), length)[0] == answer


def test_a_text_beyond_both_lengths_says_so():
    assert at_length(inspected(scaled(YARN)), 500)[1] == "It is longer than the claimed 400 tokens, too."
    falcon = at_length(inspected({"model_type": "falcon", "alibi": True}), 4096)
    assert falcon[0].endswith("1/256, before the division by the root of the head width.")
    assert falcon[1] == "It is 2 times the claimed 2,048 tokens."


N = 16
BERT = {"hidden_size": 32, "num_attention_heads": 4, "num_hidden_layers": 1, "intermediate_size": 32, "vocab_size": 50}
BERT_OF_16 = {**BERT, "max_position_embeddings": N}
FAR = {**BERT_OF_16, "relative_attention": True, "position_biased_input": False}
GPT = {"n_embd": 32, "n_head": 4, "n_layer": 1, "vocab_size": 50, "n_positions": N}
PAIR = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
PAIR |= {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "vocab_size": 50, "max_position_embeddings": N}
PADDED = {**PAIR, "pad_token_id": 1, "decoder_start_token_id": 2}
PROPHET = {"num_encoder_layers": 1, "num_decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
PROPHET |= {"num_encoder_attention_heads": 2, "num_decoder_attention_heads": 2, "hidden_size": 16, "vocab_size": 50}
PROPHET |= {"max_position_embeddings": N + 2}
AXIAL = {"hidden_size": 16, "axial_pos_embds_dim": [8, 8], "axial_pos_shape": [4, 4], "attn_layers": ["local"]}
AXIAL |= {"num_attention_heads": 2, "attention_head_size": 8, "feed_forward_size": 16, "vocab_size": 50}
XLNET = {"vocab_size": 50, "d_model": 16, "n_layer": 1, "n_head": 2, "d_inner": 16}
XGLM = {"vocab_size": 50, "d_model": 16, "ffn_dim": 16, "num_layers": 1, "attention_heads": 2}


@each(("kind", "fields", "fails"), [
    ("gpt2", GPT, True),
    ("gptj", {**GPT, "rotary_dim": 8}, True),
    ("codegen", {**GPT, "rotary_dim": 8}, True),
    ("gpt_bigcode", GPT, True),
    ("bert", BERT_OF_16, True),
    ("roberta", {**BERT, "max_position_embeddings": N + 2}, True),
    ("mpt", {"max_seq_len": N, "d_model": 32, "n_heads": 4, "n_layers": 1, "vocab_size": 50}, True),
    ("bloom", {"seq_length": N, "hidden_size": 32, "n_head": 4, "n_layer": 1, "vocab_size": 50}, False),
    ("falcon", {**BERT_OF_16, "alibi": True}, False),
    ("llama", BERT_OF_16, False),
    ("deberta-v2", {**BERT_OF_16, "relative_attention": True}, True),
    ("deberta-v2", FAR, False),
    ("deberta", FAR, False),
    ("marian", PADDED, True),
    ("pegasus", PADDED, True),
    ("m2m_100", PADDED, False),
    ("nllb-moe", PADDED, False),
    ("prophetnet", PROPHET, True),
    ("pegasus_x", {**PAIR, "block_size": 4, "num_global_tokens": 2}, False),
    ("ctrl", {"n_embd": 16, "dff": 16, "n_layer": 1, "n_head": 2, "n_positions": N, "vocab_size": 50}, True),
    ("reformer", {**AXIAL, "local_attn_chunk_length": 4}, True),
    ("tapas", BERT_OF_16, False),
    ("tapas", {**BERT_OF_16, "reset_position_index_per_cell": False}, True),
    ("yoso", BERT_OF_16, True),
    ("markuplm", {**BERT, "max_position_embeddings": N + 2, "pad_token_id": 1}, True),
    ("luke", {**BERT, "max_position_embeddings": N + 2, "entity_vocab_size": 8, "entity_emb_size": 32}, True),
    ("luke", {**BERT, "max_position_embeddings": N + 1, "entity_vocab_size": 8, "pad_token_id": 0}, True),
    ("lilt", {**BERT, "hidden_size": 48, "max_position_embeddings": N + 1}, True),
    ("esm", {**BERT, "max_position_embeddings": N + 2, "pad_token_id": 1}, True),
    ("xlnet", XLNET, False),
    ("xglm", {**XGLM, "max_position_embeddings": N}, False),
])  # fmt: skip
def test_what_is_said_of_a_length_is_what_the_class_does(kind, fields, fails):
    found = inspected({"model_type": kind, **fields})
    model = importlib.import_module("transformers").AutoModel.from_config(quietly()[kind](**fields)).eval()

    def run(length):
        tokens = torch.full((1, length), 7)
        with torch.no_grad():
            model(input_ids=tokens, **({"decoder_input_ids": tokens} if "decoder_ffn_dim" in fields else {}))

    run(N)
    answer = at_length(found, N + 4)[0]
    assert ("fails at token 17" in answer) == fails, answer
    if fails:
        with pytest.raises((IndexError, ValueError, RuntimeError)):
            run(N + 4)
    else:
        run(N + 4)


@each("kind", ["wav2vec2", "hubert"])
def test_a_convolution_over_frames_has_no_end(kind):
    fields = {**BERT, "num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2}
    importlib.import_module("transformers").AutoModel.from_config(quietly()[kind](**fields))(torch.randn(1, 25_600))
    assert at_length(inspected({"model_type": kind, **fields}), 64)[0].startswith("No table ends")


def test_engines_are_told_where_they_differ():
    told = {one.name: one.does for one in engines(inspected(scaled(YARN)), 500)}
    assert told[VLLM] == ("refuses more than 400 tokens, unless VLLM_ALLOW_LONG_MAX_MODEL_LEN is 1",)
    assert told[TRANSFORMERS] == ("reads a text of any length",)
    dynamic = inspected(scaled({"rope_type": "dynamic", "factor": 2.0}, claimed=100))
    told = {one.name: one.does for one in engines(dynamic, 150)}
    assert told[VLLM] == ("accepts 200 tokens, the length times the factor",)
    assert told[LLAMA_CPP][1] == "the conversion drops this rule, but for HunYuan"
    assert engines(inspected(SMALL), 100) == []
    assert engines(inspected({"model_type": "gpt2"}), 1024) == engines(inspected({"model_type": "gptj"}), 5000) == []
    long = scaled({"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [4.0] * 4,
                   "original_max_position_embeddings": 100})  # fmt: skip
    assert len(engines(inspected(long), 100)) == 3
    read = inspected(long)
    rows = pairs(read, read.groups[0], 9)  # a text of the claimed 400 tokens has the long factors
    assert [row["frequency"] for row in rows] == ["0.25", "0.025", "0.0025", "0.00025"]
    assert read.groups[0].rotation.never_turning(400) == 2  # wavelengths 25, 251, 2,513 and 25,133
    assert all(one.source.startswith("https://") for one in engines(inspected(long), 100) if one.name != TRANSFORMERS)


def test_mutilated_configurations_get_an_answer_at_every_length():
    understood = 0
    for seed in range(500):
        try:
            found = inspected(mutated(seed))
        except ConfigError:
            continue
        understood += 1
        for length in (1, 100_000, 2**40):
            assert all(sentence.endswith(".") for sentence in at_length(found, length))
            json.dumps(plain(found, length), allow_nan=False)
    assert understood > 100


@each("key", KNOWN)
def test_json_has_every_number(key):
    found = inspected(KNOWN[key].config)
    told = json.loads(json.dumps(plain(found, 100_000)))
    assert told["summary"] == found.summary
    assert told["at_length"]["answer"] == at_length(found, 100_000)[0]
    for group, own in zip(found.groups, told["layers"], strict=True):
        if group.rotation is not None:
            assert own["rotation"]["frequencies"] == group.rotation.frequencies.tolist()
            assert math.isclose(own["rotation"]["attention_factor"], group.rotation.attention_factor)
    assert "at_length" not in plain(found, None)


def test_a_window_of_both_sides_reaches_half_as_far():
    found = inspected({"model_type": "modernbert", "local_attention": 9, "global_attn_every_n_layers": 2})
    [local] = [group for group in found.groups if group.window == 9]
    trained = replace(local, rotation=replace(local.rotation, original_length=5))  # distances 0 to 4
    both, one = (replace(found, groups=(replace(trained, both_sides=sides),)) for sides in (True, False))
    assert local.both_sides
    assert [group.new for group in new_angles(both, 1_000)] == [0]  # 4 tokens on each side
    assert [group.new for group in new_angles(one, 1_000)] == [int((local.rotation.plain * 4 < 2 * math.pi).sum())]


def test_a_static_rule_is_named_beyond_the_claimed_length():
    scaling = {"type": "dynamic", "factor": 1.0, "alpha": 1000.0}
    config = {"model_type": "hunyuan_v1_dense", "head_dim": 128, "max_position_embeddings": 32_768}
    found = inspected({**config, "rope_scaling": scaling})
    assert "static NTK scales with an alpha of 1000" in at_length(found, 40_000)[0]
    assert row("a", found, None, str)["Rule"] == "static NTK"  # of the table of several files


def test_engines_on_tables_and_windows():
    told = engines(inspected({"model_type": "gpt2"}), 5000)
    assert [one.name.split()[0] for one in told] == ["transformers", "vLLM", "llama.cpp"]
    assert all("1,024" in one.does[0] or "1,025" in one.does[0] for one in told)
    assert len(engines(inspected({"model_type": "opt"}), 5000)) == 2
    for kind in ("mistral", "starcoder2", "phi3"):
        file = {**SMALL, "model_type": kind, "sliding_window": 50}
        ours, llama = (engines(inspected(file), 80)[at] for at in (0, -1))
        assert "a token sees 50 tokens at most" in ours.does
        assert llama.does == ("the window is left out, so that a token sees all before it",)
        assert "src/models" in llama.source
        assert engines(inspected(file), 40) == []
    assert engines(inspected({**SMALL, "model_type": "mistral", "sliding_window": None}), 80) == []
