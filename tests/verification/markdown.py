"""Tables in Markdown."""

import re


def table(columns, rows):
    """Return a table; bars within a cell are escaped, and its lines joined."""
    cells = [[re.sub(r"(?<!\\)\|", r"\\|", " ".join(cell.split())) for cell in row] for row in (columns, *rows)]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], "|" + "---|" * len(columns), *lines[1:]])
