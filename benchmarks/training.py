"""Training speed of our model beside Hugging Face's Llama, GPT-2 and BLOOM and x-transformers of the same shape.

Every model learns the same batches of the built-in text with the same optimiser; only the model differs.
Ratios are their time over ours: above 1 we are faster.

`python -m benchmarks.training large` compares with a plain GPT in place of these, at a larger shape and in the
precision of that size; a second word names the device. On the CPU it counts processor time of one thread, so that it
does not matter who else computes; on any other all are compiled, as the lab compiles large models on CUDA.
"""

import sys
import time
from collections.abc import Callable

import torch
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

from benchmarks.timing import seconds_per_call, table
from pe_core.lab.device import CPU
from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, compiled, scheduled

CONFIG = RunConfig()


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
    from x_transformers import Decoder, TransformerWrapper  # not where a GPU only trains large models

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
        "learned": {
            "transformers GPT-2": Scores(GPT2LMHeadModel(gpt2)),
            "x-transformers learned": x_transformer(),
        },
    }


class GPT(nn.Module):
    """A plain GPT-2 with a learned table of positions and no biases, with nothing in it but what it needs."""

    def __init__(self, vocab_size: int, config: RunConfig) -> None:
        super().__init__()
        self.n_heads = config.n_heads
        self.tokens = nn.Embedding(vocab_size, config.d_model)
        self.positions = nn.Embedding(config.train_length, config.d_model)
        self.blocks = nn.ModuleList(self._block(config.d_model) for _ in range(config.n_layers))
        self.norm = nn.LayerNorm(config.d_model, bias=False)
        self.head = nn.Linear(config.d_model, vocab_size, bias=False)

    @staticmethod
    def _block(d: int) -> nn.ModuleDict:
        return nn.ModuleDict(
            {
                "before": nn.LayerNorm(d, bias=False),
                "qkv": nn.Linear(d, 3 * d, bias=False),
                "out": nn.Linear(d, d, bias=False),
                "network": nn.Sequential(
                    nn.LayerNorm(d, bias=False),
                    nn.Linear(d, 4 * d, bias=False),
                    nn.GELU(),
                    nn.Linear(4 * d, d, bias=False),
                ),
            }
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of the next token, (B, T, vocabulary)."""
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            assert isinstance(block, nn.ModuleDict)
            q, k, v = block["qkv"](block["before"](x)).unflatten(-1, (3, self.n_heads, -1)).permute(2, 0, 3, 1, 4)
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + block["out"](attended.transpose(1, 2).flatten(2))
            x = x + block["network"](x)
        logits: Tensor = self.head(self.norm(x))
        return logits


LARGE = RunConfig(train_length=512, d_model=512, n_heads=8, n_layers=4, batch_size=8, peak_learning_rate=0.001)


def trainer(
    model: nn.Module, batch: Tensor, config: RunConfig = CONFIG, half: torch.dtype | None = None
) -> Callable[[], None]:
    """Return a function that does one training step, as the lab does it; `half` is what it multiplies in, if less."""
    optimiser, _ = scheduled(model.parameters(), config.peak_learning_rate, config.steps)

    def step() -> None:
        with torch.autocast(batch.device.type, half, enabled=half is not None):
            logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.float().flatten(0, 1), batch[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        loss.item()  # as the lab has it: a GPU is waited for

    return step


def large(device: str) -> None:
    """Print how many tokens a second a plain GPT and our models of its size train on, in turn."""
    text = datasets.built_in()
    n_characters = LARGE.batch_size * (LARGE.train_length + 1)
    batch = text.train[:n_characters].view(LARGE.batch_size, -1).to(device)
    ours = {key: build_model(LARGE, key, text, device) for key in ("learned", "rope", "alibi")}
    half = ours["learned"].multiplies_in
    made: dict[str, nn.Module] = {"plain GPT": GPT(len(text.vocabulary), LARGE).to(device), **ours}
    if device != CPU:
        made = {name: compiled(model) for name, model in made.items()}
    models = {name: trainer(model, batch, LARGE, None if name in ours else half) for name, model in made.items()}
    if device == CPU:
        torch.set_num_threads(1)
        seconds = seconds_per_call(models, rounds=5, calls=1, clock=time.process_time)
    else:
        seconds = seconds_per_call(models, rounds=5, calls=20)
    rows = {name: (LARGE.tokens_per_step / taken, seconds["plain GPT"] / taken) for name, taken in seconds.items()}
    print(table(f"training on {device}, {LARGE.d_model} channels, {LARGE.n_layers} layers", rows, "tokens/s"))


def main() -> None:
    """Print for each encoding how many tokens a second our model and its peers train on."""
    if sys.argv[1:2] == ["large"]:
        large((sys.argv[2:] or [CPU])[0])
        return
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
    main()
