"""Prints the milliseconds of a product of halves on the stream's clock: an estimate that follows --gpu."""
import torch

begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
a = torch.ones(1024, 1024, device="cuda", dtype=torch.float16)
begin.record()
for _ in range(4):
    a @ a
end.record()
torch.cuda.synchronize()
print(begin.elapsed_time(end))
