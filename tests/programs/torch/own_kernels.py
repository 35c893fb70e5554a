"""PyTorch's own CUDA kernels under `warpledger profile --aten gpu`: each operator on CUDA tensors against the CPU.

own_kernels.py [NAME]...   those operators alone
"""
import sys

import torch
from checks import done, say
from torch.nn import functional as F

g = torch.Generator().manual_seed(5)
x, y = torch.randn(40, 96, generator=g), torch.randn(40, 96, generator=g)
rows, weight, bias = torch.randn(6, 200, generator=g), torch.randn(200, generator=g), torch.randn(200, generator=g)
long = torch.randint(0, 40, (50,), generator=g)
places = torch.randint(0, 96, (40, 7), generator=g)
q, k, v = (torch.randn(1, 2, 32, 32, generator=g) for _ in range(3))
image = torch.randn(2, 3, 12, 12, generator=g)

numbers = torch.randint(0, 16, (64, 128), generator=g, dtype=torch.int32)
scales = torch.rand(4, 64, 2, generator=g).bfloat16()  # and zeros, of groups of 32

# By name: what is computed, and of what. Results are compared to the last bit unless CLOSE gives a tolerance.
OPERATORS = {
    "add": (lambda a, b: a + b, x, y),
    "add a number": (lambda a: a + 1.5, x),
    "mul": (lambda a, b: a * b, x, y),
    "div": (lambda a, b: a / b, x, y),
    "sub of integers": (lambda a: 7 - a, long),
    "relu": (F.relu, x),
    "gelu": (F.gelu, x),
    "gelu, tanh": (lambda a: F.gelu(a, approximate="tanh"), x),
    "silu": (F.silu, x),
    "exp": (torch.exp, x),
    "log": (lambda a: a.abs().log(), x),
    "tanh": (torch.tanh, x),
    "sigmoid": (torch.sigmoid, x),
    "sqrt": (lambda a: a.abs().sqrt(), x),
    "rsqrt": (lambda a: a.abs().rsqrt(), x),
    "sin": (torch.sin, x),
    "pow": (lambda a: a.abs() ** 1.7, x),
    "where": (lambda a, b: torch.where(a > b, a, b), x, y),
    "clamp": (lambda a: a.clamp(-0.5, 0.5), x),
    "lerp": (lambda a, b: torch.lerp(a, b, 0.3), x, y),
    "remainder of integers": (lambda a: a % 7, long),
    "compare": (lambda a, b: a <= b, x, y),
    "to half": (lambda a: a.half(), x),
    "to bfloat16": (lambda a: a.bfloat16(), x),
    "to int": (lambda a: (10 * a).int(), x),
    "to double": (lambda a: a.double(), x),
    "half add": (lambda a, b: a.half() + b.half(), x, y),
    "bfloat16 mul": (lambda a, b: a.bfloat16() * b.bfloat16(), x, y),
    "broadcast": (lambda a, b: a + b, rows, bias),
    "sum": (lambda a: a.sum(), x),
    "sum of rows": (lambda a: a.sum(1), x),
    "sum of columns": (lambda a: a.sum(0), x),
    "mean": (lambda a: a.mean(1), x),
    "max": (lambda a: a.max(), x),
    "max with places": (lambda a: torch.stack([r.double() for r in a.max(1)]), x),
    "argmax": (lambda a: a.argmax(1), x),
    "any": (lambda a: (a > 3).any(1), x),
    "var": (lambda a: a.var(1), x),
    "norm": (lambda a: torch.linalg.vector_norm(a, dim=1), x),
    "prod": (lambda a: a.prod(1), x),
    "softmax": (lambda a: a.softmax(1), rows),
    "softmax of long rows": (lambda a: a.softmax(1), x.reshape(2, -1)),
    "log_softmax": (lambda a: a.log_softmax(1), rows),
    "layer_norm": (lambda a, w, b: F.layer_norm(a, (200,), w, b), rows, weight, bias),
    "rms_norm": (lambda a, w: F.rms_norm(a, (200,), w), rows, weight),
    "group_norm": (lambda a: F.group_norm(a, 3), image),
    "batch_norm": (lambda a: F.batch_norm(a, None, None, training=True), image),
    "cross_entropy": (F.cross_entropy, x, long[:40]),
    "index_select": (lambda a, i: a.index_select(0, i), x, long),
    "gather": (lambda a, i: a.gather(1, i), x, places),
    "index": (lambda a, i: a[i], x, long),
    "index_put": (lambda a, i: a.index_put((i[:40].unique(),), a.new_tensor(2.0)), x, long),
    "scatter_add": (lambda a, i: torch.zeros_like(a).scatter_add(1, i, a[:, :7].contiguous()), x, places),
    "index_add": (lambda a, i: torch.zeros_like(a).index_add(0, i, a[: i.numel()]), x, long[:20]),
    "masked_fill": (lambda a: a.masked_fill(a > 0, -1.0), x),
    "masked_select": (lambda a: a[a > 1], x),
    "nonzero": (lambda a: (a > 1).nonzero(), x),
    "embedding": (lambda a, i: F.embedding(i, a), x, long),
    "contiguous of a transpose": (lambda a: a.t().contiguous(), x),
    "cat": (lambda a, b: torch.cat([a, b], 1), x, y),
    "stack": (lambda a, b: torch.stack([a, b], 1), x, y),
    "fill": (lambda a: torch.empty_like(a).fill_(3), x),
    "arange": (lambda a: torch.arange(1000, device=a.device), x),
    "triu": (lambda a: a.triu(2), x),
    "flip": (lambda a: a.flip(1), x),
    "roll": (lambda a: a.roll(3, 1), x),
    "repeat_interleave": (lambda a: a.repeat_interleave(3, 0), x),
    "sort": (lambda a: a.sort(1).values, x),
    "argsort of integers": (lambda a: a.sort(stable=True).indices, long),
    "sort of many": (lambda a: a.reshape(-1).sort().values, x),
    "topk": (lambda a: a.topk(5, 1).values, x),
    "cumsum": (lambda a: a.cumsum(1), x),
    "cumsum of many": (lambda a: a.reshape(-1).cumsum(0), x),
    "unique": (lambda a: a.unique(), long),
    "bincount": (lambda a: a.bincount(minlength=40), long),
    "max_pool2d": (lambda a: F.max_pool2d(a, 2), image),
    "avg_pool2d": (lambda a: F.avg_pool2d(a, 2), image),
    "interpolate": (lambda a: F.interpolate(a, scale_factor=2, mode="bilinear"), image),
    "pad": (lambda a: F.pad(a, (1, 2), mode="reflect"), x),
    "foreach": (lambda a, b: torch.cat(torch._foreach_add([a, b], 1.0)), x, y),
    "gemm": (lambda a, b: a @ b.t(), x, y),
    "gemm of 4-bit weights": (lambda a, w, z: int4_product(a.reshape(30, 128).bfloat16(), w, z).float(), x, numbers, scales),
    "rand": (lambda a: uniform(a.device), x),
    "depthwise conv2d": (lambda a: F.conv2d(a, a[:1, :, :3, :3].transpose(0, 1).contiguous(), groups=3), image),
    "memory-efficient attention": (lambda a, b, c: attention("EFFICIENT_ATTENTION", a, b, c), q, k, v),
    "flash attention": (lambda a, b, c: attention("FLASH_ATTENTION", a.half(), b.half(), c.half()).float(), q, k, v),
}
CLOSE = 2e-6  # of the largest answer: sums in another order, elementary functions of another library
TOLERANCE = {"flash attention": 2e-3, "gemm of 4-bit weights": 2**-7}
EXACT = {"add", "add a number", "mul", "sub of integers", "relu", "where", "clamp", "remainder of integers", "compare", "to half",
         "to bfloat16", "to int", "to double", "half add", "bfloat16 mul", "broadcast", "max", "max with places", "argmax", "any",
         "index_select", "gather", "index", "index_put", "masked_fill", "masked_select", "nonzero", "embedding",
         "contiguous of a transpose", "cat", "stack", "fill", "arange", "triu", "flip", "roll", "repeat_interleave", "sort",
         "argsort of integers", "sort of many", "topk", "unique", "bincount", "max_pool2d", "pad", "foreach", "rand"}


