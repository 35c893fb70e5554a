"""What is left when a command is killed: no process, no half file, and every profile that was finished.

    kill_test.py WARPLEDGER [--kills N]
"""
import argparse
import json
import os
import pathlib
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
arguments = argparse.ArgumentParser()
arguments.add_argument("binary")
arguments.add_argument("--kills", type=int, default=6)
OPTIONS, REST = arguments.parse_known_args()
sys.argv[1:] = REST
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import door_test  # noqa: E402

LIBRARIES = (pathlib.Path(OPTIONS.binary).parent / "../lib/warpledger/libcudart.so.13").exists()

ENDLESS = """.version 8.4
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p0)
{
    .reg .b64 %rd<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd0, [p0];
again:
    ld.global.u32 %r0, [%rd0];
    add.u32 %r1, %r1, %r0;
    st.global.u32 [%rd0], %r1;
    bra again;
}
"""
MATMUL = [str(ROOT / "examples/profile/matmul.ptx"), "--kernel", "matmul_naive", "--gpu", "rtx3090", "--regs", "40", "--no-sass",
          "--grid", "8,8", "--block", "16,16", "--arg", "A=f32[128x128]:random", "--arg", "B=f32[128x128]:random", "--arg",
          "C=f32[128x128]", "--arg", "i32:128", "--arg", "i32:128", "--arg", "i32:128"]


def session_of(process: pathlib.Path) -> int:
    try:
        return int((process / "stat").read_text().rsplit(")", 1)[1].split()[3])
    except (OSError, IndexError):
        return 0


