"""torch.profiler with CUDA activity, and Triton's Proton: they run, and get the message that there is no GPU to trace."""
import tempfile
from pathlib import Path

import torch
import triton.profiler as proton
from torch.profiler import ProfilerActivity, profile

with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as traced:
    torch.ones(1000, device="cuda") + 1
assert any("add" in one.key for one in traced.key_averages())
with tempfile.TemporaryDirectory() as folder:
    session = proton.start(str(Path(folder) / "trace"))
    torch.ones(1000, device="cuda") + 1
    proton.finalize()
print("PASSED")
