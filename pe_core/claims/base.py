"""What a claim is: a sentence that people repeat, and the computation that decides whether it is so."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pe_core.lab.experiment.settings import RunConfig
from pe_core.lab.results.record import RunRecord
from pe_core.parameters import Value, require
from pe_core.registry import Entry

ClaimVerdict = Literal["true", "false", "depends"]
VERDICTS: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)

EXACT = 1e-9  # numbers that differ by less are equal up to rounding


@dataclass(frozen=True)
class Finding:
    """What came out: the verdict, the numbers it follows from by name, and some more of them as a table.

    None stands for what does not occur.
    """

    verdict: ClaimVerdict
    measured: Mapping[str, float | None]
    rows: tuple[Mapping[str, Value], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Claim(Entry):
    """A registry entry: `title` names the claim in lists, `summary` is the sentence as it is repeated.

    `decide` takes the parameters by their names and, if `encodings` names some that have to be trained, the `run`. Its
    docstring states the rule by which the verdict follows from the numbers. `chapter` is the page it belongs to,
    `sources` are further functions that do the work.
    """

    chapter: str
    decide: Callable[..., Finding]
    sources: tuple[Callable[..., Any], ...] = ()
    encodings: tuple[str, ...] = ()

    def accepts(self, run: RunRecord) -> bool:
        """Return whether the run has what the claim asks for: its encodings, plain causal texts, plain positions."""
        plain = RunConfig()
        usual = (run.config.mask, run.config.remap) == (plain.mask, plain.remap)
        return usual and set(self.encodings) <= set(run.done)

    def settle(self, params: Mapping[str, Value] | None = None, run: RunRecord | None = None) -> Finding:
        """Return the finding; parameters not named keep their default, and `run` is needed where models are trained.

        Raises `ValueError` for a parameter that does not exist or a value it does not allow, and for a run that lacks
        what is needed.
        """
        values: dict[str, Any] = self.values(params)
        if not self.encodings:
            return self.decide(**values)
        rule = f"hold {', '.join(self.encodings)} under the causal mask, at consecutive positions"
        held = "none" if run is None else f"{', '.join(run.done)} ({run.config.mask}, {run.config.remap})"
        require(run is not None and self.accepts(run), "run", rule, held)
        return self.decide(run=run, **values)
