"""The tasks that a model can learn beside a text, each with one answer to every question."""

from collections.abc import Mapping
from dataclasses import replace

from pe_core.lab.experiment.settings import FOR_TASKS, PARAMETERS
from pe_core.lab.experiment.tasks import addition, copying, lookup, parity, recall, reversing
from pe_core.lab.experiment.tasks.base import Task
from pe_core.parameters import Parameter, Value

TASKS: dict[str, Task] = {
    task.key: task for task in (copying.TASK, reversing.TASK, recall.TASK, lookup.TASK, addition.TASK, parity.TASK)
}

__all__ = ["TASKS", "Task", "own_defaults", "parameters_for"]


def own_defaults(key: str | None) -> dict[str, Value]:
    """Return the defaults by name of what a task may have its own for; those of a text for any other key."""
    return TASKS[key].own_settings if key in TASKS else {name: PARAMETERS[name].default for name in FOR_TASKS}


def parameters_for(key: str | None) -> Mapping[str, Parameter[Value]]:
    """Return the parameters of a run with the defaults that suit the task of this key; of a text for any other key."""
    own = {name: replace(PARAMETERS[name], default=value) for name, value in own_defaults(key).items()}
    return {**PARAMETERS, **own}
