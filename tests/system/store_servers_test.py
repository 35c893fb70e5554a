#!/usr/bin/env python3
"""The store's remote tier against real servers: nginx with WebDAV, Redis or Valkey. What is not installed is skipped.

    store_servers_test.py WARPLEDGER
"""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCH = ["examples/budgets/transpose.ptx", "-k", "transpose_tiled", "--gpu", "a100", "--regs", "16", "--no-sass", "--grid", "2,2",
          "--block", "32,32", "--arg", "in=f32[64x64]:index", "--arg", "out=f32[64x64]", "--arg", "i32:64"]
PATH = os.environ["PATH"] + ":/usr/sbin:/usr/bin"
FOUND = "from the store"
REFUSED = "is damaged or has a wrong signature"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command, port):
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.1):
                break
            time.sleep(0.05)
        yield
    finally:
        server.terminate()
        server.wait(timeout=20)


class Fleet:
    """Tests of any server: the subclass starts it and reaches into what it holds."""

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.port = free_port()
        self.start()

    def tearDown(self):
        self.stack.close()

    def ask(self, machine, secret=""):
        """A machine of its own file, behind it the server. (what is printed, remarks)"""
        environment = {**os.environ, "WARPLEDGER_STORE": f"{self.folder / machine} {self.url()}", "WARPLEDGER_STORE_KEY": secret}
        done = subprocess.run([BINARY, "profile", *LAUNCH], cwd=ROOT, text=True, capture_output=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def test_machines_share_answers(self):
        first, said = self.ask("a")
        self.assertNotIn(FOUND, said)
        again, said = self.ask("b")
        self.assertIn(FOUND, said)
        self.assertEqual(first, again)

    def test_a_poisoned_entry_is_refused_and_replaced(self):
        first, _ = self.ask("a")
        for poison in (lambda entry: entry[:-7], lambda entry: entry.replace(b"transpose", b"transpoze"), lambda entry: b""):
            self.rewrite(poison)
            answer, said = self.ask(f"m{time.monotonic_ns()}")
            self.assertIn(REFUSED, said)
            self.assertNotIn(FOUND, said)
            self.assertEqual(answer, first)
        self.assertIn(FOUND, self.ask("last")[1])

    def test_a_signature_keeps_strangers_out(self):
        self.ask("a")  # a client without the secret
        first, said = self.ask("b", "secret")
        self.assertIn(REFUSED, said)
        again, said = self.ask("c", "secret")
        self.assertIn(FOUND, said)
        self.assertEqual(first, again)

    def test_a_server_that_is_gone_costs_no_answer(self):
        first, _ = self.ask("a")
        self.stack.pop_all().close()
        self.folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        answer, said = self.ask("b")
        self.assertIn("does not answer", said)
        self.assertEqual(answer, first)


@unittest.skipUnless(shutil.which("nginx", path=PATH), "nginx is not installed")
class Nginx(Fleet, unittest.TestCase):
    def url(self):
        return f"http://127.0.0.1:{self.port}/cache/"

    def start(self):
        kept = self.folder / "www/cache"
        kept.mkdir(parents=True)
        self.folder.chmod(0o777)
        kept.chmod(0o777)
        (self.folder / "nginx.conf").write_text(f"""
daemon off; pid {self.folder}/pid; error_log {self.folder}/error.log; user {"root" if os.geteuid() == 0 else "nobody"};
events {{}}
http {{
  access_log off; client_max_body_size 64m; client_body_temp_path {self.folder}/body;
  proxy_temp_path {self.folder}/p; fastcgi_temp_path {self.folder}/f; uwsgi_temp_path {self.folder}/u; scgi_temp_path {self.folder}/s;
  server {{
    listen 127.0.0.1:{self.port}; root {self.folder}/www;
    location /cache/ {{ dav_methods PUT; create_full_put_path on; }}
  }}
}}""")
        self.stack.enter_context(running([shutil.which("nginx", path=PATH), "-c", self.folder / "nginx.conf", "-p", self.folder],
                                         self.port))

    def rewrite(self, change):
        for entry in (self.folder / "www/cache").iterdir():
            entry.write_bytes(change(entry.read_bytes()))


REDIS = shutil.which("valkey-server", path=PATH) or shutil.which("redis-server", path=PATH)


@unittest.skipUnless(REDIS, "neither valkey nor redis is installed")
class Redis(Fleet, unittest.TestCase):
    def url(self):
        return f"redis://:word@127.0.0.1:{self.port}/2"

    def start(self):
        self.stack.enter_context(running([REDIS, "--port", str(self.port), "--bind", "127.0.0.1", "--requirepass", "word", "--save", "",
                                          "--dir", self.folder], self.port))

    def command(self, *words):
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            file = server.makefile("rwb")
            for each in ((b"AUTH", b"word"), (b"SELECT", b"2"), words):
                file.write(b"*%d\r\n" % len(each) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in each))
                file.flush()
                answer = self.reply(file)
            return answer

    def reply(self, file):
        line = file.readline()
        if line[:1] == b"*":
            return [self.reply(file) for _ in range(int(line[1:]))]
        return file.read(int(line[1:]) + 2)[:-2] if line[:1] == b"$" else line

    def rewrite(self, change):
        for key in self.command(b"KEYS", b"*"):
            self.command(b"SET", key, change(self.command(b"GET", key)))


if __name__ == "__main__":
    unittest.main()
