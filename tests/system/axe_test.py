#!/usr/bin/env python3
"""The HTML report by axe-core's rules for accessibility.   axe_test.py WARPLEDGER AXE_JS [--out FILE.json]

AXE_JS is axe.min.js of PyPI's axe-core-python. Reports of one and of two launches are opened with a headless Chromium, at
1280 and 390 pixels, light and dark, folded parts opened; a serious or critical violation fails. The keys are tried, and what
paper would show.
"""
import json
import pathlib
import sys
import tempfile

from browser_test import SKIPPED, make_report, screenshots

BAD = ("serious", "critical")
RUN = """(async () => {
  document.querySelectorAll('details').forEach((part) => { part.open = true; });
  const done = await axe.run(document, {resultTypes: ['violations']});
  return done.violations.map((one) => ({id: one.id, impact: one.impact, help: one.help,
      nodes: one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + ' | ' + (node.any[0] || {message: ''}).message.slice(0, 200)),
      count: one.nodes.length}));
})()"""


def violations(browser, source):
    browser.value(source)
    done = browser.call("Runtime.evaluate", expression=RUN, returnByValue=True, awaitPromise=True)
    if "exceptionDetails" in done:
        sys.exit(json.dumps(done["exceptionDetails"])[:2000])
    return done["result"]["value"]


def press(browser, key, code, text=""):
    for kind in ["keyDown", "keyUp"]:
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text if kind == "keyDown" else "")


def check_keys(browser, wrong):
    """Sort, choose a launch, walk the listing, without a mouse."""
    browser.value("document.querySelector('.sortable th.n button').focus()")
    press(browser, "Enter", 13, "\r")
    if browser.value("document.querySelector('.sortable th.n').getAttribute('aria-sort')") != "descending":
        wrong.append("Enter does not sort")
    browser.value("document.querySelector('tr[data-page=\"1\"] a').focus()")
    press(browser, "Enter", 13, "\r")
    if browser.value("Array.from(document.querySelectorAll('article')).map((page) => page.hidden)") != [True, False]:
        wrong.append("Enter does not choose a launch")
    browser.value("document.querySelector('article:not([hidden]) .side').focus()")
    press(browser, "ArrowDown", 40)
    if browser.value("document.querySelectorAll('article:not([hidden]) tr.same').length") < 2:
        wrong.append("arrow keys do not follow a line to the other side")


def check_paper(browser, wrong):
    """Both launches, nothing folded, nothing wider than the paper."""
    browser.call("Emulation.setEmulatedMedia", media="print", features=[])
    browser.value("window.dispatchEvent(new Event('beforeprint'))")
    if browser.value("Array.from(document.querySelectorAll('article')).some((page) => page.offsetHeight === 0)"):
        wrong.append("a launch is missing on paper")
    if browser.value("document.querySelectorAll('details:not([open])').length"):
        wrong.append("a part is folded on paper")
    browser.value("window.dispatchEvent(new Event('afterprint'))")
    if not browser.value("document.querySelectorAll('details:not([open])').length"):
        wrong.append("printing leaves everything open")
    browser.call("Emulation.setEmulatedMedia", media="", features=[])


def main():
    tool = screenshots()
    program = tool.find_browser()
    if not program:
        print("skipped: no chromium here (tools/screenshots --install fetches one)")
        return SKIPPED
    source = pathlib.Path(sys.argv[2]).read_text()
    wrong, all_found = [], {}
    browser = tool.Browser(program)
    try:
        browser.call("Page.setBypassCSP", enabled=True)
        with tempfile.TemporaryDirectory() as folder:
            path = make_report(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(folder))
            for kind, width in tool.WIDTHS.items():
                for scheme in tool.SCHEMES:
                    tool.look(browser, path, width, scheme)
                    found = all_found[f"{kind} {scheme}"] = violations(browser, source)
                    wrong += [f"{kind} {scheme}: {json.dumps(one)}" for one in found if one["impact"] in BAD]
            tool.look(browser, path, 1280, "light")
            check_paper(browser, wrong)
            check_keys(browser, wrong)
    finally:
        browser.close()
    if "--out" in sys.argv:
        pathlib.Path(sys.argv[sys.argv.index("--out") + 1]).write_text(json.dumps(all_found, indent=2))
    less = sorted({one["id"] for found in all_found.values() for one in found if one["impact"] not in BAD})
    print("\n".join(wrong) or f"no serious violation; lesser ones: {', '.join(less) or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
