"""torch.cuda._compile_kernel asks NVRTC for machine code through ctypes, where the drop-in libraries are not in between:
it is given their functions, which keep the PTX (interpose/nvrtc)."""
import ctypes
from types import ModuleType
from typing import Any

NAMES = ("nvrtcGetCUBINSize", "nvrtcGetCUBIN")


def install(module: ModuleType) -> None:
    original: Any = getattr(module, "_get_nvrtc_library", None)
    if original is None:
        return

    def _get_nvrtc_library() -> Any:
        nvrtc = original()
        ours = ctypes.CDLL(None)
        for name in NAMES:
            setattr(nvrtc, name, getattr(ours, name))
        return nvrtc

    setattr(module, "_get_nvrtc_library", _get_nvrtc_library)
