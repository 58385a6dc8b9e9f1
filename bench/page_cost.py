"""What the page costs on a large vault, beside an empty one, in Chromium against real servers, in turn.

    python bench/page_cost.py --folder FOLDER [--notes 10000] [--records 1000000] [--handoffs 2000] [--thoughts 100000]
                         [--runs 7] [--asks 20] [--minutes 60]

The vaults are made once, and kept in the folder. Of every view: the time to the first paint with content and until the
view itself is there (at most 1.5 of the empty vault), the bytes that a browser without a cache gets (at most 300 KB),
and the server's time for what the view asks for when it is filtered and paged (p95, at most 100 ms): its forms with a
word in each field, and the addresses that its parts load. Last a tab stays live while records come in: memory and
connections of the server, which should not grow.
"""

from __future__ import annotations

import argparse
import http.client
import os
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support import ROOT, commit, machine

sys.path.insert(0, str(ROOT / "src"))
sys.path.insert(0, str(ROOT / "tests" / "unit"))  # the tests' servers are the bench's too

from hook_support import Home
from page_routes import key_of
from playwright.sync_api import sync_playwright
from serve_support import serving
from web_support import Tab, launched, link_of, opened

import page_vault
from holdfast.capture import ledger
from holdfast.page import views

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from serve_support import Server

RATIO, BYTES, SERVER_MS, GROWTH = 1.5, 300_000, 100.0, 1.1
ADDRESSES = 12  # of one view
THERE = """new MutationObserver((_, one) => {
  if (document.querySelector("#main h1")) { window.there = performance.now(); one.disconnect(); }
}).observe(document, {childList: true, subtree: true})"""
TIMES = "[performance.getEntriesByName('first-contentful-paint')[0]?.startTime || 0, window.there || 0]"
ASKED = """() => {
  const found = [...document.querySelectorAll("main [hx-get]:not(form)")].map((one) => one.getAttribute("hx-get"));
  for (const form of document.querySelectorAll("main form[hx-get], main form[method=get]")) {
    for (const one of form.querySelectorAll("input[type=search], input[type=text]")) one.value = "lock";
    const address = form.getAttribute("hx-get") || form.getAttribute("action") || "";
    found.unshift(address.split("?")[0] + "?" + new URLSearchParams(new FormData(form)));
  }
  const further = "main a[rel=next], main a[href*='after='], main a[href*='before=']";
  for (const link of document.querySelectorAll(further)) found.push(link.getAttribute("href"));
  return [...new Set(found)].filter((one) => one.startsWith("/page/"));
}"""


def main() -> None:
    options = _options()
    sizes = {name: getattr(options, name) for name in ("notes", "handoffs", "records", "thoughts")}
    homes = {"empty": Home(options.folder / "empty"), "large": Home(options.folder / "large")}
    for name, where in homes.items():
        spent = page_vault.made(where, sizes if name == "large" else dict.fromkeys(sizes, 0))
        print(f"{name} vault: {f'made in {spent:.0f} s' if spent else 'there already'}", file=sys.stderr, flush=True)
    print(f"{machine()}; commit {commit()}")
    print("the large vault: " + ", ".join(f"{count:,} {name}" for name, count in sizes.items()))
    with serving(homes["empty"]) as empty, serving(homes["large"]) as large, sync_playwright() as playwright:
        browser = launched(playwright)
        servers = {"empty": empty, "large": large}
        found = [_view(browser, servers, view, options) for view, _, _ in views.ALL]
        print("\n".join(_lines(found)), flush=True)
        if options.minutes:
            print("\n".join(_lived(browser, large, options.minutes)))
        browser.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=lambda text: Path(text).absolute(), required=True)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--handoffs", type=int, default=2000)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--thoughts", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--asks", type=int, default=20, help="of each address")
    parser.add_argument("--minutes", type=float, default=0.0, help="how long a tab stays live")
    return parser.parse_args()


def _view(browser: Browser, servers: dict[str, Server], view: str, options: argparse.Namespace) -> dict[str, Any]:
    """One view on both servers, in turn."""
    times: dict[str, list[list[float]]] = {name: [] for name in servers}
    sent = 0
    for _ in range(options.runs):
        for name, server in servers.items():
            took, size = _load(browser, server, view)
            times[name].append(took)
            sent = max(sent, size) if name == "large" else sent
    medians = {name: [statistics.median(one) for one in zip(*took, strict=True)] for name, took in times.items()}
    return {"view": view, **medians, "bytes": sent, "asked": _asked(browser, servers["large"], view, options.asks)}


