"""PyTorch under `warpledger profile`: tensors, a Triton kernel, autograd, streams, CUDA graphs, random numbers."""
import time
import timeit

import torch
import triton
import triton.language as tl
from checks import compare, done, say
from torch.nn import functional as F


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out


def triton_and_aten():
    x, y = torch.randn(10000, device="cuda"), torch.randn(10000, device="cuda")
    say("a Triton kernel between aten operators", torch.equal(add(x * 2, y), x * 2 + y))


def variants():
    x = torch.randn(6, 5)
    here = x.cuda()
    view = here.t()[1:, ::2]
    view.mul_(2)
    x.t()[1:, ::2].mul_(2)
    say("in-place through a view", torch.equal(here.cpu(), x))
    out = torch.empty(0, device="cuda")
    torch.add(here, 1, out=out)
    say("out= that is resized", torch.equal(out.cpu(), x + 1))
    say("tensors of two devices are refused", refused(lambda: here + x, RuntimeError, "same device"))
    say("sparse tensors are refused by name", refused(here.to_sparse, NotImplementedError, "aten::_to_sparse"))


def refused(call, kind, words):
    try:
        call()
    except kind as fault:
        return words in str(fault)
    return False


def half():
    x, w = torch.randn(64, 4096).half(), torch.randn(4096).half()
    exact = F.layer_norm(x.double(), (4096,), w.double())
    got = F.layer_norm(x.cuda(), (4096,), w.cuda())
    say("layer norm of half rounds once", (got.cpu().double() - exact).abs().max() < 4e-3 and got.dtype == torch.float16)
    many = torch.full((1 << 16,), 0.1).half()
    say("a sum of half is accumulated in float", abs(many.cuda().sum().item() - many.double().sum().item()) < 4)


def gradients():
    torch.manual_seed(0)
    compare("layer norm", lambda x, w: F.layer_norm(x, (16,), w), torch.randn(9, 16), torch.randn(16), tolerance=1e-4)
    compare("cross entropy", lambda x: F.cross_entropy(x, torch.arange(8, device=x.device) % 5), torch.randn(8, 5), tolerance=1e-5)
    q, k, v = (torch.randn(2, 4, 37, 16) for _ in range(3))
    compare("attention", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v, tolerance=1e-5)
    compare("convolution", lambda x, w: F.conv2d(x, w, padding=1), torch.randn(2, 4, 9, 9), torch.randn(6, 4, 3, 3), tolerance=1e-4)


def train(device):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    x, y = torch.linspace(-1, 1, 128).reshape(8, 16).to(device), torch.linspace(0, 1, 8).reshape(8, 1).to(device)
    for _ in range(5):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


def streams_and_events():
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    x = torch.randn(1024, 1024, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        begin.record()
        y = x @ x
        end.record()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    say("a product takes time on its stream", 0.05 < begin.elapsed_time(end) < 5, f"({begin.elapsed_time(end):.3f} ms)")
    say("its values", torch.allclose(y.cpu(), x.cpu() @ x.cpu(), atol=1e-3))


def graph():
    x, total = torch.zeros(1000, device="cuda"), torch.zeros((), device="cuda")
    add(x, x)  # Triton compiles before the capture
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        total.add_(add(x * 3, x).sum())
    say("nothing runs while a graph is captured", total.item() == 0)
    for i in (1, 2):
        x.fill_(i)
        captured.replay()
    say("a graph whose intermediates were freed", total.item() == 4000 * 3, f"({total.item()})")


def random_numbers():
    torch.manual_seed(5)
    own = torch.randn(3)
    torch.manual_seed(5)
    first = torch.randn(3, device="cuda"), F.dropout(torch.ones(50, device="cuda"))
    say("the CPU's generator is left alone", torch.equal(torch.randn(3), own))
    torch.manual_seed(5)
    again = torch.randn(3, device="cuda"), F.dropout(torch.ones(50, device="cuda"))
    say("a seed repeats", all(map(torch.equal, first, again)))
    say("draws differ", not torch.equal(first[0], torch.randn(3, device="cuda")))


def add_microseconds(device):
    """timeit keeps the garbage collector out: one full collection in 2,000 additions doubles their time."""
    x = torch.randn(10, device=device)
    return min(timeit.repeat(lambda: x + x, timer=time.process_time, repeat=6, number=400)) / 400 * 1e6


def overhead():
    """A ratio within one run, since machines differ; the time itself is a figure for the nightly run."""
    cpu, here = add_microseconds("cpu"), add_microseconds("cuda")
    say("at most 40 of the CPU's own additions an operator", here <= 40 * cpu, f"({here:.0f} us and {cpu:.1f} us)")


triton_and_aten()
variants()
half()
gradients()
cpu, cuda = train("cpu"), train("cuda")
say("training follows the CPU", abs(cpu - cuda) < 1e-5, f"({cuda:.6f})")
streams_and_events()
graph()
random_numbers()
overhead()
say("memory promised is the host's", 0 < torch.cuda.mem_get_info()[0] <= torch.cuda.mem_get_info()[1])
done()
