"""After the program's `import torch`: checks that it is a torch that can be taken over, and does so when the program
first uses CUDA."""
import sys
from types import ModuleType
from typing import Any, List

# What this package calls of torch that is not documented. All are in the versions of KNOWN.
PRIVATE = ("_C._construct_storage_from_data_pointer", "_C._dispatch_get_registrations_for_dispatch_key",
           "_C._dispatch_has_computed_kernel_for_dispatch_key", "_C._cuda_getCurrentRawStream", "cuda._lazy_call",
           "_C._cuda_isCurrentStreamCapturing", "_C._set_cudnn_enabled", "_decomp.decomposition_table")
KNOWN = "2.12 to 2.15"  # versions that were tried


def say(text: str) -> None:
    print(f"warpledger: {text}", file=sys.stderr)


def missing(torch: Any) -> List[str]:
    """The private functions that this torch does not have."""
    def has(path: str) -> bool:
        at = torch
        for name in path.split("."):
            at = getattr(at, name, None)
        return at is not None

    return [path for path in PRIVATE if not has(path)]


def _take_over() -> None:
    import torch

    absent = missing(torch)
    if absent:
        raise RuntimeError(f"warpledger cannot run torch {torch.__version__}: it has no torch.{absent[0]}. "
                           f"Versions {KNOWN} work: pip install 'torch>=2.12,<2.16'")
    from warpledger_torch import takeover

    takeover.take_over()


def install(torch: ModuleType) -> None:
    if torch.version.cuda is None:
        say(f"torch {torch.__version__} was built without CUDA: it has no 'cuda' tensors, and its operators are not "
            "profiled. The build with CUDA needs no GPU here: pip install --force-reinstall torch "
            "--index-url https://pypi.org/simple")
        return
    if not torch.version.cuda.startswith("13."):
        say(f"torch {torch.__version__} was built for CUDA {torch.version.cuda}, whose runtime warpledger does not replace; "
            f"a build for CUDA 13 of torch {KNOWN} works")
        return
    torch.cuda._lazy_call(_take_over)
