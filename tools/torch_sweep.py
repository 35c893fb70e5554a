"""The worker of tools/torch-sweep: `torch_sweep.py OUT PART PARTS NAME` under `warpledger profile`."""
import json
import math
import os
import signal
import sys
import warnings

import torch

MOST_SAMPLES = 12
SECONDS = 60  # for one operator
HALF = (torch.float16, torch.bfloat16)


def say(**record):
    with open(sys.argv[1], "a") as out:
        out.write(json.dumps(record) + "\n")


def tensors_in(a):
    if isinstance(a, torch.Tensor):
        return [a]
    if isinstance(a, (list, tuple)):
        return [t for e in a for t in tensors_in(e)]
    return tensors_in(list(a.values())) if isinstance(a, dict) else []


def changed(a, change):
    if isinstance(a, torch.Tensor):
        return change(a)
    if isinstance(a, (list, tuple)):
        made = [changed(e, change) for e in a]
        return type(a)(*made) if hasattr(a, "_fields") else type(a)(made)
    return {k: changed(v, change) for k, v in a.items()} if isinstance(a, dict) else a


# Half inputs: each aten operator against itself in float64.

def ulp(x, dtype):
    facts = torch.finfo(dtype)
    _, exponent = torch.frexp(x.abs().clamp(min=facts.smallest_normal))
    return torch.ldexp(torch.full_like(x, facts.eps), exponent - 1)


def excess(native, rounded, exact):
    """How many units in the last place `native` is further off than `rounded`; the worst element."""
    dtype = native.dtype
    if dtype not in HALF or native.numel() == 0 or native.shape != exact.shape:
        return 0.0
    native, rounded, exact = native.double(), rounded.double(), exact.double()
    usable = exact.isfinite() & rounded.isfinite()
    lost = usable & ~native.isfinite()
    if lost.any():
        return 999.0
    worse = ((native - exact).abs() - (rounded - exact).abs()) / ulp(exact, dtype)
    worse = worse[usable & native.isfinite()]
    return float(worse.max()) if worse.numel() else 0.0


def watch(half):
    """Replaces half.in_float: every operator runs as the CPU does, and is compared."""
    from warpledger_torch.call import taking_numbers
    from warpledger_torch.half import computed_in_float

    def watched(overload, name):
        op = taking_numbers(overload)
        if torch.Tag.nondeterministic_seeded in overload.tags:
            return op
        in_float = computed_in_float(overload)

        def compute(*args, **kwargs):
            if not any(t.dtype in HALF for t in tensors_in([args, kwargs])):
                return op(*args, **kwargs)
            runs = []
            for change, run in ((lambda t: t.double() if t.dtype in HALF else t.clone(), op), (torch.clone, in_float)):
                try:
                    a, k = changed(args, change), changed(kwargs, change)
                    k = {n: torch.float64 if v in HALF and run is op else v for n, v in k.items()}
                    runs.append(tensors_in([run(*a, **k), a, k]))
                except (RuntimeError, NotImplementedError, IndexError, ValueError):
                    return op(*args, **kwargs)
            result = op(*args, **kwargs)
            native = tensors_in([result, args, kwargs])
            worst = max([excess(n, r, e) for n, r, e in zip(native, runs[1], runs[0])], default=0)
            if worst > seen.get(name, -1):
                seen[name] = worst
                say(kind="half", name=name, ulps=worst)
            return result

        return compute

    seen = {}
    half.in_float = watched


# float32: CUDA tensors here against CPU tensors.

def to(device):
    return lambda t: t.detach().to(device).requires_grad_(t.requires_grad)


def moved(sample, device):
    input_, args, kwargs = (changed(x, to(device)) for x in (sample.input, sample.args, sample.kwargs))
    kwargs = {k: device if k == "device" else v for k, v in kwargs.items()}
    return input_, args, kwargs


def close(got, expected):
    got, expected = tensors_in(got), tensors_in(expected)
    assert len(got) == len(expected), f"{len(got)} results, expected {len(expected)}"
    for g, e in zip(got, expected):
        assert g.shape == e.shape and g.dtype == e.dtype, f"{g.shape} {g.dtype}, expected {e.shape} {e.dtype}"
        torch.testing.assert_close(g.cpu(), e, equal_nan=True, check_stride=False)


def grads_of(out, inputs):
    outs = [t for t in tensors_in(out) if t.requires_grad and t.dtype.is_floating_point]
    inputs = [t for t in tensors_in(inputs) if t.requires_grad]
    if not outs or not inputs:
        return []
    ones = [torch.ones(t.shape, dtype=t.dtype, device="cpu").to(t.device) * 0.5 for t in outs]
    return [g for g in torch.autograd.grad(outs, inputs, ones, allow_unused=True) if g is not None]


