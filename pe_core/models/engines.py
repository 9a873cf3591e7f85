"""What engines do with the same file, where they differ from transformers: by its source, at the version that is named.

Only what was read there, or seen when a class was run, is told. An engine may have other code for one model, and a
later version may do something else.
"""

from dataclasses import dataclass

from pe_core.models.at_length import SINES_IN_A_TABLE
from pe_core.models.classes import VERSION
from pe_core.models.positions import Positions, Rotation

TRANSFORMERS = f"transformers {VERSION}"
VLLM = "vLLM 0052a5b"
LLAMA_CPP = "llama.cpp 0024aa7"
# The versions are commits. Lengths in `_get_and_verify_max_len`, LongRoPE in pull request 27431.
VLLM_SOURCE = "https://github.com/vllm-project/vllm/blob/0052a5b818980ce8a0477706aaf9f75bd5af72cd/vllm/config/model.py"
LLAMA_CPP_SOURCE = (
    "https://github.com/ggml-org/llama.cpp/blob/0024aa7417efd50a7c2a79e049dfbbbceb0beaaf/convert_hf_to_gguf.py"
)
LLAMA_CPP_MODELS = "https://github.com/ggml-org/llama.cpp/blob/{}/src/models/{}.cpp"
# Files of llama.cpp whose models leave a window out, by type, with the commit at which each was read.
WITHOUT_WINDOW = {
    "mistral": ("069be0ae22f391c64e26e8da4c7da0143ede8cf3", "llama"),
    "mixtral": ("069be0ae22f391c64e26e8da4c7da0143ede8cf3", "llama"),
    "phi3": ("358a4a0109ee414feb67a8bec271e1e6c5aa9302", "phi3"),
    "starcoder2": ("82234e08ad119dbefb31fcc9c304a531016bd502", "starcoder2"),
}
TABLES = {"gpt2": ("82234e08ad119dbefb31fcc9c304a531016bd502", "gpt2"), "opt": None}  # OPT is not in llama.cpp
OWN_LENGTH = "gemma3"  # types that begin so claim the extended length, which vLLM does not multiply by the factor


@dataclass(frozen=True)
class Engine:
    """What one engine does: its name with its version, in parts of a sentence, and where that was read."""

    name: str
    does: tuple[str, ...]
    source: str


def engines(found: Positions, length: int) -> list[Engine]:
    """Return what transformers, vLLM and llama.cpp do with a text of `length` tokens; empty where they do the same.

    Told is the length that each accepts, a rule that another one reads differently, a window that one leaves out, and
    what is beyond a learned table of GPT-2 and OPT. Nothing is told of other models without RoPE or with a table of
    sines, of those that claim no length, and of layers whose rules differ.
    """
    claimed = found.claimed_length
    if found.model_type in TABLES and claimed is not None:
        return _beyond_table(found.model_type, claimed) if length > claimed else []
    rotations = [group.rotation for group in found.groups if group.rotation is not None]
    rules = {(one.rule, one.factor, one.original_length) for one in rotations}
    if claimed is None or len(rules) != 1 or found.model_type in SINES_IN_A_TABLE:
        return []
    rotation, most = rotations[0], _accepted(found, rotations[0], claimed)
    ours, vllm, llama = [], [], []
    if length > most:
        vllm.append(f"refuses more than {most:,} tokens, unless VLLM_ALLOW_LONG_MAX_MODEL_LEN is 1")
    elif length > claimed:
        vllm.append(f"accepts {most:,} tokens, the length times the factor")
    if length > claimed:
        ours.append("reads a text of any length")
        llama.append(f"takes {claimed:,} tokens as the trained length, warns of more, and its server cuts down to them")
    if rotation.rule == "dynamic":
        ours.append("the frequencies change with the length of the text")
        llama.append("the conversion drops this rule, but for HunYuan")
    if rotation.rule == "longrope" and rotation.original_length is not None and rotation.beyond is not None:
        ours.append(
            f"each text of more than {rotation.original_length:,} tokens gets the long factors, others the short"
        )
        vllm.append("short or long factors are chosen once, by its max_model_len")
        llama.append("short or long factors are chosen once, by the size of its context")
    windows = [group.window for group in found.groups if group.window is not None and group.window < length]
    without = WITHOUT_WINDOW.get(found.model_type) if windows else None
    if without is not None:
        ours.append(f"a token sees {min(windows):,} tokens at most")
    told = [(TRANSFORMERS, ours, ""), (VLLM, vllm, VLLM_SOURCE), (LLAMA_CPP, llama, LLAMA_CPP_SOURCE)]
    apart = [] if without is None else [_llama(without, "the window is left out, so that a token sees all before it")]
    return [Engine(name, tuple(does), source) for name, does, source in told if does] + apart


def _beyond_table(kind: str, rows: int) -> list[Engine]:
    """Return what engines do with a text that is longer than a learned table."""
    vllm = f"refuses more than {rows:,} tokens; where VLLM_ALLOW_LONG_MAX_MODEL_LEN is 1 it warns that positions beyond"
    told = [
        Engine(TRANSFORMERS, (f"fails at token {rows + 1:,}, because the table has no row for it",), ""),
        Engine(VLLM, (f"{vllm} the table are read out of bounds",), VLLM_SOURCE),
    ]
    if (place := TABLES[kind]) is not None:
        told.append(_llama(place, f"has a table of {rows:,} rows, too, and its server cuts down to them"))
    return told


def _llama(place: tuple[str, str], does: str) -> Engine:
    """Return what llama.cpp does, as a file of a commit has it."""
    return Engine(f"llama.cpp {place[0][:7]}", (does,), LLAMA_CPP_MODELS.format(*place))


def _accepted(found: Positions, rotation: Rotation, claimed: int) -> int:
    """Return how many tokens vLLM accepts: the trained length times the factor of YaRN, the claimed one times others.

    LongRoPE and the rule of Llama 3 change nothing there, nor does Gemma 3.
    """
    own = rotation.rule in ("longrope", "llama3") or found.model_type.startswith(OWN_LENGTH)
    if rotation.factor is None or own:
        return claimed
    start = rotation.original_length if rotation.rule == "yarn" and rotation.original_length is not None else claimed
    return int(start * rotation.factor)
