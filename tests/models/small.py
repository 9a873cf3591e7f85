"""Fields that small configurations of several files of tests share, and how what is said of one is looked at."""

import re

HEADS = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "rope_theta": 1e4}
SIZES = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
TURNING = {**SIZES, "rope_theta": 1e4}
VIEW = {"image_size": 32, "patch_size": 8}
GPT = {"n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 1024, "vocab_size": 50}
OWN = {"model_type": "something_new", **HEADS, "num_hidden_layers": 4, "max_position_embeddings": 96}
SEEN = {**SIZES, "max_position_embeddings": 96}
STUDENT = {"d_model": 64, "n_heads": 4, "n_layers": 3, "vocab_size": 50, "max_seq_len": 96}
HEARS = {"audio_processor": {"config": {"relative_attention_bias_args": {"t5_bias_max_distance": 8}}}}
BERT = {**SIZES, "max_position_embeddings": 96, "type_vocab_size": 2}
OF_CLIP = {"image_resolution": 32, "vision_patch_size": 8, "vision_width": 64}
LONG = {"long_factor": [2.0] * 8, "short_factor": [1.0] * 8}
MOON = {"model_type": "moonvit", "init_pos_emb_height": 8, "init_pos_emb_width": 8, "hidden_size": 64}
OF_SIGLIP = {"model_type": "vision", "params": {"image_size": 64, "model_name": "siglip_large_patch16_384"}}
XDROPE = {"hidden_size": 64, "num_attention_heads": 4, "head_dim": 16, "rope_theta": 1e4} | {
    "rope_scaling": {"type": "xdrope", "alpha": 1000.0, "factor": 1.0, "xdrope_section": [2, 2, 2, 2]}
}


def has(words, text):
    """Return whether a text has all words, which stand with "…" for what is left out between them, in their order."""
    return re.search(".*".join(re.escape(part) for part in words.split(" … ")), text) is not None
