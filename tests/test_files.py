"""A file is written whole or not at all, and read again once it has changed."""

import os
from pathlib import Path

import pytest

from pe_core.files import check_writable, until_changed, write_whole


def test_a_file_is_written_and_written_over(tmp_path):
    path = tmp_path / "run.json"
    for content in (b"old", b"new and longer", b""):
        write_whole(path, content)
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("method", ["write_bytes", "replace"])
@pytest.mark.parametrize("old", [b"old", None])
def test_what_was_there_stays_when_writing_fails(tmp_path, monkeypatch, method, old):
    path = tmp_path / "run.json"
    if old is not None:
        path.write_bytes(old)
    whole = Path.write_bytes

    def full(target, argument):
        if method == "write_bytes":
            whole(target, argument[:2])
        raise OSError("No space left on device")

    monkeypatch.setattr(Path, method, full)
    with pytest.raises(OSError, match=r"^No space left on device$"):
        write_whole(path, b"new and longer")
    monkeypatch.undo()
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == ({"run.json": old} if old else {})


def test_whether_a_file_can_be_written_is_found_out_without_a_trace(tmp_path):
    path = tmp_path / "run.json"
    check_writable(path)
    assert list(tmp_path.iterdir()) == []
    path.write_bytes(b"old")
    (tmp_path / "run.json.part").write_bytes(b"of a process that still writes")
    check_writable(path)
    assert sorted(file.read_bytes() for file in tmp_path.iterdir()) == [b"of a process that still writes", b"old"]


def test_what_cannot_be_written_is_an_error_at_once(tmp_path):
    for path in (tmp_path / "missing" / "run.json", tmp_path / ("x" * 252)):
        with pytest.raises(OSError, match=r"^\[Errno "):
            check_writable(path)
        with pytest.raises(OSError, match=r"^\[Errno "):
            write_whole(path, b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_read_again_once_it_has_changed_or_something_else_is_asked_of_it(tmp_path):
    asked = []

    @until_changed(2)
    def first(file: Path, n: int) -> str:
        asked.append(n)
        return file.read_text()[:n]

    path = tmp_path / "text"
    path.write_text("one")
    assert [first(path, 2), first(path, 2), first(path, 3)] == ["on", "on", "one"]
    path.write_text("two")
    os.utime(path, ns=(0, 0))
    assert [first(path, 2), first(path, 2)] == ["tw", "tw"]
    assert asked == [2, 3, 2]
    path.unlink()
    with pytest.raises(FileNotFoundError):
        first(path, 2)
