"""What the first visitor of the lab would wait for, done by the warm-up of the process.

Without it a first page of the lab costs a second of the processor, and for a moment 60 MB.
"""

from pe_core.chapters import gallery, lab
from pe_core.chapters.lab import length_cost
from pe_core.lab.experiment import datasets
from ui.lab.jobs import calibration
from ui.lab.kept import earlier_run


def prepare() -> None:
    """Measure the small steps, read the text that the page begins with, and let Altair build its kinds of pictures.

    Those of other runs of a text differ in names, colours and numbers only.
    """
    _ = calibration().paces, datasets.built_in().seen_in_training  # kept where they are made
    record = earlier_run()
    for picture in (lab.training_curves, lab.length_losses, lab.position_losses, length_cost):
        picture(record)
    gallery.by_length(record.config.encodings)
