"""Well-known released models: the settings of their positions as facts, each with where it was read.

No file of a model was fetched for the table, `known.json`. What stands there is quoted in the source that is named, or
is what the class of transformers fills in for the very model it was made for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pe_core.models.reading import facts

Label = Literal["class", "quoted"]
CLASS = "the defaults of the class in transformers 5.23, which for positions are those of this model"
NO_ADDRESS = "its config.json as public test files quote it"


@dataclass(frozen=True)
class KnownModel:
    """One released model: what its configuration says of positions, and where that was read.

    `label` is "class" where the defaults of the class are those of the model, "quoted" where a source quotes its file
    or its training script.
    """

    title: str
    config: Mapping[str, Any]
    source: str
    label: Label


def _model(title: str, config: Mapping[str, Any], source: str = NO_ADDRESS, *, is_class: bool = False) -> KnownModel:
    return KnownModel(title, config, CLASS if is_class else source, "class" if is_class else "quoted")


KNOWN: Mapping[str, KnownModel] = {key: _model(**one) for key, one in facts("known.json").items()}
