"""Which aten operator of the CUDA dispatch key is computed how.

    torch's own    allocation and views: they launch nothing
    a CPU kernel   of the same operator, on aliases (call.py); in float for half inputs where half.py says so
    a formula      formulas.py, or torch's decomposition, whose parts come back here
    refused        everything else, by name

With `--aten gpu` the first is the rule: torch's own CUDA kernels run, and only operators that call NVIDIA's closed libraries
are computed as said (own_kernels.py).
"""
import atexit
import warnings
from typing import Any, Callable, List

import torch

from warpledger_torch import benchmark, call, copies, formulas, graphs, half, install, own_kernels, rng

# Allocation and metadata, besides operators that return a view.
OWN = {"empty.memory_format", "empty_strided", "resize_", "set_", "set_.source_Storage",
       "set_.source_Storage_storage_offset", "set_.source_Tensor", "record_stream", "is_pinned", "_pin_memory", "is_set_to",
       "_efficientzerotensor", "_has_same_storage_numel", "set_data"}
# Composite operators with CUDA code of their own inside: taken whole.
WHOLE = ("copy_", "convolution", "convolution_backward", "convolution_overrideable", "isin.Tensor_Tensor", "_foreach_copy_",
         "ldexp.Tensor", "ldexp.out", "ldexp_", "mode.values")

# Tensors that are not plain memory: refused where they are made.
UNUSUAL = ("_to_sparse", "_sparse_coo_tensor", "_sparse_compressed_tensor", "quantize_per", "_nested_tensor_from", "_nested_from",
           "_make_per")
_COMPOSITE = ("_sparse_compressed_tensor_unsafe", "_sparse_csr_tensor_unsafe", "_nested_tensor_from_tensor_list")
_SIZES = ("empty_like", "_nested_tensor_size", "_nested_tensor_strides", "_nested_tensor_storage_offsets", "is_same_size")  # of nested ones
_UNUSUAL = "makes or takes a sparse, quantized or nested tensor, which cannot be computed here"

_library = torch.library.Library("aten", "IMPL")  # registrations live as long as it


def overload(name: str) -> Any:
    packet, _, kind = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), kind or "default")


def is_view(op: Any) -> bool:
    return any(r.alias_info is not None and not r.alias_info.is_write for r in op._schema.returns)


def refusal(name: str, why: str = "has no CPU kernel, and its CUDA kernel cannot run here") -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"warpledger: aten::{name} {why} (docs/torch.md says what works)")

    return refuse


def _refuse_unusual() -> None:
    """Sparse, quantized and nested tensors; waiting kernels that torch launches past its dispatcher."""
    refused = {(name, "CUDA") for name in _COMPOSITE}
    for key in ("CUDA", "SparseCUDA", "SparseCsrCUDA", "QuantizedCUDA", "NestedTensorCUDA"):
        registered = torch._C._dispatch_get_registrations_for_dispatch_key(key)
        aten = {full.removeprefix("aten::") for full in registered if full.startswith("aten::")}
        refused |= {(name, key) for name in aten if name.startswith(UNUSUAL) or (key == "NestedTensorCUDA" and name not in _SIZES)}
    for name, key in sorted(refused):
        _library.impl(name, refusal(name, _UNUSUAL), key)
    torch.cuda._sleep = refusal("_sleep", "is a CUDA kernel of torch's own, which cannot run here")


def kernel_of(name: str, op: Any) -> Callable[..., Any]:
    """What computes the operator on CUDA tensors."""
    ready = copies.KERNELS.get(name)
    if ready is not None:
        return ready
    formula = formulas.FORMULAS.get(name)
    if formula is not None:
        return call.make(op, name, formula)
    if torch._C._dispatch_has_computed_kernel_for_dispatch_key("aten::" + name, "CPU"):
        return call.make(op, name, rng.drawing(op, half.in_float(op, name)))
    decomposed: Callable[..., Any] = torch._decomp.decomposition_table.get(op) or refusal(name)
    return decomposed


def names() -> List[str]:
    registered = torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
    aten = {n.removeprefix("aten::") for n in registered if n.startswith("aten::")}
    return sorted((aten | set(WHOLE)) - OWN)


def take_over() -> None:
    runs_own = own_kernels.is_asked()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that kernels are replaced
        for name in names():
            if runs_own and not own_kernels.calls_closed_library(name):
                continue
            try:
                op = overload(name)
            except AttributeError:
                continue  # of TorchScript alone
            if not is_view(op) and not name.startswith(UNUSUAL):
                _library.impl(name, benchmark.watched(op, name, kernel_of(name, op)), "CUDA")
        _refuse_unusual()
    graphs.install()
    torch.backends.cuda.enable_cudnn_sdp(False)
    torch._C._set_cudnn_enabled(False)  # its operators have no CPU kernels; torch's others do
    atexit.register(_say_closed if runs_own else _say_counts)


def _say_closed() -> None:
    called = ", ".join(f"{name} {n}" for name, n in sorted(call.counts.items()) if n)
    if called:
        install.say(f"operators that call NVIDIA's closed libraries were computed by torch's CPU kernels: {called}. They are not "
                    "profiled, and their times on the streams' clock are estimates")


def _say_counts() -> None:
    calls = sum(call.counts.values())
    if calls:
        kinds = sum(1 for n in call.counts.values() if n)
        install.say(f"torch's CPU kernels computed {calls} aten operators ({kinds} kinds). They are not profiled, and their "
                    "times on the streams' clock are estimates")
