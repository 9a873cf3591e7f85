"""Which channels a class of transformers turns as a pair: tiny models of random weights are run and looked at.

`python -m tests.models.make_layouts` writes `pe_core/models/layouts.json`. The functions that turn queries are watched
while a model reads five tokens: a pair is two channels whose common length stays as it is, whatever the order after it.
"""

import importlib
import json
import sys
from pathlib import Path

import torch

from pe_core.models.classes import CLASSES
from tests.models.modules import made, quietly

TARGET = Path(__file__).parents[2] / "pe_core/models/layouts.json"
MAX_PARAMETERS = 2 * 10**8
SIZES = [  # tried in turn, since no class takes all of them
    {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 64, "vocab_size": 64},
    {"num_hidden_layers": 2, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2},
]
EXPERTS = {
    "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "moe_intermediate_size": 32, "n_shared_experts": 1,
    "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "moe_num_experts": 4, "first_k_dense_replace": 1,
}  # fmt: skip
LATENT = {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 16, "v_head_dim": 16}
SPECIAL = {  # what else a class needs so that it turns; those that are no class of RoPE are not in `CLASSES`
    "gptj": {},
    "codegen": {},
    "esm": {"position_embedding_type": "rotary"},
    "granitemoehybrid": {"position_embedding_type": "rope", "layer_types": ["attention"] * 2},
    "bamba": {"attn_layer_indices": [1]},
}


def configurations(maker, special):
    """Yield small configurations of a class, those with most fields first."""
    default = made(maker)
    known = set() if default is None else vars(default)
    small = {**SIZES[0], **SIZES[1]}
    more = {name: value for name, value in {**EXPERTS, **LATENT}.items() if name in known}
    wide = {"hidden_size": 512, "head_dim": 128}  # as sections of a multimodal RoPE expect it
    for extra in ({"head_dim": 16, **more}, more, {"head_dim": 16}, {}, {**more, **wide}, wide):
        for layers in (2, 4, 8):
            config = made(maker, **{**small, "num_hidden_layers": layers, **extra, **special})
            if config is not None:
                yield config


def layout(before, after):
    """Return how the channels of a tensor were paired: "neighbours" or "halves"; None where nothing turned, or else."""
    if before.shape != after.shape or before.shape[-1] % 2:
        return None
    before, after = before.double(), after.double()
    changed = ((before - after).abs().amax(dim=tuple(range(before.dim() - 1))) > 0).nonzero().flatten()
    if not len(changed):
        return None
    width = int(changed[-1]) + 1 + (int(changed[-1]) + 1) % 2
    found = [
        name for name, own in ways(before[..., :width]).items()
        if any(torch.allclose(own, other, rtol=1e-4, atol=1e-6) for other in ways(after[..., :width]).values())
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def ways(x):
    """Return the lengths of the pairs of `x` (..., D), as parts of that of `x`, with neighbours or halves as pairs."""
    x = x / x.norm(dim=-1, keepdim=True)  # an attention factor multiplies them all
    return {"neighbours": x.unflatten(-1, (-1, 2)).norm(dim=-1), "halves": x.unflatten(-1, (2, -1)).norm(dim=-2)}


def watched(module, seen):
    """Put functions in place of those of a module that turn, which note what goes in and comes out."""
    for name, function in list(vars(module).items()):
        if callable(function) and "apply" in name and "rot" in name and "vision" not in name:
            setattr(module, name, noting(function, seen))


def noting(function, seen):
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        first = next(one for one in (*args, *kwargs.values()) if isinstance(one, torch.Tensor))
        seen.append((first.detach().clone(), (result[0] if isinstance(result, tuple) else result).detach().clone()))
        return result

    return call


def size(config):
    """Return how many parameters a model has, counted without memory for them; 0 where that cannot be done."""
    from transformers import AutoModel

    try:
        with torch.device("meta"):
            return sum(one.numel() for one in AutoModel.from_config(config).parameters())
    except Exception:  # whatever a class raises: some compute with what they make
        return 0


def measured(maker, special=None):
    """Return the layout of a class, None where no small model of it runs or turns by a function of its module."""
    from transformers import AutoModel

    module, seen = None, []
    for config in configurations(maker, special or {}):
        try:
            if size(config) > MAX_PARAMETERS:
                continue
            model = AutoModel.from_config(config, attn_implementation="eager").eval()
            if module is None:
                module = importlib.import_module(type(model).__module__)
                watched(module, seen)
            with torch.no_grad():
                model(torch.arange(5)[None] + 3)
        except Exception:  # whatever a class raises: other sizes may fit
            seen.clear()
            continue
        found = {one for one in (layout(*pair) for pair in seen) if one}
        if len(found) == 1:
            return found.pop()
    return None


def main():
    classes, layouts = quietly(), {}
    for kind in dict.fromkeys([*CLASSES, *SPECIAL]):
        torch.manual_seed(0)
        found = measured(classes[kind], SPECIAL.get(kind))
        print(kind, found, file=sys.stderr)
        if found:
            layouts[kind] = found
    version = importlib.import_module("transformers").__version__
    TARGET.write_text(json.dumps({"transformers": version, "layouts": layouts}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
