"""Compilers of a report's time: NVRTC makes the PTX and ptxas the machine code, both of one CUDA version, from PyPI (which has no nvcc)."""
import ctypes
import pathlib
import subprocess
import sys
import threading

from validation.cases import ROOT

FOLDER = ROOT / "build/compilers"
PARTS = ["nvrtc", "nvcc", "runtime"]
INSTALLING = threading.Lock()  # cases run side by side


def install(version):
    """The folder of this version's wheels, such as 11.8."""
    folder = FOLDER / version
    with INSTALLING:
        if not (folder / "installed").exists():
            wheels = [f"nvidia-cuda-{part}-cu{version.split('.')[0]}=={version}.*" for part in PARTS]
            subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder, *wheels], check=True)
            (folder / "nvidia/cuda_nvcc/bin/ptxas").chmod(0o755)
            (folder / "installed").touch()
    return folder


def nvrtc_ptx(wheels, source, options):
    """The PTX of a .cu file, by the NVRTC among these wheels."""
    library, = (wheels / "nvidia/cuda_nvrtc/lib").glob("libnvrtc.so.*")
    nvrtc = ctypes.CDLL(str(library))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), source.name.encode(), 0, None, None)
    words = [option.encode() for option in options]
    if nvrtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words)):
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(f"{library.name} does not compile {source.name}: {log.value.decode()[:600]}")
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, text)
    return text.value


def ptx_of(source, version, arch, flags, folder):
    """A file with the PTX that this version makes of a .cu file for compute_NN; flags are nvcc's."""
    wheels = install(version)
    options = [f"--gpu-architecture={arch.replace('sm_', 'compute_')}", "-lineinfo", "-std=c++17",
               f"-I{wheels / 'nvidia/cuda_runtime/include'}", f"-I{wheels / 'nvidia/cuda_nvcc/include'}", f"-I{source.parent}", *flags]
    path = pathlib.Path(folder) / f"{source.stem}.{arch}.{version}{''.join(flags).replace('/', '_')}.ptx"
    # Two cases of one file may be run at a time: neither reads half of what the other writes.
    part = path.with_suffix(f".{threading.get_ident()}")
    part.write_bytes(nvrtc_ptx(wheels, source, options))
    part.replace(path)
    return path


def first_in_path(version):
    """Where its ptxas is."""
    return install(version) / "nvidia/cuda_nvcc/bin"