def attention(backend, a, b, c):
    """One of PyTorch's fused kernels; on the CPU its plain formula."""
    kind = torch.nn.attention.SDPBackend
    with torch.nn.attention.sdpa_kernel(getattr(kind, backend) if a.is_cuda else kind.MATH):
        return F.scaled_dot_product_attention(a, b, c, is_causal=True)


def int4_product(a, w, z):
    """PyTorch's own tensor-core product; on the CPU its formula."""
    if a.is_cuda:
        packed = torch._convert_weight_to_int4pack((w[:, ::2] << 4 | w[:, 1::2]).to(torch.uint8), 2)
        return torch._weight_int4pack_mm(a, packed, 32, z)
    scale, zero = z.float().repeat_interleave(32, 0).unbind(2)
    return (a.float() @ ((w.t() - 8) * scale + zero)).bfloat16()


def philox(counter, key):
    """Ten rounds of Philox 4x32 (Salmon et al., 2011)."""
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(b >> 32) ^ counter[1] ^ key[0], b & 0xFFFFFFFF, (a >> 32) ^ counter[3] ^ key[1], a & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def uniform(device):
    """The first numbers of seed 3: thread i draws from subsequence i."""
    if device.type == "cuda":
        return torch.rand(100, generator=torch.Generator("cuda").manual_seed(3), device="cuda")
    drawn = torch.tensor([philox([0, 0, i, 0], [3, 0])[0] for i in range(100)], dtype=torch.float64)
    return drawn.float() * 2**-32 + 2**-33


def check(name, function, *inputs):
    expected = function(*inputs)
    got = function(*(t.cuda() for t in inputs)).cpu()
    if name in EXACT:
        say(name, got.dtype == expected.dtype and torch.equal(got, expected))
        return
    error = (got.double() - expected.double()).abs().max().item() / expected.double().abs().max().item()
    say(name, got.dtype == expected.dtype and error <= TOLERANCE.get(name, CLOSE), f"(difference {error:.1e})")


for chosen in sys.argv[1:] or OPERATORS:
    check(chosen, *OPERATORS[chosen])
done()
