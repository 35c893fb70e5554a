#!/usr/bin/env python3
"""A report opened in a browser: no error, nothing overlaps, sorting and heat work.   browser_test.py WARPLEDGER"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77


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


def main():
    tool = screenshots()
    program = tool.find_browser()
    if not program:
        print("no chromium: skipped")
        return SKIPPED
    wrong = []
    browser = tool.Browser(program)
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = tool.profile(pathlib.Path(sys.argv[1]).resolve(), "matmul", pathlib.Path(folder))
            wrong += tool.check_file(browser, path, "matmul")
            check_script(browser, wrong)
    finally:
        browser.close()
    print("\n".join(wrong) or "nothing wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
