#!/usr/bin/env python3
"""A report opened in a browser: no error, nothing overlaps, sorting and heat work.   browser_test.py WARPLEDGER"""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
# Two launches; none needs the toolkit.
LAUNCH = ["examples/profile/matmul.ptx", "--gpu", "rtx3090", "--regs", "40", "--no-sass", "--grid", "4,4", "--block",
          "16,16", "--arg", "A=f32[64x64]", "--arg", "B=f32[64x64]", "--arg", "C=f32[64x64]", "--arg", "i32:64", "--arg",
          "i32:64", "--arg", "i32:64", "--metrics", "dram__bytes.sum"]


def screenshots():
    path = str(ROOT / "tools" / "screenshots")
    loader = importlib.machinery.SourceFileLoader("screenshots", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("screenshots", loader))
    loader.exec_module(module)
    return module


def check_script(browser, wrong):
    """What the page's own script does, tried out."""
    if browser.value("document.querySelectorAll('.code tr[class*=h]').length") < 1:
        wrong.append("no line is hot")
    browser.value("document.querySelector('.choose button').click()")
    if browser.value("document.querySelector('.choose button').getAttribute('aria-pressed')") != "true":
        wrong.append("a column cannot be chosen")
    browser.value("document.querySelector('.sortable th.n').click()")
    if browser.value("document.querySelector('.sortable th.n').getAttribute('aria-sort')") != "descending":
        wrong.append("a table cannot be sorted")
    if browser.value("document.querySelector('tr[data-page]').dataset.page") != "1":
        wrong.append("sorting did not move the rows")
    browser.value("document.querySelector('tr[data-page]').click()")
    if browser.value("Array.from(document.querySelectorAll('article')).map((page) => page.hidden)") != [True, False]:
        wrong.append("a launch cannot be chosen")


def press(browser, key):
    for kind in ["keyDown", "keyUp"]:
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, text=key if kind == "keyDown" else "")


def check_sass(browser, wrong):
    """Three panes that follow each other, arrows, and keys."""
    browser.value("""(() => {
      const key = document.querySelector('.below tr[data-k]').dataset.k;
      Array.from(document.querySelectorAll('.left tr[data-k]')).find((row) => row.dataset.k === key).click();
    })()""")
    marked = browser.value("['.left', '.right', '.below'].map((pane) => document.querySelectorAll(pane + ' tr.same').length)")
    if not all(marked):
        wrong.append(f"a source line does not mark its PTX and SASS: {marked}")
    browser.value("document.querySelector('.below tr[data-u]').click()")
    if not browser.value("document.querySelectorAll('.below svg.arrows path').length"):
        wrong.append("a SASS instruction has no arrows")
    at = "Array.from(document.querySelectorAll('.below tbody tr')).findIndex((row) => row.classList.contains('at'))"
    before = browser.value(at)
    browser.value("document.querySelector('.below').focus()")
    press(browser, "j")
    if browser.value(at) != before + 1:
        wrong.append("j does not move to the next instruction")
    press(browser, "k")
    if browser.value(at) != before:
        wrong.append("k does not move back")


def make_sass_report(binary, folder):
    """Nothing where there is no ptxas or nvdisasm."""
    path = folder / "sass.html"
    launch = [word for word in LAUNCH if word != "--no-sass"]
    subprocess.run([binary, "-q", "profile", *launch, "--kernel", "matmul_tiled", "--source-folder", "kernels", "-o", str(path)],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return path if "side below" in path.read_text() else None


def make_report(binary, folder):
    kept = []
    for kernel in ["matmul_naive", "matmul_tiled"]:
        kept.append(str(folder / f"{kernel}.wlrep"))
        subprocess.run([binary, "-q", "profile", *LAUNCH, "--kernel", kernel, "-o", kept[-1]], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
    path = folder / "two.html"
    subprocess.run([binary, "-q", "report", *kept, "--source-folder", "kernels", "-o", str(path)], cwd=ROOT, check=True)
    return path


def main():
    tool = screenshots()
    program = tool.find_browser()
    if not program:
        print("skipped: no chromium here (tools/screenshots --install fetches one)")
        return SKIPPED
    wrong = []
    browser = tool.Browser(program)
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = make_report(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(folder))
            wrong += tool.check_file(browser, path, "two launches")
            check_script(browser, wrong)
            sass = make_sass_report(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(folder))
            if sass:
                wrong += tool.check_file(browser, sass, "with SASS")
                check_sass(browser, wrong)
    finally:
        browser.close()
    print("\n".join(wrong) or "nothing wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
