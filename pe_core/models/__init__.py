"""Published models: what their configuration says about positions."""

from pe_core.models.inspection import inspected
from pe_core.models.positions import LayerGroup, Positions, Rotation
from pe_core.models.reading import ConfigError

__all__ = ["ConfigError", "LayerGroup", "Positions", "Rotation", "inspected"]
