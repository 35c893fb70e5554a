"""Compilers of a report's time. Debian's non-free packages have nvcc of two CUDA versions. PyPI has no nvcc; of the other versions, its NVRTC
makes the PTX, which addresses shared memory by 64 bits where nvcc takes 32: an instruction more here and there. ptxas is from PyPI always."""
import ctypes
import pathlib
import shutil
import subprocess
import sys
import threading

from validation.cases import ROOT

FOLDER = ROOT / "build/compilers"
PARTS = ["nvrtc", "nvcc", "runtime"]
INSTALLING = threading.Lock()  # cases run side by side
POOL = "http://deb.debian.org/debian/pool/non-free/n/nvidia-cuda-toolkit"
NVCC = {"11.8": "11.8.89~11.8.0-5~deb12u1", "12.4": "12.4.131~12.4.1-2"}
PROFILE = """TOP = $(_HERE_)/..
CICC_PATH = $(_HERE_)
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(_HERE_):
"""


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


def install_nvcc(version):
    """Where nvcc of this version is: what it runs lies beside it, as its profile says."""
    folder = install(version) / "toolkit"
    with INSTALLING:
        if not (folder / "installed").exists():
            package, unpacked = folder / "package.deb", folder / "unpacked"
            folder.mkdir(exist_ok=True)
            subprocess.run(["curl", "-fsS", "-o", package, f"{POOL}/nvidia-cuda-toolkit_{NVCC[version]}_amd64.deb"], check=True)
            subprocess.run(["dpkg", "-x", package, unpacked], check=True)
            own = unpacked / "usr/lib/nvidia-cuda-toolkit"
            shutil.copytree(own / "libdevice", folder / "nvvm/libdevice", dirs_exist_ok=True)
            (folder / "bin").mkdir(exist_ok=True)
            for tool in [own / "bin/nvcc", own / "bin/cicc", *(unpacked / "usr/bin" / name for name in ("cudafe++", "ptxas", "fatbinary", "nvlink"))]:
                shutil.copy(tool, folder / "bin")
            (folder / "bin/nvcc.profile").write_text(PROFILE)
            shutil.rmtree(unpacked)
            package.unlink()
            (folder / "installed").touch()
    return folder / "bin/nvcc"


def nvcc_ptx(version, source, options, path):
    """The PTX of a .cu file by nvcc; the host's compiler is newer than it knows, which does not matter to a kernel."""
    command = [install_nvcc(version), "-ptx", "-allow-unsupported-compiler", *options, "-o", path, source]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"nvcc {version} does not compile {source.name}: {done.stderr[:600]}")


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
    if version in NVCC:
        nvcc_ptx(version, source, options, part)
    else:
        part.write_bytes(nvrtc_ptx(wheels, source, options))
    part.replace(path)
    return path


def first_in_path(version):
    """Where its ptxas is."""
    return install(version) / "nvidia/cuda_nvcc/bin"
