"""What a model does with positions, on the command line: `pe-lab inspect FILE [FILE ...]`."""

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import Tensor

from pe_core.lab.command_line import Parser, aligned, status
from pe_core.measures.channels import evenly
from pe_core.models import ConfigError, Positions, inspected
from pe_core.models.at_length import LENGTH, at_length, new_angles
from pe_core.models.axes import in_words
from pe_core.models.checkpoints.checkpoint import configuration, is_checkpoint, opened
from pe_core.models.checkpoints.weights import Bias, Table, Use, Weights, weights
from pe_core.models.engines import engines
from pe_core.models.plain import plain, plain_weights
from pe_core.models.reading import MAX_CHARACTERS
from pe_core.models.sentences import RULES, grows, pairs
from pe_core.translation import Say
from pe_core.wrapping import joined

N_ROWS = 9
N_WEIGHT_ROWS = 8
MAX_RUNS = 4
PARAMETER = replace(LENGTH.parameter, name="length")
BETWEEN = " / "  # values of the kinds of layers of one model, in a cell


def main(arguments: list[str]) -> int:
    """Print what the configurations of models say about positions; return the exit status: 0 done, 2 bad input."""
    return status(_inspect, parser().parse_args(arguments))


def _inspect(options: argparse.Namespace, say: Say) -> None:
    length = None if options.length is None else int(PARAMETER.parse(options.length))
    if len(options.files) == 1:
        print(one(options.files[0], length, say, in_json=options.json))
    else:
        several(options.files, length, say, in_json=options.json)


def one(name: str, length: int | None, say: Say, *, in_json: bool) -> str:
    """Return the whole reading of one configuration or checkpoint."""
    if name != "-" and is_checkpoint(Path(name)):
        found, measured = weights(opened(Path(name)))
        if in_json:
            return as_json({**(plain(found, length) if found else {}), "weights": plain_weights(measured)})
        return "\n\n".join([*([report(found, length, say)] if found else []), *weight_paragraphs(measured, say)])
    found = inspected(read(name))
    return as_json(plain(found, length)) if in_json else report(found, length, say)


def several(names: Sequence[str], length: int | None, say: Say, *, in_json: bool) -> None:
    """Print several configurations side by side; then raise `ConfigError` with what is wrong with the others."""
    found, problems = {}, []
    for name in names:
        try:
            found[name] = inspected(read(name))
        except (ConfigError, OSError) as error:
            problems.append(f"{name}: {error}")
    if in_json:
        print(as_json({name: plain(positions, length) for name, positions in found.items()}))
    elif found:
        print(table(found, length, say))
    if problems:
        raise ConfigError("; ".join(problems))


def parser() -> Parser:
    """Return the parser: files, a length, and JSON in place of text."""
    program = Parser(
        prog="pe-lab inspect",
        description="Say what a model does with positions, from its config.json. Nothing is executed or fetched.",
    )
    text = "the config.json of a model, or - for standard input; several are shown side by side. Of a folder or a "
    text += ".safetensors file the weights are read, too"
    program.add_argument("files", metavar="FILE", nargs="+", help=text)
    program.add_argument(
        "--length",
        metavar="N",
        help="how many tokens a text has; what happens at this length is said first (default: the claimed length)",
    )
    program.add_argument("--json", action="store_true", help="print everything that is known as JSON, in English")
    return program


def read(name: str) -> bytes:
    """Return the bytes of a file, of the config.json of a folder, or of standard input, no more than are understood.

    Raises `ConfigError` for a folder without a config.json.
    """
    most = MAX_CHARACTERS + 1
    if name == "-":
        return sys.stdin.buffer.read(most)
    if Path(name).is_dir():
        return configuration(Path(name))
    with Path(name).open("rb") as file:
        return file.read(most)


def spaced(sentences: Sequence[str], say: Say) -> str:
    """Return sentences in the reader's language one after the other, with a space between them where it has one."""
    return joined(part for sentence in sentences for part in (say(sentence), " ")).rstrip()


def as_json(told: Mapping[str, Any]) -> str:
    """Return what is known as JSON that a person can read."""
    return json.dumps(told, indent=2, ensure_ascii=False)


def report(positions: Positions, length: int | None, say: Say) -> str:
    """Return what happens at a length, the reading, a table of pairs for each kind of layer, engines, and warnings."""
    length = positions.claimed_length if length is None else length
    parts = [] if length is None else [spaced(at_length(positions, length), say)]
    parts += [say(part) for part in positions.parts]
    if layout := positions.pairs:
        parts.append(say(f"The class turns pairs of {layout}."))
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
        if claimed is not None and not rotation.at(claimed).equal(rotation.frequencies):
            told += f"; the frequencies are those of a text of {claimed:,} tokens"
        if rotation.attention_factor != 1:
            told += f"; attention factor {rotation.attention_factor:.6g}"
        if rotation.softmax_scale != 1:
            told += f"; all scores times {rotation.softmax_scale:.6g}"
        if rotation.axes is not None:
            told += f"; pairs by axis: {in_words(rotation.axes)}"
        parts.append(f"{say(told)}\n{aligned(pairs(positions, group, N_ROWS), say)}")
    if positions.filled:
        parts.append(say(f"The class fills in: {', '.join(sorted(positions.filled))}"))
    if positions.unknown:
        parts.append("\n".join([say("The file does not tell:"), *(f"- {say(line)}" for line in positions.unknown)]))
    if length is not None and (differ := engines(positions, length)):
        lines = [f"- {one.name}{say(': ')}{say('; '.join(one.does))}" for one in differ]
        sources = ", ".join(one.source for one in differ if one.source)
        parts.append("\n".join([say("Engines differ:"), *lines, f"{say('Sources: ')}{sources}"]))
    if positions.warnings:
        parts.append("\n".join([say("Watch out:"), *(f"- {say(line)}" for line in positions.warnings)]))
    return "\n\n".join(parts)