def _load(browser: Browser, server: Server, view: str) -> tuple[list[float], int]:
    """Milliseconds to the first paint and to the view, in a browser with nothing kept; and the bytes that came."""
    context = browser.new_context(reduced_motion="reduce")
    try:
        page = context.new_page()
        context.add_init_script(THERE)
        key = key_of(server)
        context.add_init_script(f"localStorage.setItem('holdfast-page', '{key}')")
        network, sent = context.new_cdp_session(page), [0]
        network.send("Network.enable")
        network.on("Network.loadingFinished", lambda said: sent.append(int(said["encodedDataLength"])))
        opened(page, server, view)
        return page.evaluate(TIMES), sum(sent)
    finally:
        context.close()


def _asked(browser: Browser, server: Server, view: str, asks: int) -> list[float]:
    """Milliseconds of each answer to what the view asks for, itself among it."""
    context = browser.new_context()
    page = context.new_page()
    Tab(page, server).sign_in(link_of(server), view)
    opened(page, server, view)
    addresses = [f"/page/{view}", *page.evaluate(ASKED)][:ADDRESSES]
    context.close()
    headers = {"Authorization": f"Holdfast-Page {key_of(server)}", "HX-Request": "true"}
    there = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    spent = []
    for address in [one for _ in range(asks) for one in addresses]:
        began = time.perf_counter()
        there.request("GET", address, headers=headers)
        got = there.getresponse()
        got.read()
        spent.append(1000 * (time.perf_counter() - began))
        if got.status != 200:
            raise SystemExit(f"{address} answered {got.status}")
    there.close()
    return spent


def _p95(spent: list[float]) -> float:
    return sorted(spent)[min(len(spent) - 1, int(len(spent) * 0.95))]


def _met(is_met: bool) -> str:
    return "met" if is_met else "MISSED"


def _lines(found: list[dict[str, Any]]) -> list[str]:
    out = [f"{'view':8} {'first paint':>24} {'view is there':>24} {'bytes':>17} {'server p95':>19}"]
    for one in found:
        parts = []
        for at in (0, 1):
            empty, large = one["empty"][at], one["large"][at]
            ratio = large / empty if empty else 0.0
            parts.append(f"{empty:5.0f} {large:5.0f} ms {ratio:.2f} {_met(ratio <= RATIO):6}")
        parts.append(f"{one['bytes'] / 1000:6.0f} KB {_met(one['bytes'] <= BYTES):6}")
        parts.append(f"{_p95(one['asked']):7.1f} ms {_met(_p95(one['asked']) <= SERVER_MS):6}")
        out.append(f"{one['view']:8} " + "  ".join(parts))
    return [*out, f"times: empty and large vault, and their ratio (aim {RATIO}); {BYTES:,} bytes; {SERVER_MS:.0f} ms"]


def _lived(browser: Browser, server: Server, minutes: float) -> list[str]:
    """The server beside a live tab, from a minute after its begin (or a tenth of the time) to the end."""
    page = browser.new_page()
    Tab(page, server).sign_in(link_of(server))
    until, seen = time.monotonic() + 60 * minutes, [_taken(server)]
    warm = time.monotonic() + min(60.0, 6 * minutes)
    while time.monotonic() < until:
        page.wait_for_timeout(2000)
        ledger.append(server.home.state, "hook", time.time(), event="prompt", host="claude-code", us=900)
        seen = [*seen, _taken(server)] if time.monotonic() > warm else [_taken(server)]
    page.close()
    (memory, sockets), (last, at_end) = seen[0], seen[-1]
    return [
        f"a live tab for {minutes:g} minutes, {len(seen)} looks: "
        f"memory {memory / 1e6:.0f} to {last / 1e6:.0f} MB {_met(last <= memory * GROWTH)}, "
        f"connections {sockets} to {at_end} {_met(at_end <= sockets)}, at most {max(one for _, one in seen)}"
    ]


def _taken(server: Server) -> tuple[int, int]:
    """Bytes that are resident, and open sockets."""
    process = f"/proc/{server.process.pid}"
    pages = int(Path(f"{process}/statm").read_text().split()[1])
    sockets = 0
    for name in os.listdir(f"{process}/fd"):
        try:
            sockets += os.readlink(f"{process}/fd/{name}").startswith("socket:")
        except OSError:
            continue  # closed meanwhile
    return pages * os.sysconf("SC_PAGE_SIZE"), sockets


if __name__ == "__main__":
    main()
