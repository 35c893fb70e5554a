"""Random numbers on CUDA tensors.

The rule: each random operator draws from torch's CPU generator, seeded from the seed and the offset of the CUDA
generator it was given, or the device's default one; then that offset moves on by STEP. So seeds, states, forks of the
state and reruns work as on a GPU, and the CPU's own generator is left alone. The numbers are not a GPU's: those come
from Philox, drawn by each thread for itself.
"""
from typing import Any, Callable, Tuple

import torch

STEP = 4  # offsets of a CUDA generator are multiples of it
_GOLDEN = 0x9E3779B97F4A7C15
_64 = (1 << 64) - 1


def mix(seed: int, offset: int) -> int:
    """The seed itself at offset 0, so that the first draw after manual_seed() is the CPU's."""
    if offset == 0:
        return seed & _64
    z = (seed + offset * _GOLDEN) & _64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _64
    return z ^ (z >> 31)


def next_seed(generator: Any) -> Tuple[int, int]:
    """Seed and offset of the next draw, which moves on."""
    offset = generator.get_offset()
    generator.set_offset(offset + STEP)
    return generator.initial_seed(), offset


def _advance(generator: Any) -> int:
    return mix(*next_seed(generator))


def for_cpu(generator: Any) -> Any:
    """Returns a CPU generator that stands in for a CUDA generator during one operator."""
    return torch.Generator().manual_seed(_advance(generator))


def default_generator() -> Any:
    return torch.cuda.default_generators[0]


def _given(compute: Callable[..., Any], at: int) -> Callable[..., Any]:
    def draw(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("generator") is None and (len(args) <= at or args[at] is None):
            kwargs["generator"] = for_cpu(default_generator())
            args = args[:at]
        return compute(*args, **kwargs)

    return draw


def _hidden(compute: Callable[..., Any]) -> Callable[..., Any]:
    """It has no generator argument: it draws from the CPU's default one, which is put back."""
    def draw(*args: Any, **kwargs: Any) -> Any:
        default = torch.default_generator
        before = default.get_state()
        default.manual_seed(_advance(default_generator()))
        try:
            return compute(*args, **kwargs)
        finally:
            default.set_state(before)

    return draw


def drawing(op: Any, compute: Callable[..., Any]) -> Callable[..., Any]:
    """`compute` with the numbers of the CUDA generator, where the operator draws any."""
    if torch.Tag.nondeterministic_seeded not in op.tags:
        return compute
    names = [a.name for a in op._schema.arguments]
    return _given(compute, names.index("generator")) if "generator" in names else _hidden(compute)
