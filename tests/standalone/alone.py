"""Run where there is torch alone: import every copied file and compare what it gives with what the package gave.

Arguments: a folder with the copied files and `expected.pt`. Prints the name of each file that differs.
"""

import importlib.util
import sys
from pathlib import Path

import torch
from calls import equal, results

torch.set_num_threads(1)  # as in the tests: several share out a sum in another order
folder = Path(sys.argv[1])
for name, (kind, given, expected) in torch.load(folder / "expected.pt", weights_only=True).items():
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    if not equal(
        results(kind, module.make, [{**module.DEFAULTS, **params} for params in given], getattr(module, "Shape", None)),
        expected,
    ):
        print(name)
foreign = {name.partition(".")[0] for name in sys.modules} & {"pe_core", "numpy", "pandas", "altair", "streamlit"}
print("compared", *sorted(foreign))
