"""How the wheel's Python entry point starts the `warpledger` command."""
import os
import signal

from warpledger import _program


def test_a_pipe_that_closes_ends_the_command_as_any_other(monkeypatch):
    before = signal.getsignal(signal.SIGPIPE)
    monkeypatch.setattr(os, "execv", lambda *_: None)
    try:
        _program.main()
        assert signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGPIPE, before)
