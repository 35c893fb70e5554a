"""First on PYTHONPATH under `warpledger profile`: prepares this Python for PyTorch, without importing it."""
import importlib
import importlib.util
import os
import sys


def _run_hidden() -> None:
    """The sitecustomize that this one hides, under its own name, as site would have run it."""
    ours = sys.modules.pop("sitecustomize")
    if importlib.util.find_spec("sitecustomize") is not None:
        importlib.import_module("sitecustomize")
    sys.modules.setdefault("sitecustomize", ours)


_here = os.path.dirname(os.path.abspath(__file__))
if "WARPLEDGER_SETTINGS" in os.environ:
    from warpledger_torch import after_import

    after_import.install()
# The program sees the path that it would have had; the package is loaded from where it was found.
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]
_run_hidden()
