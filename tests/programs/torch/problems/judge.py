"""Judges a kernel as kernel-writing contests do: random inputs, the module's answer, and what may be the difference.

A problem is a reference in PyTorch, sizes, and a candidate that calls one kernel. The reference is computed in float64 on the CPU.
"""
from dataclasses import dataclass
from typing import Any, Callable, List

import torch

TRIALS = 2
TOLERANCE = 1e-4  # absolute, and relative to the largest answer


@dataclass
class Problem:
    name: str
    reference: Callable[..., torch.Tensor]
    candidate: Callable[..., torch.Tensor]
    inputs: Callable[[], List[Any]]


def _wide(x: Any) -> Any:
    return x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x


def difference(problem: Problem, seed: int) -> float:
    torch.manual_seed(seed)
    inputs = problem.inputs()
    expected = problem.reference(*map(_wide, inputs))
    got = problem.candidate(*[x.cuda() for x in inputs])
    if got.shape != expected.shape:
        return float("inf")
    error = (got.cpu().double() - expected).abs().max().item()
    return error / max(1.0, expected.abs().max().item())


def is_right(problem: Problem) -> bool:
    worst = max(difference(problem, seed) for seed in range(TRIALS))
    right = worst <= TOLERANCE
    print(f"{problem.name}: {'right' if right else 'differs'} ({worst:.1e})", flush=True)
    return right
