"""The command ``warpledger`` of the wheel: the C++ program beside this file takes the process over."""
import os
import pathlib
import signal
import sys


def main() -> None:
    program = str(pathlib.Path(__file__).with_name("_command"))
    os.environ.setdefault("WARPLEDGER_PYTHON", sys.executable)  # `warpledger mcp` is this package's
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it; `warpledger ... | head` must end quietly
    os.execv(program, ["warpledger", *sys.argv[1:]])
