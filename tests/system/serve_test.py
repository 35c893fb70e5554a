#!/usr/bin/env python3
"""Requests as lines of JSON, from a file and over a socket.   serve_test.py WARPLEDGER"""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARY = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
TRANSPOSE = {"file": str(ROOT / "examples/budgets/transpose.ptx"), "kernel": "transpose_tiled", "gpu": "a100", "grid": [2, 2],
             "block": [32, 32], "arguments": ["in=f32[64x64]:index", "out=f32[64x64]", "i32:64"],
             "options": {"registers": 16, "sass": False}}
# Threads that spin: long enough to be interrupted.
ENDLESS = {"ptx": ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry spin() { .reg .b32 %r<2>;\n"
                  "again: add.u32 %r1, %r1, 1; bra again; }\n", "file": "spin.ptx", "gpu": "a100", "block": [32],
           "options": {"sass": False, "registers": 16}}


def request(**changes):
    return json.dumps({**TRANSPOSE, **changes})


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rw")

    def ask(self, line):
        self.file.write(line + "\n")
        self.file.flush()
        return json.loads(self.file.readline())

    def close(self):
        self.file.close()
        self.socket.close()


class Serve(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.environment = {**os.environ, "WARPLEDGER_STORE": str(self.path / "kept.sqlite")}

    def tearDown(self):
        self.folder.cleanup()

    def batch(self, *lines, options=()):
        (self.path / "requests.jsonl").write_text("\n".join(lines) + "\n")
        done = subprocess.run([BINARY, "-q", "profile", "--batch", self.path / "requests.jsonl", *options], text=True,
                              capture_output=True, env=self.environment, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    @contextlib.contextmanager
    def server(self, *options):
        at = self.path / "socket"
        process = subprocess.Popen([BINARY, "serve", "--socket", at, *options], env=self.environment, text=True,
                                   stderr=subprocess.PIPE)
        try:
            self.assertIn("serving at", process.stderr.readline())
            yield process, at
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(timeout=60)
            process.stderr.close()

    def test_a_batch_answers_in_order_and_errors_are_answers(self):
        lines = [request(id=1), "no JSON", request(id=2, kernel="transpose_padded"), request(id="x", gpu="z9000"),
                 request(id=3, command="profile", metrics=["launch__grid_size", "gpu__time_duration.sum"]),
                 request(id=4, surprise=1)]
        first, bad, second, unknown, metrics, surprise = self.batch(*lines, options=["--jobs", "2"])
        self.assertEqual([first["id"], second["id"], unknown["id"], metrics["id"], surprise["id"]], [1, 2, "x", 3, 4])
        self.assertIn("bank-conflicts", [finding["rule"] for finding in first["explain"]["launches"][0]["findings"]])
        self.assertEqual((bad["error"]["code"], unknown["error"]["code"]), ("bad-request", "unknown-gpu"))
        self.assertEqual(metrics["metrics"]["launch__grid_size"], {"value": 4, "unit": "", "fidelity": "exact"})
        self.assertIn("surprise", surprise["error"]["message"])

    def test_the_answer_is_the_commands(self):
        one = [BINARY, "-q", "explain", TRANSPOSE["file"], "-k", "transpose_tiled", "--gpu", "a100", "--grid", "2,2", "--block",
               "32,32", "--regs", "16", "--no-sass", "--json", "--no-store"]
        for argument in TRANSPOSE["arguments"]:
            one += ["--arg", argument]
        said = subprocess.run(one, text=True, capture_output=True, env=self.environment, check=True).stdout
        [answer] = self.batch(request())
        self.assertEqual(answer["explain"], json.loads(said))

    def test_several_clients_are_answered_from_one_warm_process(self):
        with self.server() as (_, at):
            answers = {}

            def ask(number):
                client = Connection(at)
                answers[number] = [client.ask(request(id=f"{number}.{i}", grid=[1 + i % 2, 2])) for i in range(3)]
                client.close()

            threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for number, got in answers.items():
            self.assertEqual([one["id"] for one in got], [f"{number}.{i}" for i in range(3)])
            self.assertTrue(all("explain" in one for one in got), got)

    def test_killed_clients_leave_it_well(self):
        with self.server() as (process, at):
            for i in range(100):
                client = Connection(at)
                client.file.write(request(grid=[1, 1 + i % 5]) + ("\n" if i % 3 else ""))
                client.file.flush()
                client.socket.close()
            last = Connection(at)
            self.assertIn("explain", last.ask(request()))
            last.close()
            self.assertIsNone(process.poll())

    def test_a_request_ends_with_its_seconds(self):
        with self.server("--timeout", "1") as (_, at):
            client = Connection(at)
            begun = time.monotonic()
            self.assertIn("error", client.ask(json.dumps(ENDLESS)))
            self.assertLess(time.monotonic() - begun, 30)
            self.assertIn("explain", client.ask(request()))
            client.close()

    def test_too_long_a_request_is_refused(self):
        with self.server() as (_, at):
            client = Connection(at)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.socket.sendall(b"x" * (9 << 20))
            self.assertEqual(json.loads(client.file.readline())["error"]["code"], "too-long")
            client.close()

    def test_a_signal_ends_it_and_leaves_no_socket(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.server() as (process, at):
                client = Connection(at)
                self.assertIn("explain", client.ask(request()))
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), 0)
                self.assertFalse(at.exists())
                client.close()


if __name__ == "__main__":
    unittest.main()