def compare(op, sample, is_random, dtype):
    results = []
    for device in ("cuda",) if dtype in HALF else ("cpu", "cuda"):
        torch.manual_seed(1)
        x, args, kwargs = moved(sample, device)
        out = op.op(x, *args, **kwargs)
        if results:
            assert all(t.is_cuda for t in tensors_in(out)) or not tensors_in(results[0][0]), "a result on the CPU"
        grads = grads_of(out, [x, args, kwargs]) if op.supports_autograd and sample_grad(sample) else []
        results.append((out, grads))
    if is_random or dtype in HALF:
        return
    close(results[1][0], results[0][0])
    close(results[1][1], results[0][1])


def sample_grad(sample):
    return any(t.requires_grad for t in tensors_in([sample.input, sample.args, sample.kwargs]))


def compare_inplace(op, sample):
    if op.inplace_variant is None:
        return
    results = []
    for device in ("cpu", "cuda"):
        x, args, kwargs = moved(sample, device)
        with torch.no_grad():
            out = op.inplace_variant(changed(x, lambda t: t.detach().clone()), *args, **kwargs)
        results.append(out)
    close(results[1], results[0])


def compare_out(op, sample, expected):
    """Into an empty tensor, which the operator resizes."""
    x, args, kwargs = moved(sample, "cuda")
    out = changed(expected, lambda t: torch.empty(0, dtype=t.dtype, device="cuda"))
    with torch.no_grad():
        op.op(x, *args, **kwargs, out=out)
    close(out, expected)


def try_inplace_and_out(op, sample):
    x, args, kwargs = moved(sample, "cpu")
    with torch.no_grad():
        expected = op.op(x, *args, **kwargs)
        try:
            op.inplace_variant(changed(x, lambda t: t.detach().clone()), *args, **kwargs)
            inplace = True
        except Exception:
            inplace = False  # the CPU cannot either: broadcast, or another type
    if inplace:
        compare_inplace(op, sample)
    if op.supports_out and tensors_in(expected):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compare_out(op, sample, expected)


def is_random(op):
    words = ("rand", "normal", "dropout", "bernoulli", "multinomial", "exponential", "cauchy", "geometric", "uniform",
             "rrelu", "empty", "gamma", "poisson", "pca_lowrank", "svd_lowrank", "fractional_max_pool", "new_empty")
    return any(w in op.name for w in words)


def values_differ_by_nature(op):
    """Vectors that are right up to a sign or a phase."""
    return any(w in op.name for w in ("eig", "svd", "qr", "lobpcg", "householder", "ormqr", "geqrf"))


def run(op):
    types = [d for d in (torch.float32, *HALF) if d in (op.dtypesIfCUDA if d in HALF else op.dtypes)]
    types = types or list(op.dtypes)[:1]
    if not types:
        raise NotImplementedError("the CPU has no such operator to compare with")
    for dtype in types:
        grad = dtype.is_floating_point and op.supports_autograd
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=grad))
        step = max(1, math.ceil(len(samples) / MOST_SAMPLES))
        loose = is_random(op) or values_differ_by_nature(op)
        for sample in samples[::step]:
            drops = sample.kwargs.get("dropout_p", 0) > 0
            compare(op, sample, loose or drops, dtype)
            if dtype not in HALF and not loose and not drops:
                try_inplace_and_out(op, sample)


def outcome_of(op):
    def stop(*_):
        raise TimeoutError(f"more than {SECONDS} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        run(op)
        return "right", ""
    except NotImplementedError as fault:
        return "refused", str(fault)
    except AssertionError as fault:
        return "differs", " ".join(str(fault).split())
    except Exception as fault:
        text = " ".join(f"{type(fault).__name__}: {fault}".split())
        return ("refused" if "warpledger:" in text else "fails"), text
    finally:
        signal.alarm(0)


def main():
    part, parts, name = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else ""
    warnings.simplefilter("ignore")
    say(kind="torch", version=torch.__version__)
    from warpledger_torch import half

    watch(half)
    torch.zeros(1, device="cuda")
    from torch.testing._internal.common_methods_invocations import op_db

    if part == 0 and name in ("", "LARGE"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        import torch_large

        torch_large.run(say)
    chosen = [op for i, op in enumerate(op_db) if i % parts == part and name in op.name]
    for op in chosen:
        full = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        say(kind="begin", name=full)
        outcome, text = outcome_of(op)
        say(kind="op", name=full, outcome=outcome, text=text[:300])


if __name__ == "__main__":
    main()
