"""A checkpoint on disk: a folder with `config.json` and files of safetensors, or one such file, read lazily.

Only the header of a file is read, and then the tensors that are asked for. Nothing outside the folder is read: names in
an index are plain names of files, and a link that leads out is refused. Nothing is executed or fetched.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import Tensor

from pe_core.models.reading import MAX_CHARACTERS, ConfigError, refuse

CONFIG, ONE, INDEX, SUFFIX = "config.json", "model.safetensors", "model.safetensors.index.json", ".safetensors"
MAX_INDEX = 64 * 2**20  # bytes; an index has a line for each tensor, and that of a model with many experts 10 MB
FLOATS = ("F64", "F32", "F16", "BF16")


@dataclass(frozen=True)
class Held:
    """One tensor of a checkpoint: the file it lies in, its shape, and the type of its numbers."""

    file: Path
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Checkpoint:
    """The configuration of a folder, None where there is none, and its tensors by name, of which none is read yet."""

    config: bytes | None
    tensors: Mapping[str, Held]

    def read(self, name: str, first: int = 0, last: int | None = None) -> Tensor:
        """Return one tensor, in the type that it was written in, or the rows from `first` up to before `last` of it."""
        with _open(self.tensors[name].file) as file:
            rows: Tensor = file.get_slice(name)[first:last]
            return rows


def is_checkpoint(path: Path) -> bool:
    """Return whether a path names a folder or a file of weights rather than a configuration."""
    return path.is_dir() or path.suffix == SUFFIX


def opened(path: Path) -> Checkpoint:
    """Return what lies at a path: a folder, or one file of weights, of which nothing beside it is read.

    Raises `ConfigError` for a file that is no safetensors, for one that leads out of its folder, for an index that is
    none, and for a folder with neither weights nor configuration.
    """
    if not path.is_dir():
        return Checkpoint(None, _tensors([path]))
    files = _weights(path)
    config = configuration(path) if _there(path, CONFIG) else None
    if config is None and not files:
        raise ConfigError(f"the folder must have a {CONFIG} or a file that ends in {SUFFIX}, got {path.name}")
    return Checkpoint(config, _tensors(files))


def configuration(folder: Path) -> bytes:
    """Return the bytes of the config.json of a folder, and no more than are understood; `ConfigError` for none."""
    return _read(folder, CONFIG, MAX_CHARACTERS + 1)


def _there(folder: Path, name: str) -> bool:
    return (folder / name).exists() or (folder / name).is_symlink()


def _weights(folder: Path) -> list[Path]:
    """Return the files of weights of a folder: those of the index, else the one of the usual name, else all."""
    if _there(folder, INDEX):
        return [_inside(folder, name) for name in _indexed(_read(folder, INDEX, MAX_INDEX + 1))]
    if _there(folder, ONE):
        return [_inside(folder, ONE)]
    return [_inside(folder, one.name) for one in sorted(folder.iterdir()) if one.suffix == SUFFIX]


def _inside(folder: Path, name: str) -> Path:
    """Return the file of this name in a folder; `ConfigError` where the name or a link leads elsewhere."""
    rule = "lie in the folder itself, and be no link out of it"
    if not name or Path(name).name != name or "\\" in name or "\0" in name:
        refuse("a file of the folder", rule, name)
    try:
        real = (folder / name).resolve(strict=True)
    except (OSError, RuntimeError):
        refuse("a file of the folder", "be there", name)
    if real.parent != folder.resolve() or not real.is_file():
        refuse("a file of the folder", rule, name)
    return real


def _read(folder: Path, name: str, most: int) -> bytes:
    with _inside(folder, name).open("rb") as file:
        return file.read(most)


def _indexed(content: bytes) -> list[str]:
    """Return the names of files in an index."""
    if len(content) > MAX_INDEX:
        raise ConfigError(f"{INDEX} must have at most {MAX_INDEX:,} bytes, got more")
    try:
        names = json.loads(content)["weight_map"].values()
        return sorted(set(names)) if all(isinstance(name, str) for name in names) else refuse(INDEX, "name files", 0)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ConfigError(f"{INDEX} must be JSON with an object weight_map of names of files, got another") from None


def _tensors(files: list[Path]) -> dict[str, Held]:
    found: dict[str, Held] = {}
    for path in files:
        with _open(path) as file:
            for name in file.keys():  # noqa: SIM118, for it is no mapping
                if name in found:
                    raise ConfigError(f"{name[:100]} must lie in one file, got {found[name].file.name} and {path.name}")
                part = file.get_slice(name)
                found[name] = Held(path, tuple(part.get_shape()), str(part.get_dtype()))
    return found


def _open(path: Path) -> safe_open:
    try:
        return safe_open(path, framework="pt")
    except SafetensorError as error:
        said = str(error).splitlines()[0][:100]
        raise ConfigError(f"{path.name} must be a file of safetensors, got another ({said})") from None