def is_gone(process: pathlib.Path) -> bool:
    try:
        return (process / "stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def left_behind(session: int, seconds: float = 3) -> list[str]:
    """Processes of the session that still run when the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        left = [p.name for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and session_of(p) == session and not is_gone(p)]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)


def children_of(process: int, name: str) -> list[int]:
    """Those of its session that run the program."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and session_of(entry) == process:
            try:
                if name in os.readlink(entry / "exe"):
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


class Killed(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.home = pathlib.Path(self.folder.name)
        (self.home / "endless.ptx").write_text(ENDLESS)
        (self.home / "budgets.toml").write_text('schema = 1\n[[budget]]\nfile = "endless.ptx"\nkernel = "k"\ngpu = ["a100"]\n'
                                                'grid = [4]\nblock = [32]\nargs = ["u32[64]"]\noptions = ["--no-sass"]\n'
                                                'limits = ["dram.read_bytes < 1"]\n')
        self.env = {**os.environ, "WARPLEDGER_STORE": str(self.home / "store.sqlite"), "WARPLEDGER_CODE": str(self.home / "code")}

    def start(self, *words: str, **more) -> subprocess.Popen:
        return subprocess.Popen([OPTIONS.binary, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env=self.env, start_new_session=True, text=True, **more)

    def kill_at_random(self, *words: str) -> None:
        rng = random.Random(4)
        for _ in range(OPTIONS.kills):
            with self.start(*words) as command:
                time.sleep(rng.uniform(0, 1.0))
                command.kill()
            self.assertEqual(left_behind(command.pid), [])

    def check_still_works(self) -> None:
        """The store and the code that the killed ones left are whole."""
        first = subprocess.run([OPTIONS.binary, "-q", "profile", *MATMUL], env=self.env, capture_output=True, text=True, check=False)
        self.assertEqual(first.returncode, 0, first.stderr)
        again = subprocess.run([OPTIONS.binary, "profile", *MATMUL], env=self.env, capture_output=True, text=True, check=False)
        self.assertIn("from the store", again.stderr)
        self.assertEqual(again.stdout, first.stdout)

    def test_a_profile_leaves_nothing(self) -> None:
        self.kill_at_random("profile", str(self.home / "endless.ptx"), "--gpu", "a100", "--no-sass", "--grid", "4", "--block", "32",
                            "--arg", "u32[64]")
        self.check_still_works()

    def test_a_run_leaves_nothing(self) -> None:
        self.kill_at_random("run", str(self.home / "endless.ptx"), "--kernel", "k", "--grid", "4", "--block", "32", "--arg", "u32[64]")

    def test_a_check_leaves_nothing(self) -> None:
        self.kill_at_random("check", str(self.home / "budgets.toml"))

    def test_a_server_leaves_nothing_and_loses_no_answer(self) -> None:
        rng, at, answered = random.Random(5), str(self.home / "socket"), []
        for number in range(OPTIONS.kills):
            # Of distinct launches, some endless: a worker is killed while it waits for its kernel's process.
            requests = [{"file": MATMUL[0], "kernel": "matmul_naive", "gpu": "rtx3090", "grid": [1, 1], "block": [16, 16],
                         "arguments": [f"f32[{1024 + 16 * number + i}]"] * 3 + ["i32:16"] * 3,
                         "options": {"registers": 40, "sass": False}} for i in range(8)]
            requests.append({"file": str(self.home / "endless.ptx"), "gpu": "a100", "grid": [4], "block": [32],
                             "arguments": ["u32[64]"], "options": {"registers": 16, "sass": False}})
            with self.start("-q", "serve", "--socket", at, "--jobs", "2") as command:
                deadline = time.monotonic() + rng.uniform(0.3, 2.0)
                answered += self.ask_until(at, requests, deadline)
                command.kill()
            self.assertEqual(left_behind(command.pid), [])
        self.check_still_works()
        asked = self.home / "again.jsonl"
        asked.write_text("".join(json.dumps(request) + "\n" for request in answered))
        again = subprocess.run([OPTIONS.binary, "-q", "profile", "--batch", str(asked)], env=self.env, capture_output=True, text=True,
                               check=True)
        kept = [json.loads(line)["from_store"] for line in again.stdout.splitlines()]
        print(f"serve: {OPTIONS.kills} kills, {len(answered)} answers before them, {sum(kept)} found again")
        self.assertEqual(kept, [True] * len(answered))

    def ask_until(self, at: str, requests: list[dict], deadline: float) -> list[dict]:
        """Those that were answered."""
        answered = []
        with socket.socket(socket.AF_UNIX) as client:
            while time.monotonic() < deadline:
                try:
                    client.connect(at)
                    break
                except OSError:
                    time.sleep(0.01)
            else:
                return answered
            client.sendall("".join(json.dumps(request) + "\n" for request in requests).encode())
            held = b""
            while (left := deadline - time.monotonic()) > 0:
                client.settimeout(left)
                try:
                    held += client.recv(1 << 16)
                except TimeoutError:
                    break
            for line, request in zip(held.split(b"\n")[:-1], requests):
                self.assertIn("explain", json.loads(line))
                answered.append(request)
        return answered

    @unittest.skipUnless(LIBRARIES and door_test.find_nvcc(), "no libraries, or no nvcc")
    def test_a_program_of_fifty_launches_loses_no_profile(self) -> None:
        folder = pathlib.Path(OPTIONS.binary).absolute().parent.parent / "door_programs"
        folder.mkdir(exist_ok=True)
        program = door_test.build(door_test.find_nvcc(), door_test.HERE / "loops" / "slow_loop.cu", folder)
        rng, finished = random.Random(6), 0
        words = ("-q", "profile", "--gpu", "a100-80", "--all-launches", "--no-sass", "--json", "-k", "other", str(program), "many")
        for number in range(OPTIONS.kills):
            store = self.home / f"store{number}.sqlite"
            self.env["WARPLEDGER_STORE"] = str(store)
            with self.start(*words) as command:
                time.sleep(rng.uniform(0.2, 3.0))
                if number % 2:  # the program alone: the command prints what it has
                    for child in children_of(command.pid, program.name):
                        os.kill(child, signal.SIGKILL)
                    said = command.stdout.read()
                else:
                    command.kill()
                    said = command.stdout.read()
                command.wait(60)
            self.assertEqual(left_behind(command.pid), [])
            done = max([int(line) for line in said.split("[", 1)[0].split() if line.isdigit()], default=0)
            finished += done
            if number % 2:
                # One more was launched before the program was ready to count.
                self.assertGreaterEqual(len(json.loads("[" + said.split("[", 1)[1])) if "[" in said else 0, done)
            if done:
                with sqlite3.connect(store) as kept:
                    self.assertEqual(kept.execute("PRAGMA integrity_check").fetchone(), ("ok",))
                    self.assertGreaterEqual(kept.execute("SELECT count(*) FROM entry").fetchone()[0], done)
        print(f"program: {OPTIONS.kills} kills, {finished} profiles before them, none lost")

    def test_a_check_is_stopped_in_time(self) -> None:
        budgets = self.home / "budgets.toml"
        budgets.write_text(budgets.read_text().replace('"--no-sass"', '"--no-sass", "--timeout", "1"'))
        begun = time.monotonic()
        done = subprocess.run([OPTIONS.binary, "check", str(budgets)], env=self.env, capture_output=True, text=True, check=False)
        self.assertLess(time.monotonic() - begun, 3 + 2)
        self.assertIn("timed out", done.stderr)

    @unittest.skipUnless(LIBRARIES, "no libraries")
    def test_grandchildren_die_too(self) -> None:
        # One in the background, one orphan, one in the foreground.
        script = "sleep 321 & (sleep 321 &) ; echo ready; sleep 321; true"
        for _ in range(2):
            with self.start("profile", "--", "/bin/sh", "-c", script) as command:
                self.assertEqual(command.stdout.readline(), "ready\n")
                command.kill()
            self.assertEqual(left_behind(command.pid), [])

    @unittest.skipUnless(LIBRARIES, "no libraries")
    def test_the_programs_end_is_the_commands(self) -> None:
        for script, code in (("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -6 $$", 134)):
            with self.start("-q", "profile", "--", "/bin/sh", "-c", script) as command:
                self.assertEqual(command.wait(20), code, script)

    @unittest.skipUnless(LIBRARIES, "no libraries")
    def test_an_interrupt_reaches_the_program_and_its_children(self) -> None:
        with self.start("-q", "profile", "--", "/bin/sh", "-c", "trap 'exit 3' INT; echo ready; while :; do sleep 0.05; done") as command:
            self.assertEqual(command.stdout.readline(), "ready\n")
            command.send_signal(signal.SIGINT)
            self.assertEqual(command.wait(10), 130)
        self.assertEqual(left_behind(command.pid), [])


class Stopped(unittest.TestCase):
    def test_an_endless_kernel_is_stopped_in_time(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "endless.ptx"
            file.write_text(ENDLESS)
            for engine in ("jit", "reference"):
                begun = time.monotonic()
                done = subprocess.run([OPTIONS.binary, "profile", str(file), "--gpu", "a100", "--no-sass", "--no-store", "--grid", "4",
                                       "--block", "32", "--arg", "u32[64]", "--engine", engine, "--timeout", "1"],
                                      capture_output=True, text=True, check=False)
                self.assertLess(time.monotonic() - begun, 3 + 2)  # the timeout, two seconds, and a busy machine
                self.assertEqual(done.returncode, 2)
                self.assertIn("timed out", done.stderr)


if __name__ == "__main__":
    unittest.main()
