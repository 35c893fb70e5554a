"""Sums over many elements for tools/torch-sweep: OpInfo's samples are too small to tell how a kernel accumulates."""
import torch
from torch.nn import functional as F


def cases(dtype):
    """name -> function without arguments that makes a differentiable result on CUDA tensors."""
    def t(*shape):
        made = torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))
        return made.to(dtype).cuda().requires_grad_()

    x, w, b = t(384, 512), t(512), t(512)
    image, kernel = t(4, 8, 40, 40), t(16, 8, 5, 5)
    rows = (torch.arange(4096) % 7).cuda()
    many = t(4096, 16)
    targets = (torch.arange(384) % 512).cuda()
    return {
        "sum": lambda: x.sum(0), "sum of all": x.sum, "mean": lambda: x.mean(0), "var": lambda: x.var(0), "norm": lambda: x.norm(dim=0),
        "nansum": lambda: x.nansum(0), "cumsum": lambda: x.cumsum(0), "cumprod": lambda: (1 + x / 100).cumprod(0),
        "logcumsumexp": lambda: x.logcumsumexp(0), "logsumexp": lambda: x.logsumexp(0), "softmax": lambda: x.softmax(-1),
        "log_softmax": lambda: x.log_softmax(-1), "layer_norm": lambda: F.layer_norm(x, (512,), w, b),
        "rms_norm": lambda: F.rms_norm(x, (512,), w), "group_norm": lambda: F.group_norm(image, 2, t(8), t(8)),
        "batch_norm": lambda: F.batch_norm(image, None, None, t(8), t(8), training=True),
        "embedding": lambda: F.embedding(rows, t(7, 16)), "embedding_bag": lambda: F.embedding_bag(rows.view(8, -1), t(7, 16)),
        "index_add": lambda: t(7, 16).index_add(0, rows, many), "scatter_add": lambda: t(7, 16).scatter_add(0, rows[:, None].expand(-1, 16), many),
        "index_put": lambda: t(7, 16).index_put((rows,), many, accumulate=True), "gather": lambda: t(7, 16)[rows],
        "scatter_reduce": lambda: t(7, 16).scatter_reduce(0, rows[:, None].expand(-1, 16), many, "mean"),
        "avg_pool": lambda: F.avg_pool2d(image, 20), "adaptive": lambda: F.adaptive_avg_pool2d(image, 3),
        "interpolate": lambda: F.interpolate(image, scale_factor=3, mode="bilinear"), "nearest": lambda: F.interpolate(image, scale_factor=3),
        "area": lambda: F.interpolate(image, size=7, mode="area"), "bicubic": lambda: F.interpolate(image, scale_factor=2, mode="bicubic"),
        "unfold": lambda: F.unfold(image, 3), "fold": lambda: F.fold(F.unfold(image, 5), (40, 40), 5),
        "cross_entropy": lambda: F.cross_entropy(x, targets), "mse": lambda: F.mse_loss(x, x.detach() / 2), "l1": lambda: F.l1_loss(x, x.detach() / 2),
        "smooth_l1": lambda: F.smooth_l1_loss(x, x.detach() / 2), "kl_div": lambda: F.kl_div(x, x.detach().softmax(-1)),
        "mm": lambda: x @ x.t(), "addmm": lambda: torch.addmm(b, x, t(512, 512)), "bmm": lambda: torch.bmm(t(4, 64, 512), t(4, 512, 32)),
        "baddbmm": lambda: torch.baddbmm(t(4, 64, 32), t(4, 64, 512), t(4, 512, 32)), "mv": lambda: x @ w, "dot": lambda: w @ b,
        "addmv": lambda: torch.addmv(t(384), x, w), "linear": lambda: F.linear(x, t(64, 512), t(64)),
        "conv2d": lambda: F.conv2d(image, kernel), "conv1d": lambda: F.conv1d(t(2, 8, 300), t(4, 8, 9)),
        "conv_transpose": lambda: F.conv_transpose2d(image, t(8, 4, 3, 3)), "prod": lambda: (1 + x / 100).prod(0),
        "cosine": lambda: F.cosine_similarity(x, x.flip(0)), "renorm": lambda: x.renorm(2, 0, 1.0), "trace": lambda: t(512, 512).trace(),
        "expand": lambda: b.expand(384, 512) * x.detach(), "repeat": lambda: b.repeat(300), "prelu": lambda: F.prelu(x, t(512)),
        "weight_norm": lambda: torch._weight_norm(x, t(384, 1), 0), "grid_sample": lambda: F.grid_sample(image, t(4, 9, 9, 2).tanh()),
        "max_pool": lambda: F.max_pool2d(image, 3, 1), "local_response": lambda: F.local_response_norm(image, 5),
        "repeat_interleave": lambda: b.repeat_interleave(300), "cdist": lambda: torch.cdist(x.float(), x.float()).to(dtype),
    }


def run(say):
    """Forward and backward of all; what fails is said, for the operators that were reached count."""
    for dtype in (torch.float16, torch.bfloat16):
        for name, make in cases(dtype).items():
            try:
                out = make()
                if out.requires_grad:
                    out.backward(torch.randn(out.shape, generator=torch.Generator().manual_seed(3)).to(dtype).cuda())
            except Exception as fault:
                say(kind="large", name=name, text=str(fault)[:200])
