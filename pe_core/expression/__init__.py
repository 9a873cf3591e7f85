"""A small language of formulas that a visitor may type: read by a parser of our own, computed by walking its tree.

Nothing of it ever reaches Python's `eval`, `exec` or `compile`, and length, depth and size are bounded.
"""

from pe_core.expression.parsing import MAX_DEPTH, MAX_LENGTH, MAX_NODES, parse
from pe_core.expression.tree import OPERATIONS, Tree, evaluate, names, nodes

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "MAX_NODES", "OPERATIONS", "Tree", "evaluate", "names", "nodes", "parse"]
