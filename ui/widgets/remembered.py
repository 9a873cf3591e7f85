"""What functions of chapters have returned: who sets what another visitor has set before gets what was computed then.

A lecture has a hundred students at the same values, and a slider goes back and forth. Functions of chapters are pure:
the same values give the same picture, which nobody changes. Remembered is what fits into some memory, the latest
longest.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeGuard, TypeVar

from pe_core.figures.figure import Figure

if TYPE_CHECKING:  # a page that draws a kept figure does without
    import pyarrow as pa

    from pe_core.lab.results.record import RunRecord

RESULTS, FRAMES = 10 * 2**20, 10 * 2**20  # bytes of results of functions, and of frames as they are sent
MAX_TEXT = 200  # characters of an argument; what is longer a visitor has brought along
SMALL = 2_000  # bytes of facts, and of what belongs to each result beside its frames

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Latest(Generic[Key, Value]):
    """The values that were used last, as many as fit into so many bytes; threads share it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()
        self.n_bytes = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, None if there is none."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Key, value: Value, n_bytes: int) -> None:
        """Remember a value, and forget those that were used longest ago until all fit; one too large is left out."""
        with self._lock:
            self.n_bytes -= self._values.pop(key, (value, 0))[1]
            if n_bytes > self._max_bytes:
                return
            self._values[key] = value, n_bytes
            self.n_bytes += n_bytes
            while self.n_bytes > self._max_bytes:
                self.n_bytes -= self._values.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._values.clear()
            self.n_bytes = 0


_results: Latest[Hashable, Any] = Latest(RESULTS)
_sent: Latest[int, tuple[object, bytes]] = Latest(FRAMES)


def result_of(call: partial[Value]) -> Value:
    """Return what a call of a function of a chapter returns, or has returned; such values are not to be changed."""
    if call.args or not all(map(_is_plain, call.keywords.values())):
        return call()
    key = call.func, tuple((name, _typed(value)) for name, value in sorted(call.keywords.items()))
    found = _results.get(key)
    if found is None:
        found = call()
        _results.put(key, found, _size(found))
    result: Value = found
    return result


def forget() -> None:
    """Forget all, as a new process."""
    _results.clear()
    _sent.clear()


def sent(frame: Any) -> bytes:
    """Return a frame as the browser gets it."""
    known = _sent.get(id(frame))
    if known is None or known[0] is not frame:  # the frame is held, so that no other one gets its place in memory
        known = frame, in_arrow(frame)
        _sent.put(id(frame), known, len(known[1]) + SMALL)
    return known[1]


def in_arrow(frame: Any) -> bytes:
    """Return the columns of a frame of pandas as an Arrow stream, in which what is no number is null.

    pyarrow's own way from a frame also describes its index and the types of pandas. No picture reads that, it takes
    twice as long as the columns, and the browser makes a column of the index.
    """
    import pyarrow as pa

    columns = [_column(column) for _, column in frame.items()]
    batch, stream = pa.RecordBatch.from_arrays(columns, list(map(str, frame.columns))), pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, batch.schema) as writer:
        writer.write_batch(batch)
    content: bytes = stream.getvalue().to_pybytes()
    return content


def _column(column: Any) -> "pa.Array":
    import numpy as np
    import pyarrow as pa

    values = column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array
    made = pa.array(values, from_pandas=True)
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _is_plain(value: object) -> bool:
    """Return whether a value is known by what it holds: numbers, short texts, groups of them, runs that are done."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, (*value, *value.values())))
    if value is None or isinstance(value, bool | int | float):
        return True
    if isinstance(value, str):
        return len(value) <= MAX_TEXT
    return _is_run(value) and set(value.done) == set(value.config.encodings)


def _is_run(value: object) -> TypeGuard["RunRecord"]:
    from pe_core.lab.results.record import RunRecord  # loads torch, which Home does without

    return isinstance(value, RunRecord)


@dataclass(frozen=True, eq=False)
class _Same:
    """An object that is equal to itself alone."""

    value: object

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value


def _typed(value: object) -> Hashable:
    """Return a value so that 1, 1.0 and True differ, and a run is itself alone."""
    if isinstance(value, tuple):
        return tuple(map(_typed, value))
    if isinstance(value, dict):
        return dict, tuple((name, _typed(one)) for name, one in sorted(value.items()))
    if value is None or isinstance(value, bool | int | float | str):
        return type(value), value
    return _Same(value)  # a run


def _size(result: object) -> int:
    frames = result.frames.values() if isinstance(result, Figure) else ()
    return SMALL + sum(int(column.array.nbytes) for frame in frames for _, column in frame.items())
