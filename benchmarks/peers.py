"""Our code beside public code: `rotary.rotate`, and training a model of the same shape on the same text.

Turned are queries and keys of one layer, angles included, beside transformers and rotary-embedding-torch. Trained are
Hugging Face's Llama, GPT-2 and BLOOM and x-transformers beside our model: every model learns the same batches of the
built-in text with the same optimiser. Ratios are their time over ours, above 1 we are faster. Rounds go around all
candidates, so that a slow moment of the machine hits each of them.
"""

import statistics
import time
from collections.abc import Callable, Mapping

import torch
from rotary_embedding_torch import RotaryEmbedding
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import (
    BloomConfig,
    BloomForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
)
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from x_transformers import Decoder, TransformerWrapper

from pe_core.encodings import rotary
from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, scheduled

ROUNDS, CALLS = 9, 10  # rounds, and calls of each candidate in one
SHAPES = ((32, 4, 64, 16), (8, 8, 512, 64), (1, 32, 2048, 128))  # (B, H, T, d): the lab's, a small and a large model's
CONFIG = RunConfig()


def seconds_per_call(candidates: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return the median over rounds of the seconds that one call of each candidate takes."""
    for candidate in candidates.values():
        candidate()
    measured: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(ROUNDS):
        for name, candidate in candidates.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                candidate()
            measured[name].append((time.perf_counter() - start) / CALLS)
    return {name: statistics.median(times) for name, times in measured.items()}


def table(title: str, rows: Mapping[str, tuple[float, float]], unit: str) -> str:
    """Return a text table of name, value and ratio to the baseline."""
    width = max(map(len, rows))
    lines = [f"{name:<{width}}  {value:>12,.1f} {unit}  {ratio:>6.2f} x" for name, (value, ratio) in rows.items()]
    return "\n".join([title, *lines, ""])


def rotators(shape: tuple[int, int, int, int]) -> dict[str, Callable[[], object]]:
    """Return the functions to compare, each turning q and k of this shape (B, H, T, d)."""
    _, heads, length, head_dim = shape
    q, k = torch.randn(shape), torch.randn(shape)
    positions = torch.arange(length)
    frequencies = rotary.frequencies(head_dim)
    llama = LlamaRotaryEmbedding(
        LlamaConfig(hidden_size=heads * head_dim, num_attention_heads=heads, head_dim=head_dim)
    )
    lucid = RotaryEmbedding(head_dim, cache_if_possible=False)

    def ours(layout: rotary.Layout) -> Callable[[], object]:
        return lambda: [rotary.rotate(x, positions, frequencies, layout=layout) for x in (q, k)]

    return {
        "ours, interleaved": ours("interleaved"),
        "ours, half": ours("half"),
        "transformers (half)": lambda: apply_rotary_pos_emb(q, k, *llama(q, positions[None])),
        "rotary-embedding-torch (interleaved)": lambda: [lucid.rotate_queries_or_keys(x) for x in (q, k)],
    }


def rotations() -> None:
    """Print for each shape the microseconds per call of every candidate, and their ratio to ours."""
    for shape in SHAPES:
        with torch.inference_mode():
            seconds = seconds_per_call(rotators(shape))
        rows = {name: (taken * 1e6, taken / seconds["ours, interleaved"]) for name, taken in seconds.items()}
        print(table(f"rotate, (B, H, T, d) = {shape}", rows, "us"))


class Scores(nn.Module):
    """A Hugging Face model that returns its logits only."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of the next token, (B, T, vocabulary)."""
        logits: Tensor = self.model(tokens, use_cache=False).logits
        return logits


def peers(vocab_size: int) -> dict[str, dict[str, nn.Module]]:
    """Return, for each encoding we compare, the models of the same width, heads, layers and hidden width."""
    d, h, n, length = CONFIG.d_model, CONFIG.n_heads, CONFIG.n_layers, CONFIG.train_length
    llama = LlamaConfig(
        vocab_size=vocab_size,
        hidden_size=d,
        intermediate_size=8 * d // 3,  # three matrices instead of two: as many weights as ours
        num_hidden_layers=n,
        num_attention_heads=h,
        max_position_embeddings=length,
    )
    gpt2 = GPT2Config(
        vocab_size=vocab_size,
        n_embd=d,
        n_layer=n,
        n_head=h,
        n_positions=length,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
    )
    bloom = BloomConfig(vocab_size=vocab_size, hidden_size=d, n_layer=n, n_head=h)

    def x_transformer(**position: bool) -> nn.Module:
        layers = Decoder(dim=d, depth=n, heads=h, attn_dim_head=d // h, attn_flash=True, **position)
        model: nn.Module = TransformerWrapper(
            num_tokens=vocab_size, max_seq_len=length, attn_layers=layers, use_abs_pos_emb=not position
        )
        return model

    return {
        "rope": {
            "transformers Llama": Scores(LlamaForCausalLM(llama)),
            "x-transformers rotary": x_transformer(rotary_pos_emb=True),
        },
        "alibi": {
            "transformers BLOOM": Scores(BloomForCausalLM(bloom)),
            "x-transformers ALiBi": x_transformer(alibi_pos_bias=True),
        },
        "learned": {"transformers GPT-2": Scores(GPT2LMHeadModel(gpt2)), "x-transformers learned": x_transformer()},
    }


def trainer(model: nn.Module, batch: Tensor) -> Callable[[], None]:
    """Return a function that does one training step, as the lab does it."""
    optimiser, _ = scheduled(model.parameters(), CONFIG.peak_learning_rate, CONFIG.steps)

    def step() -> None:
        loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        loss.item()  # as the lab has it

    return step


def training() -> None:
    """Print for each encoding how many tokens a second our model and its peers train on."""
    text = datasets.built_in()
    batch = text.train[: CONFIG.batch_size * (CONFIG.train_length + 1)].view(CONFIG.batch_size, -1)
    for encoding, others in peers(len(text.vocabulary)).items():
        models = {"ours": build_model(CONFIG, encoding, text), **others}
        sizes = {name: sum(p.numel() for p in model.parameters()) for name, model in models.items()}
        seconds = seconds_per_call({name: trainer(model, batch) for name, model in models.items()})
        rows = {
            f"{name} ({sizes[name]:,} weights)": (CONFIG.tokens_per_step / taken, taken / seconds["ours"])
            for name, taken in seconds.items()
        }
        print(table(f"training, {encoding}: ours is the ratio times as fast", rows, "tokens/s"))


if __name__ == "__main__":
    rotations()
    training()
