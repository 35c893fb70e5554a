"""What documents and notebooks show is run: docs/python.md's blocks, the README's one-liners, the notebooks."""
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def blocks(path):
    return re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.M | re.S)


def test_the_blocks_of_the_python_page(tmp_path):
    """In one program, in order; from a file, because Triton reads a kernel's source."""
    try:
        import triton  # noqa: F401
        skipped = ()
    except ImportError:
        skipped = ("# needs: triton",)
    text = "\n".join(block for block in blocks(ROOT / "docs/python.md") if not block.startswith(skipped or "\0"))
    assert text.count("wl.") > 10
    script = tmp_path / "page.py"
    script.write_text(text)
    done = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def one_liners():
    """Lines of README.md and docs/install.md that start with python -c."""
    for name in ("README.md", "docs/install.md"):
        for line in (ROOT / name).read_text().splitlines():
            if found := re.match(r"^(?:\$ )?(?:\S*/)?python3? (-c .*)$", line):
                yield pytest.param(found[1], id=f"{name}: {found[1][:60]}")


@pytest.mark.parametrize("line", one_liners())
def test_one_liners_run(line):
    done = subprocess.run([sys.executable, *shlex.split(line)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("path", sorted((ROOT / "examples/notebooks").glob("*.ipynb")), ids=lambda p: p.name)
def test_notebooks_execute(path):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept in the file"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": str(path.parent)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("text/html" in output.get("data", {}) for output in shown) >= 4


def test_types_hold():
    mypy = pytest.importorskip("mypy.api")
    said, wrong, status = mypy.run(["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", "/dev/null",
                                    str(ROOT / "python/warpledger"), str(ROOT / "python/pytest_warpledger")])
    assert status == 0, said + wrong
