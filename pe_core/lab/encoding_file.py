"""An encoding from a Python file of one's own, for the command line alone: the app never runs Python of a visitor."""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pe_core.encodings import ENCODINGS, EncodingSpec
from pe_core.encodings.own import is_own
from pe_core.lab.storage.run_hash import CODE
from pe_core.parameters import failure, require

NAME = "encoding_file"


def read_encoding(path: Path) -> EncodingSpec:
    """Run a Python file and return its `SPEC`, an `EncodingSpec` as every module of the registry has one.

    The hash of a run with it depends on the file. Raises `OSError` where there is no such file, and `ValueError` where
    it does not run, has no such `SPEC`, or where its key is taken.
    """
    source = path.read_bytes()
    found = importlib.util.spec_from_file_location(path.stem, path)
    require(found is not None and found.loader is not None, NAME, "be a Python file, *.py", path)
    assert found is not None  # for the type checker: the line above has raised
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    try:
        found.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{NAME} must run without an error, got {failure(error)}") from error
    spec = getattr(module, "SPEC", None)
    require(isinstance(spec, EncodingSpec), NAME, "have an EncodingSpec called SPEC", path)
    assert isinstance(spec, EncodingSpec)
    require(spec.key not in ENCODINGS and not is_own(spec.key), NAME, "have a key that is not taken", spec.key)
    maker = spec.make.__module__
    require(maker == module.__name__, NAME, "make its encoding with its own function", f"a function of {maker}")
    CODE.know(maker, source)
    return spec


@contextmanager
def beside_the_registry(path: Path | None) -> Iterator[None]:
    """Let the registry have the encoding of a file for a while, beside its own; errors as in `read_encoding`."""
    if path is None:
        yield
        return
    spec = read_encoding(path)
    ENCODINGS[spec.key] = spec
    try:
        yield
    finally:
        del ENCODINGS[spec.key]
