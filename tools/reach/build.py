"""Builds a program as `warpledger nvcc` does: with the shared runtime and line information. A program is built once."""
import hashlib
import json
import os
import re
import shutil
import subprocess

BUILD_SECONDS = 1800


def find_nvcc():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc") or shutil.which("nvcc", path=f"{home}/bin")


def copy_edited(program, folder):
    """Copies of the sources, and of headers beside them, with their sizes changed: {name in the checkout: the copy}."""
    shutil.rmtree(folder, ignore_errors=True)
    if not program.edits:
        return {}
    folder.mkdir(parents=True)
    names = [*program.sources, *(edit["file"] for edit in program.edits)]
    copies = {name: folder / name.replace("/", "-") for name in names}
    for name, copy in copies.items():
        shutil.copy(program.folder / name, copy)
    for edit in program.edits:
        copy = copies[edit["file"]]
        changed, count = re.subn(edit["find"], edit["replace"], copy.read_text(errors="replace"))
        if count == 0:
            raise ValueError(f"{edit['file']} has no '{edit['find']}' to edit")
        copy.write_text(changed)
    return copies


def command_of(nvcc, program, arch, copies, output):
    sources = [str(copies.get(name, program.folder / name)) for name in program.sources]
    # A copy finds the headers beside its original.
    beside = sorted({f"-I{(program.folder / name).parent}" for name in copies})
    return [nvcc, "-cudart", "shared", "-lineinfo", f"-arch={arch}", "-o", str(output), *beside, *program.flags, *sources]


def stamp_of(command, program):
    """What the result of a build depends on: the command, the edits, and the files beside the sources."""
    digest = hashlib.sha256(json.dumps([command, program.edits]).encode())
    for path in sorted(program.folder.glob("*")):
        if path.is_file():
            status = path.stat()
            digest.update(f"{path.name} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()


def first_error(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    faults = [line for line in lines if re.search(r"error|undefined reference|cannot find|No such file", line)]
    return (faults or lines or ["nvcc said nothing"])[0][:300]


def compile_program(program, folder, arch):
    """None, or why it could not be built."""
    nvcc = find_nvcc()
    if nvcc is None:
        return "no nvcc here: put it in PATH or set CUDA_HOME"
    if not program.folder.is_dir():
        return f"no folder {program.folder}"
    try:
        copies = copy_edited(program, folder / "edited")
    except (OSError, ValueError) as error:
        return str(error)
    command = command_of(nvcc, program, arch, copies, folder / "program")
    stamp, mark = stamp_of(command, program), folder / "built.json"
    if mark.exists() and (kept := json.loads(mark.read_text()))["stamp"] == stamp:
        return kept["fault"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=folder, timeout=BUILD_SECONDS)
        fault = first_error(done.stderr + done.stdout) if done.returncode else None
    except subprocess.TimeoutExpired:
        fault = f"nvcc did not end in {BUILD_SECONDS} s"
    mark.write_text(json.dumps({"stamp": stamp, "fault": fault, "command": command}))
    return fault


def build(program, results, arch):
    folder = results / program.path
    folder.mkdir(parents=True, exist_ok=True)
    return compile_program(program, folder, arch)


def kept_fault(program, results):
    """Why the last build failed; None where it did not, or where there was none."""
    mark = results / program.path / "built.json"
    return json.loads(mark.read_text())["fault"] if mark.exists() else None
