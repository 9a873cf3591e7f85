"""Training speed of our model beside Hugging Face's Llama, GPT-2 and BLOOM and x-transformers of the same shape.

Every model learns the same batches of the built-in text with the same optimiser; only the model differs.
Ratios are their time over ours: above 1 we are faster.
"""

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
from x_transformers import Decoder, TransformerWrapper

from benchmarks.timing import seconds_per_call, table
from pe_core.lab.experiment import datasets
from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.experiment.training import build_model, scheduled

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


def main() -> None:
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
    main()
