"""A second device that every machine has: it computes on the CPU, and refuses what a GPU would refuse.

Its tensors say that they are on `meta`, of which torch knows that it is another device than the CPU, and hold their
numbers on the side. So all that a GPU would refuse fails here too: a tensor of the CPU that meets one of the device, a
generator of the CPU that draws on it, NumPy. What does not fail gives the numbers of the CPU, which can be compared.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

DEVICE = "meta"
aten = torch.ops.aten
MOVES = {aten._to_copy.default, aten.copy_.default}  # what may read one device and write another
# What only marks a tensor of the CPU would mark the one that is held, where nobody looks.
AT_ONCE = {aten._conj.default: aten.conj_physical.default, aten._neg_view.default: aten.neg.default}
# A GPU reads single numbers of the CPU in these, and places of the CPU where it is indexed.
TAKES_NUMBERS = {"add", "sub", "mul", "div", "pow", "where", "lt", "le", "gt", "ge", "eq", "ne", "clamp", "masked_fill"}


class Moved(torch.Tensor):
    """A tensor of the second device; `held` has its numbers."""

    @staticmethod
    def __new__(cls, held, *, requires_grad=False):
        return torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=DEVICE,
            requires_grad=requires_grad,
        )

    def __init__(self, held, *, requires_grad=False):
        self.held = held

    def tolist(self):
        return self.held.tolist()

    def __deepcopy__(self, memo):
        copied = Moved(self.held.clone(), requires_grad=self.requires_grad)
        return torch.nn.Parameter(copied) if isinstance(self, torch.nn.Parameter) else copied

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise AssertionError(f"{function} of the second device outside of `Device`")


class Device(TorchDispatchMode):
    """While it is entered, there is the second device."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not torch.is_inference_mode_enabled():
            return computed(function, args, kwargs)
        with torch.inference_mode(False), torch.no_grad(), self:  # there, what is made of other operations comes whole
            out = function.decompose(*args, **kwargs)
        if out is not NotImplemented:
            return out
        with torch.inference_mode(False), torch.no_grad():  # views of parameters are parameters' kind of tensors
            return computed(function, args, kwargs)


def computed(function, args, kwargs):
    tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    moved = [one for one in tensors if isinstance(one, Moved)]
    asked = kwargs.get("device")
    there = bool(moved) if asked is None else torch.device(asked).type == DEVICE
    drawn = any(isinstance(leaf, torch.Generator) for leaf in tree_leaves((args, kwargs)))
    assert not (there and drawn), f"{function} draws on the other device with a generator of the CPU"
    if moved and function not in MOVES:
        check(function, args, kwargs, [one for one in tensors if not isinstance(one, Moved)])
    held_kwargs = {name: "cpu" if name == "device" and asked is not None else one for name, one in kwargs.items()}
    given = tree_map_only(Moved, lambda one: one.held, (args, held_kwargs))
    out = AT_ONCE.get(function, function)(*given[0], **given[1])
    if not function._schema.returns:
        return None
    if function._schema.is_mutable:
        return args[0]
    return tree_map_only(torch.Tensor, Moved, out) if there else out


def check(function, args, kwargs, others):
    """Fail where tensors of the CPU or its generator meet the second device."""
    name = function._schema.name.removeprefix("aten::").rstrip("_")
    if name in ("index", "index_put") and isinstance(args[0], Moved):
        others = [one for one in others if not any(one is place for place in args[1])]
    for one in others:
        is_number = one.ndim == 0 and name in TAKES_NUMBERS
        assert is_number, f"{name} of the other device meets {tuple(one.shape)} of the CPU"
