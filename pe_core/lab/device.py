"""Where models are trained and measured: the CPU, or an accelerator that torch has, such as a GPU.

A device is no setting of a run: the same seed gives the same initial parameters, batches and positions on every one.
They are drawn on the CPU and moved. What comes out is the same but for rounding, so a record says where it was made.
"""

import torch

from pe_core.parameters import cut

CPU = "cpu"


def first_line(message: str) -> str:
    """Return how the message of an error of torch begins, which adds many lines to what it says."""
    return cut(message.partition("\n")[0], 120)


def checked(device: str) -> str:
    """Return the name of a device.

    Raises `ValueError` for one that torch does not have here, and for one without float64, in which angles are
    computed: Metal (`mps`) and some GPUs of Intel.
    """
    try:
        float(torch.ones(2, dtype=torch.float64, device=device).cos().sum())
    except (AssertionError, RuntimeError, TypeError) as error:  # what torch raises differs by device
        rule = "device must be one that torch has here, with float64"
        raise ValueError(f"{rule}, got {device!r}: {first_line(str(error))}") from None
    return device
