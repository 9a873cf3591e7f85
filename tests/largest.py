"""How large the tensors get that a computation makes on its way."""

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class _Watch(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.largest = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        made = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        sizes = [tensor.untyped_storage().nbytes() // tensor.element_size() for tensor in made]  # a view makes nothing
        self.largest = max([self.largest, *sizes])
        return result


def max_tensor(call):
    """Return how many numbers the largest tensor holds that `call()` makes."""
    with _Watch() as watch:
        call()
    return watch.largest
