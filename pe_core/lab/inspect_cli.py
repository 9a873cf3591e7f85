"""What a model does with positions, on the command line: `pe-lab inspect FILE`."""

import sys
from pathlib import Path

from pe_core.lab.command_line import aligned, status
from pe_core.lab.parser import Parser
from pe_core.models import Positions, inspected
from pe_core.models.axes import in_words
from pe_core.models.reading import MAX_CHARACTERS
from pe_core.models.sentences import grows, pairs
from pe_core.translation import Say, speaking

N_ROWS = 9


def main(arguments: list[str]) -> int:
    """Print what the configuration of a model says about positions; return the exit status: 0 done, 2 bad input."""
    options = parser().parse_args(arguments)
    say = speaking(options.language)
    return status(lambda: print(report(inspected(read(options.file)), say)), say)


def parser() -> Parser:
    """Return the parser: one file."""
    program = Parser(
        prog="pe-lab inspect",
        description="Say what a model does with positions, from its config.json. Nothing is executed or fetched.",
    )
    program.add_argument("file", metavar="FILE", help="the config.json of a model, or - for standard input")
    return program


def read(name: str) -> bytes:
    """Return the bytes of a file, or of standard input, and no more of them than can be understood."""
    most = 4 * MAX_CHARACTERS + 1
    if name == "-":
        return sys.stdin.buffer.read(most)
    with Path(name).open("rb") as file:
        return file.read(most)


def report(positions: Positions, say: Say) -> str:
    """Return the sentence, a table of pairs for each kind of layer that turns, and the warnings."""
    parts = [say(positions.summary)]
    for group in positions.groups:
        rotation = group.rotation
        if group.query_factor is not None:
            parts.append(say(f"{group.kind}: queries times {grows(group.query_factor, positions)}"))
        if rotation is None:
            continue
        claimed = positions.claimed_length
        told = f"{group.kind}: {len(rotation.frequencies)} pairs"
        if claimed is not None:
            told += f", of which {rotation.never_turning(claimed)} turn less than once in {claimed:,} tokens"
        if rotation.attention_factor != 1:
            told += f"; attention factor {rotation.attention_factor:.6g}"
        if rotation.softmax_scale != 1:
            told += f"; all scores times {rotation.softmax_scale:.6g}"
        if rotation.axes is not None:
            told += f"; pairs by axis: {in_words(rotation.axes)}"
        parts.append(f"{say(told)}\n{aligned(pairs(positions, group, N_ROWS), say)}")
    if positions.filled:
        parts.append(say(f"The class fills in: {', '.join(sorted(positions.filled))}"))
    parts.append("\n".join([say("The file does not tell:"), *(f"- {say(line)}" for line in positions.unknown)]))
    if positions.warnings:
        parts.append("\n".join([say("Watch out:"), *(f"- {say(line)}" for line in positions.warnings)]))
    return "\n\n".join(parts)
