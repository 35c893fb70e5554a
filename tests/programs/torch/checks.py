"""What the programs here share: a line for each check, `name: right` or `name: WRONG`, and the exit code."""
import sys

import torch

_wrong = []


def say(name, good, detail=""):
    print(f"{name}: {'right' if good else 'WRONG'} {detail}".rstrip(), flush=True)
    if not good:
        _wrong.append(name)


def error_of(got, expected):
    return (got.detach().cpu().double() - expected.detach().double()).abs().max().item()


def compare(name, function, *inputs, tolerance, reference=None):
    """`function` on CUDA tensors, forward and backward, against `reference` on the CPU in float64."""
    here = [x.detach().cuda().requires_grad_(x.dtype.is_floating_point) for x in inputs]
    there = [x.detach().double() if x.dtype.is_floating_point else x.detach() for x in inputs]
    there = [x.requires_grad_(x.dtype.is_floating_point) for x in there]
    got, expected = function(*here), (reference or function)(*there)
    grad = torch.randn(expected.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    got.backward(grad.to(got))
    expected.backward(grad)
    errors = [error_of(got, expected)]
    errors += [error_of(a.grad, b.grad) for a, b in zip(here, there) if b.grad is not None]
    say(name, max(errors) < tolerance, f"(largest difference {max(errors):.1e})")


def done():
    sys.exit(1 if _wrong else 0)
