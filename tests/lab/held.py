"""What workers of a cluster have, those too that begin later: runs that wait in their middle, and no niceness."""

from pathlib import Path

from distributed import WorkerPlugin

from pe_core.lab.experiment.run import run_encoding
from pe_core.lab.experiment.training import TrainStep
from pe_core.lab.queue import job, trainer
from tests.waiting import until


class Held(WorkerPlugin):
    """Lets each run wait before its sixth step until there is a file."""

    def __init__(self, path):
        self.path = Path(path)

    def setup(self, worker):
        """Put it in the place of training in this process."""

        def training(*arguments, **named):
            for event in run_encoding(*arguments, **named):
                if isinstance(event, TrainStep) and event.step == 6:
                    until(self.path.exists, "the file that lets runs go on")
                yield event

        job.run_encoding = training
        trainer.NICENESS = 0
