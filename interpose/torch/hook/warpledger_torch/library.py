"""The C functions of the drop-in libraries, which are loaded before Python (LD_PRELOAD)."""
import ctypes

HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_all = ctypes.CDLL(None)
add_operator = _all.warpledger_add_operator  # interpose/runtime/torch.cpp
add_operator.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_double, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
hold_capture_memory = _all.warpledger_hold_capture_memory
hold_capture_memory.argtypes = [ctypes.c_void_p]
memcpy_async = _all.cudaMemcpyAsync
memcpy_async.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
stream_synchronize = _all.cudaStreamSynchronize
stream_synchronize.argtypes = [ctypes.c_void_p]

begin_benchmark = _all.warpledger_begin_benchmark  # interpose/runtime/benchmark.cpp
begin_benchmark.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int]
end_benchmark = _all.warpledger_end_benchmark
begin_checks = _all.warpledger_begin_checks
end_checks = _all.warpledger_end_checks
lacks_values = _all.warpledger_lacks_values
lacks_values.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
note_values = _all.warpledger_note_values
note_values.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
note_values.restype = None
need_values = _all.warpledger_need_values
need_values.restype = None

MEMCPY_DEFAULT = 4  # cudaMemcpyDefault: the addresses say it


def check(code: int, what: str) -> None:
    if code != 0:
        raise RuntimeError(f"CUDA error {code} in {what}")
