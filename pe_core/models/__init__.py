"""Published models: what their configuration says about positions."""

from pe_core.models.inspection import inspected
from pe_core.models.known import KNOWN, KnownModel
from pe_core.models.positions import LayerGroup, Positions, Rotation
from pe_core.models.reading import ConfigError

__all__ = ["KNOWN", "ConfigError", "KnownModel", "LayerGroup", "Positions", "Rotation", "inspected"]
