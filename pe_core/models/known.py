"""Well-known released models: the settings of their positions as facts, each with where it was read.

No file of a model was fetched for this table. What stands here is quoted in the source that is named, or is what the
class of transformers fills in for the very model it was made for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Label = Literal["class", "quoted"]
CLASS = "the defaults of the class in transformers 5.23, which for positions are those of this model"
NO_ADDRESS = "its config.json as public test files quote it"


@dataclass(frozen=True)
class KnownModel:
    """One released model: what its configuration says of positions, and where that was read.

    `label` is "class" where the defaults of the class are those of the model, "quoted" where a source quotes its file
    or its training script.
    """

    title: str
    config: Mapping[str, Any]
    source: str
    label: Label = "quoted"


def _github(*threads: str) -> str:
    return ", ".join(f"<https://github.com/{thread}>" for thread in threads)


LLAMA_ENDS = {
    "rope_type": "llama3",
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
DEEPSEEK_YARN = {
    "type": "yarn",
    "factor": 40,
    "original_max_position_embeddings": 4096,
    "beta_fast": 32,
    "beta_slow": 1,
    "mscale": 1.0,
    "mscale_all_dim": 1.0,
}
STARCODER = {"model_type": "starcoder2", "max_position_embeddings": 16_384, "sliding_window": 4096}
SCRIPTS = "zyzshishui/slime/blob/main/scripts/models"
OLD_PERSIMMON = "huggingface/transformers/blob/038869d4d54db478c18dbe58a02aefc67f62beb0/src/transformers/models/"
OLD_PERSIMMON += "persimmon/configuration_persimmon.py"
LITGPT = "Lightning-AI/litgpt/blob/main/litgpt/config.py"

KNOWN: Mapping[str, KnownModel] = {
    "llama_2_7b": KnownModel(
        "Llama 2 7B",
        {"model_type": "llama", "max_position_embeddings": 4096, "rope_theta": 10_000.0},
        _github("huggingface/transformers/issues/24986", "huggingface/transformers/issues/28241"),
    ),
    "llama_3_8b": KnownModel(
        "Llama 3 8B",
        {"model_type": "llama", "max_position_embeddings": 8192, "rope_theta": 500_000.0},
        _github("langchain-ai/langchain/issues/20710"),
    ),
    "llama_3_1_8b": KnownModel(
        "Llama 3.1 8B",
        {
            "model_type": "llama",
            "max_position_embeddings": 131_072,
            "rope_theta": 500_000.0,
            "rope_scaling": {**LLAMA_ENDS, "factor": 8.0},
        },
        _github(f"{SCRIPTS}/llama3.1-8B.sh", "alibaba/Pai-Megatron-Patch/issues/361", "lablup/mlxcel/issues/1355"),
    ),
    "llama_3_2_3b": KnownModel(
        "Llama 3.2 3B",
        {
            "model_type": "llama",
            "hidden_size": 3072,
            "num_attention_heads": 24,
            "num_hidden_layers": 28,
            "max_position_embeddings": 131_072,
            "rope_theta": 500_000.0,
            "rope_scaling": {**LLAMA_ENDS, "factor": 32.0},
        },
        _github(f"{SCRIPTS}/llama3.2-3B.sh", "meta-llama/llama-models/issues/166"),
    ),
    "llama_4_scout": KnownModel(
        "Llama 4 Scout",
        {
            "model_type": "llama4_text",
            "max_position_embeddings": 262_144,
            "rope_theta": 500_000.0,
            "attention_chunk_size": 8192,
            "no_rope_layers": [],
            "rope_scaling": {**LLAMA_ENDS, "high_freq_factor": 1.0, "factor": 16.0},
        },
        _github("AMD-AGI/Primus/pull/165"),
    ),
    "codellama_34b": KnownModel(
        "Code Llama 34B",
        {
            "model_type": "llama",
            "hidden_size": 8192,
            "num_attention_heads": 64,
            "num_hidden_layers": 48,
            "max_position_embeddings": 16_384,
            "rope_theta": 1_000_000,
        },
        _github("meta-llama/codellama/issues/188", LITGPT),
    ),
    "yi_34b_chat": KnownModel(
        "Yi 34B Chat",
        {
            "model_type": "llama",
            "hidden_size": 7168,
            "num_attention_heads": 56,
            "num_hidden_layers": 60,
            "max_position_embeddings": 4096,
            "rope_theta": 5_000_000.0,
            "rope_scaling": None,
        },
        _github("01-ai/Yi/issues/282", "huggingface/candle/blob/main/candle-transformers/src/models/yi.rs"),
    ),
    "mistral_7b": KnownModel(
        "Mistral 7B v0.1",
        {
            "model_type": "mistral",
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_hidden_layers": 32,
            "max_position_embeddings": 32_768,
            "rope_theta": 10_000.0,
            "sliding_window": 4096,
        },
        NO_ADDRESS,
    ),
    "mixtral_8x7b": KnownModel(
        "Mixtral 8x7B",
        {"model_type": "mixtral", "max_position_embeddings": 32_768, "rope_theta": 1_000_000.0},
        NO_ADDRESS,
    ),
    "qwen_2_5_coder_7b": KnownModel(
        "Qwen2.5 Coder 7B",
        {
            "model_type": "qwen2",
            "hidden_size": 3584,
            "num_attention_heads": 28,
            "num_hidden_layers": 28,
            "max_position_embeddings": 32_768,
            "rope_theta": 1_000_000.0,
            "sliding_window": 131_072,
            "use_sliding_window": False,
            "max_window_layers": 28,
        },
        _github("QwenLM/Qwen3-Coder/issues/124"),
    ),
    "qwen_3_8b": KnownModel(
        "Qwen3 8B",
        {
            "model_type": "qwen3",
            "hidden_size": 4096,
            "num_attention_heads": 32,
            "num_hidden_layers": 36,
            "head_dim": 128,
            "max_position_embeddings": 40_960,
            "rope_theta": 1_000_000,
        },
        _github(f"{SCRIPTS}/qwen3-8B.sh", "sgl-project/SpecForge/issues/249"),
    ),
    "gemma_7b": KnownModel("Gemma 7B", {"model_type": "gemma"}, CLASS, "class"),
    "gemma_2_2b": KnownModel("Gemma 2 2B", {"model_type": "gemma2"}, CLASS, "class"),
    "gemma_3_4b": KnownModel(
        "Gemma 3 4B",
        {
            "model_type": "gemma3_text",
            "hidden_size": 2560,
            "num_attention_heads": 8,
            "num_hidden_layers": 34,
            "rope_theta": 1_000_000.0,
            "rope_local_base_freq": 10_000.0,
            "sliding_window": 1024,
            "rope_scaling": {"rope_type": "linear", "factor": 8.0},
        },
        _github("huggingface/transformers/pull/41922", "lablup/mlxcel/issues/1340", LITGPT),
    ),
    "phi_2": KnownModel(
        "Phi-2",
        {
            "model_type": "phi",
            "hidden_size": 2560,
            "num_attention_heads": 32,
            "num_hidden_layers": 32,
            "max_position_embeddings": 2048,
            "partial_rotary_factor": 0.4,
            "rope_theta": 10_000.0,
        },
        NO_ADDRESS,
    ),
    "phi_3_mini_4k": KnownModel(
        "Phi-3 mini 4k",
        {
            "model_type": "phi3",
            "hidden_size": 3072,
            "num_attention_heads": 32,
            "num_hidden_layers": 32,
            "max_position_embeddings": 4096,
            "original_max_position_embeddings": 4096,
            "rope_theta": 10_000.0,
            "rope_scaling": None,
            "sliding_window": 2047,
        },
        NO_ADDRESS,
    ),
    "deepseek_v3": KnownModel(
        "DeepSeek-V3",
        {
            "model_type": "deepseek_v3",
            "max_position_embeddings": 163_840,
            "rope_theta": 10_000,
            "rope_scaling": DEEPSEEK_YARN,
        },
        _github("NVIDIA/Megatron-LM/issues/1418", f"{SCRIPTS}/deepseek-v3.sh"),
    ),
    "gpt_oss_120b": KnownModel("gpt-oss 120B", {"model_type": "gpt_oss"}, CLASS, "class"),
    "gpt_oss_20b": KnownModel(
        "gpt-oss 20B",
        {"model_type": "gpt_oss", "num_hidden_layers": 24},
        "ParagEkbote/hf-model-inspector, model_inspection_report.md",
    ),
    "smollm_3_3b": KnownModel(
        "SmolLM3 3B",
        {"model_type": "smollm3", "max_position_embeddings": 65_536, "rope_theta": 5_000_000.0},
        "fetchwiki/HuggingFaceTB-SmolLM3-3B, README.md",
    ),
    "olmo_2_1b": KnownModel(
        "OLMo 2 1B",
        {
            "model_type": "olmo2",
            "hidden_size": 2048,
            "num_attention_heads": 16,
            "num_hidden_layers": 16,
            "max_position_embeddings": 4096,
            "rope_theta": 500_000.0,
        },
        _github("allenai/OLMo/blob/main/configs/official-0425/OLMo2-1B-stage1.yaml"),
    ),
    "starcoder_2_3b": KnownModel(
        "StarCoder2 3B",
        {
            **STARCODER,
            "hidden_size": 3072,
            "num_attention_heads": 24,
            "num_hidden_layers": 30,
            "rope_theta": 999_999.4420358813,
        },
        NO_ADDRESS,
    ),
    "starcoder_2_15b": KnownModel(
        "StarCoder2 15B",
        {
            **STARCODER,
            "hidden_size": 6144,
            "num_attention_heads": 48,
            "num_hidden_layers": 40,
            "rope_theta": 100_000,
        },
        NO_ADDRESS,
    ),
    "stablelm_3b": KnownModel("StableLM 3B 4E1T", {"model_type": "stablelm"}, CLASS, "class"),
    "persimmon_8b": KnownModel(
        "Persimmon 8B",
        {"model_type": "persimmon", "rope_theta": 25_000.0},  # default of the class in transformers 4
        _github(OLD_PERSIMMON),
    ),
    "falcon_7b": KnownModel("Falcon 7B", {"model_type": "falcon"}, CLASS, "class"),
    "gpt_neox_20b": KnownModel("GPT-NeoX 20B", {"model_type": "gpt_neox"}, CLASS, "class"),
    "gpt_j_6b": KnownModel("GPT-J 6B", {"model_type": "gptj"}, CLASS, "class"),
    "modernbert_base": KnownModel("ModernBERT base", {"model_type": "modernbert"}, CLASS, "class"),
    "gpt_2": KnownModel("GPT-2", {"model_type": "gpt2"}, CLASS, "class"),
    "bert_base": KnownModel("BERT base", {"model_type": "bert"}, CLASS, "class"),
    "deberta_3_base": KnownModel(
        "DeBERTa-v3 base",
        {
            "model_type": "deberta-v2",
            "hidden_size": 768,
            "num_attention_heads": 12,
            "pos_att_type": "p2c|c2p",
            "max_position_embeddings": 512,
            "relative_attention": True,
            "max_relative_positions": -1,
            "position_buckets": 256,
            "position_biased_input": False,
        },
        NO_ADDRESS,
    ),
    "t5": KnownModel("T5", {"model_type": "t5"}, CLASS, "class"),
    "bloom": KnownModel(
        "BLOOM", {"model_type": "bloom", "hidden_size": 14_336, "n_head": 112}, "<https://arxiv.org/abs/2211.05100>"
    ),
    "mpt_7b": KnownModel(
        "MPT 7B", {"model_type": "mpt", "d_model": 4096, "n_heads": 32, "max_seq_len": 2048}, NO_ADDRESS
    ),
}
