"""The registry of claims: sentences that people repeat, each with the computation that settles it."""

from pe_core.claims import alibi, counting, rope, sinusoid, training
from pe_core.claims.base import VERDICTS, Claim, ClaimVerdict, Finding

__all__ = ["CLAIMS", "VERDICTS", "Claim", "ClaimVerdict", "Finding"]

CLAIMS: dict[str, Claim] = {
    claim.key: claim
    for claim in (
        sinusoid.FALLS,
        sinusoid.EXPONENT,
        sinusoid.PLAIN_ANGLE,
        sinusoid.FOUR_BASES,
        sinusoid.BASE_SIZE,
        sinusoid.DIRECTION,
        counting.BLIND,
        counting.INDEX_NORM,
        counting.FRACTIONS,
        counting.CODES,
        training.SINUSOID_FAR,
        training.TABLE_FAR,
        rope.MINUS,
        rope.DECAYS,
        training.ROPE_FAR,
        alibi.SIGN,
        alibi.AFTER,
    )
}
