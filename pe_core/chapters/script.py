"""The Python that makes a picture of a page again: as a script, and as a notebook."""

import json
from collections.abc import Mapping
from typing import Any

from pe_core.figures.figure import Call, Figure
from pe_core.lab.inspection import trained_run
from pe_core.lab.inspection.trained_run import TrainedRun
from pe_core.lab.results.record import RunRecord
from pe_core.parameters import Value

MAX_LINE = 100  # characters of a line of Python; a longer call has a line for each argument
RUN_FILE = "run.json"
MODELS_FILE = "models.safetensors"
NOTEBOOK = 4, 5  # version of the format, https://nbformat.readthedocs.io


def python(picture: Call, starts: Mapping[str, Value] | None = None) -> str:
    """Return a script that makes the picture and writes it to a file.

    `starts` are the values of its own controls, by name. A run of the lab is too large for a script: it is read from
    the file that the dialog offers beside it. So are trained models, unless they come with the project.
    """
    imports, call = _parts(picture, starts or {})
    return "\n".join([imports, "", call, f'figure.save("{picture.func.__name__}.svg")', ""])


def notebook(picture: Call, starts: Mapping[str, Value], sentence: str, figure: Figure) -> str:
    """Return a Jupyter notebook: a sentence on the picture, the imports, the call, and the picture as it is now."""
    imports, call = _parts(picture, starts)
    code: dict[str, Any] = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    shown = {
        "output_type": "execute_result",
        "execution_count": None,
        "metadata": {},
        "data": {"image/svg+xml": figure.svg(), "text/plain": "<Figure>"},
    }
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": sentence},
        {**code, "source": imports},
        {**code, "source": call},
        {**code, "source": "figure", "outputs": [shown]},
    ]
    python3 = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps(
        {
            "nbformat": NOTEBOOK[0],
            "nbformat_minor": NOTEBOOK[1],
            "metadata": {"kernelspec": python3, "language_info": {"name": "python"}},
            "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells)],
        },
        ensure_ascii=False,
        indent=1,
    )


def record_of(picture: Call) -> RunRecord | None:
    """Return the run that a picture shows, if it shows one."""
    return next((value for value in picture.keywords.values() if isinstance(value, RunRecord)), None)


def models_of(picture: Call) -> TrainedRun | None:
    """Return the trained models that a picture looks into, if it does."""
    return next((value for value in picture.keywords.values() if isinstance(value, TrainedRun)), None)


def _parts(picture: Call, starts: Mapping[str, Value]) -> tuple[str, str]:
    """Return the imports, and the call that makes the `figure`."""
    function = picture.func
    arguments = [f"{name}={_expression(value)}" for name, value in picture.keywords.items()]
    imports = [f"from {function.__module__} import {function.__name__}"]
    if record_of(picture):
        imports = ["from pathlib import Path", "", *imports, "from pe_core.lab.results.record_file import from_json"]
    if models_of(picture):
        imports.append("from pe_core.lab.inspection.trained_run import read")
    call = f"figure = {function.__name__}({', '.join(arguments)})"
    if len(call) > MAX_LINE:
        call = "\n".join([f"figure = {function.__name__}(", *(f"    {argument}," for argument in arguments), ")"])
    if starts:
        call += f"\nfigure = figure.started({dict(starts)!r})"
    return "\n".join(imports), call


def _expression(value: object) -> str:
    if isinstance(value, RunRecord):
        return f'from_json(Path("{RUN_FILE}").read_text(encoding="utf-8"))'
    if isinstance(value, TrainedRun):
        return "read()" if value is trained_run.kept() else f'read("{MODELS_FILE}")'
    return repr(value)
