"""No positional encoding at all ("NoPE"): the base class itself, three identities.

Without a mask such a model cannot tell an order from another. A causal mask can: a query that sees t keys can learn to
count them.
Reference: Haviv et al. 2022, arXiv:2203.16634; Kazemnejad et al. 2023, "The Impact of Positional Encoding on Length
Generalization in Transformers", arXiv:2305.19466.
"""

from pe_core.encodings.base import EncodingSpec, PositionalEncoding
from pe_core.parameters import Paper

SPEC = EncodingSpec(
    key="none",
    title="None (NoPE)",
    family="none",
    summary="Nothing at all: only the causal mask tells the model how many tokens came before.",
    paper=Paper(
        "Transformer Language Models without Positional Encodings Still Learn Positional Information",
        "Haviv et al.",
        2022,
        "2203.16634",
    ),
    make=lambda shape, params: PositionalEncoding(),
)
