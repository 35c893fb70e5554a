"""A benchmark times a large product without computing it; the product is computed when the host reads it."""
import torch
from triton.testing import do_bench

torch.manual_seed(0)
a, b = torch.randn(512, 384, device="cuda"), torch.randn(384, 600, device="cuda")
expected = a.cpu() @ b.cpu()
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
product = a @ b
end.record()
torch.testing.assert_close(product.cpu(), expected, rtol=1e-4, atol=1e-4)
assert abs(do_bench(lambda: a @ b) - start.elapsed_time(end)) < 1e-9

seen = []
do_bench(lambda: seen.append((a @ b).relu().sum().item()))
torch.testing.assert_close(seen[-1], expected.relu().sum().item(), rtol=1e-4, atol=1e-1)
print("PASSED")