def table(found: Mapping[str, Positions], length: int | None, say: Say) -> str:
    """Return several files side by side: a row for each, and what a length means to each below."""
    text = aligned([row(name, positions, length, say) for name, positions in found.items()], say)
    if length is None:
        return text
    return "\n".join([text, "", *(f"{name}{say(': ')}{say(at_length(one, length)[0])}" for name, one in found.items())])


def row(name: str, positions: Positions, length: int | None, say: Say) -> dict[str, str]:
    """Return the row of one file; where kinds of layers differ, a cell has a value for each."""
    turned = [group.rotation for group in positions.groups if group.rotation is not None]

    def cell(values: list[str]) -> str:
        return BETWEEN.join(map(say, dict.fromkeys(values))) or "none"

    new = None if length is None else new_angles(positions, length)
    counted = "not told" if new is None else cell([f"{one.new} of {one.pairs}" for one in new])
    near = [group.window or group.chunk for group in positions.groups]
    lengths = {"Original": positions.original_length, "Claimed": positions.claimed_length}
    return {
        "File": name,
        "Model": positions.model_type,
        "Positions": positions.mechanism,
        **{which: "not told" if one is None else f"{one:,}" for which, one in lengths.items()},
        "Base": cell([f"{one.base:,.10g}" for one in turned]),
        "Rule": cell([RULES.get(one.rule, "none") for one in turned]),
        "Factor": cell([f"{one.factor:g}" for one in turned if one.factor is not None]),
        "Channels turned": cell([f"{one.n_rotated} of {one.head_dim}" for one in turned]),
        "See": cell([f"{one:,}" for one in near if one]),
        "Layout": positions.pairs or "none",
        **({} if length is None else {f"New at {length:,}": counted}),
    }


def weight_paragraphs(found: Weights, say: Say) -> Iterator[str]:
    """Yield what was measured, paragraph by paragraph, and at the end what could not be read."""
    for table in found.tables:
        yield _weight_table(table, say)
    for bias in found.biases:
        yield _bias(bias, say)
    for use in found.uses:
        yield _use(use, say)
    if not (found.tables or found.biases or found.uses or found.notes):
        yield say("No tensor is known here as a table of positions, a relative bias, or queries and keys that turn.")
    if found.notes:
        yield "\n".join([say("Not read:"), *(f"- {say(note)}" for note in found.notes)])


def _weight_table(table: Table, say: Say) -> str:
    norms = table.norms
    told = f"{table.name}: {len(norms):,} rows of {table.width:,} channels, of norm {float(norms.min()):.4g} to "
    told += f"{float(norms.max()):.4g}, in the median {float(norms.median()):.4g}"
    rows = [{"Rows apart": str(offset), "Mean cosine": f"{value:.3f}"} for offset, value in table.cosines.items()]
    return "\n".join([say(told), *([aligned(rows, say)] if rows else []), say(_untrained(table))])


def _untrained(table: Table) -> str:
    """Return which rows look never trained."""
    if not table.untrained:
        return "No row looks as if it was never trained."
    if table.untrained == [(0, len(table.norms) - 1)]:
        return "All rows look random: no neighbours are alike, as in a table that was never trained."
    count = sum(last - first + 1 for first, last in table.untrained)
    where = [str(first) if first == last else f"{first} to {last}" for first, last in table.untrained[:MAX_RUNS]]
    more = " ..." if len(table.untrained) > MAX_RUNS else ""
    return f"{count} rows look never trained, zeros or like no neighbour: {', '.join(where)}{more}"


def _bias(bias: Bias, say: Say) -> str:
    rows = [
        {
            bias.of: str(place),
            "Mean": f"{float(values.mean()):.3f}",
            "Lowest": _head(values, int(values.argmin())),
            "Highest": _head(values, int(values.argmax())),
        }
        for place, values in zip(bias.places, bias.values, strict=True)
    ]
    heads = bias.values.shape[1]
    return f"{say(f'{bias.name}: the bias of {heads} heads by {bias.of}')}\n{aligned(rows, say)}"


def _use(use: Use, say: Say) -> str:
    rows = []
    for pair in evenly(use.queries.shape[1], N_WEIGHT_ROWS):
        frequency = float(use.rotation.frequencies[pair])
        q, k = use.queries[:, pair], use.keys[:, pair]
        rows.append(
            {
                "pair": str(pair),
                "wavelength": f"{2 * math.pi / frequency:,.1f}" if frequency else "never",
                "Queries": f"{float(q.mean()):.3f}",
                "Highest query head": _head(q, int(q.argmax())),
                "Keys": f"{float(k.mean()):.3f}",
                "Highest key head": _head(k, int(k.argmax())),
            }
        )
    told = (
        f"Layer {use.layer}: norms of the query and key weights of each pair, on average over {len(use.queries)} heads"
    )
    after = ["The model normalises queries and keys after these weights."] if use.normalised else []
    return "\n".join([say(told), aligned(rows, say), *map(say, after)])


def _head(values: Tensor, head: int) -> str:
    return f"{float(values[head]):.3f} ({head})"
