"""Helion's autotuner: each configuration is timed once, whichever search asks; the chosen one computes the answer.

tuner_helion.py [listed]   listed: only the search among listed configurations
"""
import functools
import sys

import helion
import helion.language as hl
import torch
from helion.autotuner import PatternSearch
from helion.autotuner.benchmarking import do_bench, interleaved_bench

CONFIGS = [helion.Config(block_sizes=[64], num_warps=2), helion.Config(block_sizes=[256], num_warps=4),
           helion.Config(block_sizes=[1024], num_warps=8)]


def body(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(out.size()):
        out[tile] = x[tile] + y[tile]
    return out


def few(bound, args, **_):
    return PatternSearch(bound, args, initial_population=4, copies=1, max_generations=1)


x, y = (torch.randn(100_000, device="cuda") for _ in range(2))
add = helion.kernel(body, configs=CONFIGS)
bound = add.bind((x, y))
chosen = bound.autotune((x, y), force=False)
assert torch.equal(add(x, y), x + y)

candidates = [functools.partial(bound.compile_config(config), x, y) for config in CONFIGS]
times = [do_bench(one, return_mode="median") for one in candidates]
assert len(set(times)) == len(times) and min(times) > 0, times
assert interleaved_bench(candidates, repeat=1000) == times
assert chosen["block_sizes"] == CONFIGS[times.index(min(times))]["block_sizes"], (chosen, times)

if "listed" not in sys.argv:
    searched = helion.kernel(body, autotuner_fn=few, autotune_random_seed=1).bind((x, y))
    found = searched.autotune((x, y), force=True)
    assert torch.equal(searched.compile_config(found)(x, y), x + y)
    assert do_bench(functools.partial(searched.compile_config(found), x, y)) > 0
print("modeled ms of the three configurations:", *(f"{one:.6f}" for one in times))
print("PASSED")
