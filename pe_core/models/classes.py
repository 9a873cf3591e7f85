"""Facts about the configuration classes of transformers 5.23: what a class does with a field, and its defaults.

They lie in `classes.json`, which `python -m tests.models.make_classes` writes: it makes configurations and looks at
them. They are defaults of classes and not the settings of released models. What the layers of a class do with positions
lies in `layers.json`, which `python -m tests.models.make_layers` writes: it runs small models with random weights, and
looks at their scores, for a model may have a rotary module that some of its layers do not use. Where a class cannot be
run, which channels it pairs is read in its code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pe_core.models.positions import Layout
from pe_core.models.reading import facts


@dataclass(frozen=True, kw_only=True)
class ModelClass:
    """What is known of one `model_type`.

    `fields` are defaults; `names` older names of fields. `rope` has the default settings by kind of layer, or under ""
    where all layers share them. `theta` and `part` are base and rotated fraction where the file has a rule but not
    them, `bases` and `parts` the fields of the top level that name them, by kind of layer. `kept_parts` are the rotated
    fractions that settings without one get, `plain_parts` those that only plain RoPE keeps. `scaled` are the kinds that
    the older `rope_scaling` reaches, `flat` those that a flat `rope_parameters` reaches, None where it is refused.
    `layers` are the kinds of one period, whose length `pattern_fields` name, `kinds` those of all layers of the class
    where they have no period. Layers of a kind in `still` turn nothing, or in `still_open` where there is no window; a
    token sees those after it, too, where it sees `both_sides`, and `pairs` of channels are "neighbours" or "halves".
    These are None for a class that was not run, and `pairs` where it cannot be told.
    """

    fields: Mapping[str, Any]
    names: Mapping[str, str]
    rope: Mapping[str, Mapping[str, Any] | None]
    theta: float | None
    part: float | None
    bases: Mapping[str, list[str]]
    parts: Mapping[str, list[str]]
    kept_parts: Mapping[str, float]
    plain_parts: Mapping[str, float]
    scaled: list[str]
    flat: list[str] | None
    obeys_part: bool  # plain RoPE turns only the fraction that it is told, too
    layers: list[str] | None
    last_layer: str | None  # its kind, whatever the period
    forces_last: bool  # and whatever the file says
    has_layer_types: bool
    pattern_fields: list[str]
    windows: Mapping[str, int]  # fields that set the window, and what it is larger by
    alternates: bool  # every second layer below max_window_layers has a window, where others have it from there on
    reads_tokens: bool  # and no frames of sound, patches of an image or points in time
    no_rope_layers: bool
    scales_softmax: bool  # by mscale_all_dim
    must_divide: bool  # the number of heads must divide the hidden size
    derives_head_dim: bool  # from the hidden size where it is null
    copies_rope_head_dim: bool  # qk_rope_head_dim is the head_dim
    sums_head_dim: bool  # it is qk_rope_head_dim and qk_nope_head_dim, of which the first turn
    head_dims: Mapping[str, int]  # by kind of layer, where they differ
    rotary_dim: bool  # an absolute number of channels is understood
    mrope: bool  # the older rule `mrope` is plain RoPE
    multimodal: Mapping[str, Any] | None  # how pairs are split over time, height, width: `order`, default `sizes`
    needs_sections: bool  # settings without `mrope_section` fail
    refuses_rules: bool  # one setting for all layers, and even the rule linear fails
    obeys_head_dim: bool  # the field head_dim is read
    refuses_head_dim: bool  # another head_dim than that of the class fails
    refuses_base: bool  # a rope_theta at the top level fails
    kinds: list[str] = field(default_factory=list)
    still: list[str] | None = None
    still_open: list[str] | None = None
    both_sides: bool | None = None
    pairs: Layout | None = None

    @property
    def is_nested(self) -> bool:
        """Whether each kind of layer has settings of its own."""
        return "" not in self.rope


def _load() -> tuple[str, dict[str, ModelClass], dict[str, dict[str, str]], dict[str, str]]:
    kept, layers = facts("classes.json"), facts("layers.json")
    classes = {
        kind: ModelClass(
            **{**facts, "rotary_dim": bool(facts["rotary_dim"])},
            kinds=layers["kinds"].get(kind, []),
            **layers["tried"].get(kind, {"pairs": layers["read"].get(kind)}),
        )
        for kind, facts in kept["classes"].items()
    }
    return kept["transformers"], classes, kept["composites"], layers["prefixes"]


VERSION, CLASSES, COMPOSITES, PREFIXES = _load()
