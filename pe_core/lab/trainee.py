"""One encoding of a run with one seed: its work, and what has come of it so far."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pe_core.lab.model import Transformer
from pe_core.lab.results import Outcome
from pe_core.lab.run import Piece
from pe_core.lab.training import TrainStep
from pe_core.lab.weights import to_bytes


@dataclass(eq=False)
class Trainee:
    """One encoding with one seed: the generator that does the work, how much it is in steps, how far it has come.

    `symbols` is the vocabulary, which goes with the trained weights.
    """

    encoding: str
    seed: int
    symbols: tuple[str, ...]
    work: float  # in training steps
    measurements: int
    generator: Iterator[Piece]
    curve: list[float] = field(default_factory=list)
    pieces: int = 0
    measured: int = 0
    weights: bytes = b""  # as trained, in the format of safetensors
    outcome: Outcome | None = None

    def done(self, steps: int) -> float:
        """Return the work done so far in training steps, of which it has `steps`; measurements count as equal parts."""
        return len(self.curve) + self.measured / self.measurements * (self.work - steps)

    def note(self, piece: Piece) -> None:
        """Take in what the generator has brought."""
        self.pieces += 1
        if isinstance(piece, TrainStep):
            self.curve.append(piece.loss)
        elif isinstance(piece, Transformer):
            self.weights = to_bytes(piece, self.encoding, self.symbols)
        elif isinstance(piece, Outcome):
            self.outcome = piece
        else:
            self.measured += 1
