"""Settings of all tests."""

import torch

# Tests run beside each other: a second thread per test would only wait for a core that another test has.
torch.set_num_threads(1)
