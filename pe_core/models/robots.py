"""Policies of LeRobot, whose files name a type and what a robot sees, and no sizes of the models inside."""

from collections.abc import Mapping

from pe_core.models.fields import Fields
from pe_core.models.found import Found, Other
from pe_core.models.reading import Json

LEROBOT = "The names are those of LeRobot: what a policy of its type does is read from its code. This is a guess."
STEPS = "Sinusoids tell the step of the diffusion, and no positions."
GEMMA: Json = {"model_type": "gemma", "hidden_size": 2048, "num_attention_heads": 8, "head_dim": 256}
SMOL: Json = {"model_type": "llama", "hidden_size": 960, "num_attention_heads": 15, "rope_theta": 10_000.0}
SIGLIP: Json = {"model_type": "siglip_vision_model", "image_size": 224, "patch_size": 14, "hidden_size": 1152}
VISION_OF_SMOL: Json = {"model_type": "smolvlm_vision", "image_size": 512, "patch_size": 16, "hidden_size": 768}
PALIGEMMA: Json = {"text_config": {**GEMMA, "rope_theta": 10_000.0}, "vision_config": SIGLIP}
POLICIES: Mapping[str, tuple[Json, tuple[str, ...]]] = {
    **dict.fromkeys(("pi0", "pi05", "pi0_fast"), (PALIGEMMA, ())),
    "smolvla": ({"text_config": SMOL, "vision_config": VISION_OF_SMOL}, ()),
    "diffusion": ({"model_type": "resnet"}, (STEPS,)),
}


def of_lerobot(given: Json) -> tuple[Json, tuple[str, ...]] | None:
    """Return the settings that the type of a policy stands for; None where the file is not LeRobot's."""
    kind = given.get("type")
    if not isinstance(kind, str) or not {"n_obs_steps", "input_features"} <= given.keys():
        return None
    if kind == "act":
        return {"model_type": "act", **given}, (LEROBOT,)
    found = POLICIES.get(kind)
    return None if found is None else (found[0], (LEROBOT, *found[1]))


def act(top: Fields) -> Found:
    """Return what ACT does: learned vectors of the steps that it writes, and sinusoids of what it sees."""
    count = top.whole("chunk_size")
    clause = f"adds to queries and keys a learned vector for each of {count:,} steps that it writes; "
    return Found("learned", f"{clause}it adds sinusoids of row and column to the maps that it sees", None)


ROBOTS = {"act": Other({"chunk_size": 100}, act)}
