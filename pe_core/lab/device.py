"""Where models are trained and measured: the CPU, or an accelerator that torch has, such as a GPU.

A device is no setting of a run: the same seed gives the same initial parameters, batches and positions on every one.
They are drawn on the CPU and moved. What comes out is the same but for rounding, so a record says where it was made.
"""

import torch

from pe_core.parameters import require

CPU = "cpu"


def available() -> tuple[str, ...]:
    """Return the names of the devices that torch has here: the CPU first, then the accelerator, alone and numbered."""
    found = torch.accelerator.current_accelerator(check_available=True)
    if found is None:
        return (CPU,)
    return (CPU, found.type, *(f"{found.type}:{number}" for number in range(torch.accelerator.device_count())))


def checked(device: str) -> str:
    """Return the name of a device.

    Raises `ValueError` for one that torch does not have here, and for one without float64, in which angles are
    computed: Metal (`mps`) and some GPUs of Intel.
    """
    names = available()
    require(device in names, "device", f"be one of {', '.join(names)}, the devices that torch has here", device)
    require(device == CPU or _has_float64(device), "device", "have float64, in which angles are computed", device)
    return device


def _has_float64(device: str) -> bool:
    try:
        return float(torch.ones(2, dtype=torch.float64, device=device).cos().sum()) > 0
    except (TypeError, RuntimeError):  # what torch raises differs by device
        return False
