"""The tasks that a model can learn beside a text, each with one answer to every question."""

from pe_core.lab.tasks import addition, copying, lookup, parity, recall, reversing
from pe_core.lab.tasks.base import SUITED, Task

TASKS: dict[str, Task] = {
    task.key: task for task in (copying.TASK, reversing.TASK, recall.TASK, lookup.TASK, addition.TASK, parity.TASK)
}

__all__ = ["SUITED", "TASKS", "Task"]
