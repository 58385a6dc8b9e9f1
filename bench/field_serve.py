"""A server asked by one client and by many at once: how long the answers take, and the memory it needs and keeps."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support import ROOT

TARGET = 15
WARMING = 20


def measured(vault: str, size: int, asked: Sequence[str], clients: int, seconds: float) -> dict[str, Any]:
    """`asked` are the questions; every client asks them in an order of its own."""
    home = Path(vault).parent / "home"
    home.mkdir()
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "HOLDFAST_HOME": vault, "PYTHONPATH": str(ROOT / "src")}
    env["OPENBLAS_NUM_THREADS"] = "1"
    holdfast = [sys.executable, "-m", "holdfast"]
    subprocess.run([*holdfast, "rebuild"], env=env, cwd=home, check=True, capture_output=True)
    with subprocess.Popen([*holdfast, "serve", "--port", "0"], env=env, cwd=home, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout
            port = int(re.findall(r":(\d+)", server.stdout.readline().decode())[0])
            token = Path(vault, ".state/serve.token").read_text().strip()
            _asked(port, token, asked[:WARMING])
            before = _memory(server.pid, "VmRSS")
            alone = _asked(port, token, asked, seconds)
            together = _by_many(port, token, asked, clients, seconds)
            peak, after = _memory(server.pid, "VmHWM"), _memory(server.pid, "VmRSS")
        finally:
            server.terminate()
    return {
        "size": size,
        "clients": clients,
        "p50_ms": _part(alone, 0.5),
        "p99_ms": _part(alone, 0.99),
        "many_p50_ms": _part(together, 0.5),
        "many_p99_ms": _part(together, 0.99),
        "alone": len(alone),
        "together": len(together),
        "per_s": len(alone) / seconds,
        "many_per_s": len(together) / seconds,
        "before_mb": before,
        "peak_mb": peak,
        "after_mb": after,
    }


def _asked(port: int, token: str, asked: Sequence[str], seconds: float = 0.0) -> list[float]:
    """Seconds of each answer; every question once, or again and again for some seconds."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    head = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    times: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until if seconds else len(times) < len(asked):
        began = time.perf_counter()
        line.request("POST", "/retrieve", json.dumps({"query": asked[len(times) % len(asked)]}), head)
        answer = line.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"the server answered {answer.status}")
        times.append(time.perf_counter() - began)
    return times


def _by_many(port: int, token: str, asked: Sequence[str], clients: int, seconds: float) -> list[float]:
    times: list[float] = []

    def ask(nth: int) -> None:
        times.extend(_asked(port, token, random.Random(nth).sample(asked, len(asked)), seconds))

    threads = [threading.Thread(target=ask, args=(nth,)) for nth in range(clients)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return times


def _memory(pid: int, what: str) -> float:
    """Megabytes of a process, as the kernel tells them."""
    found = re.search(rf"{what}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def _part(times: list[float], share: float) -> float:
    return 1000 * sorted(times)[min(len(times) - 1, int(len(times) * share))]


def lines(found: Sequence[dict[str, Any]]) -> list[str]:
    from holdfast.serve import service  # here: every process of bench/field.py would load the framework, and pay for it

    said = [
        f"a server asked by one client and by {found[0]['clients']}; {service.AT_WORK} questions are answered at once"
    ]
    for one in found:
        ratio, to_median = one["many_p99_ms"] / one["p99_ms"], one["many_p99_ms"] / one["p50_ms"]
        said += [
            f"  {one['size']:>7,} notes: one {one['p50_ms']:.0f} ms, p99 {one['p99_ms']:.0f} ms, {one['per_s']:.0f}/s;"
            f" many {one['many_p50_ms']:.0f} ms, p99 {one['many_p99_ms']:.0f} ms, {one['many_per_s']:.0f}/s",
            f"  {'':>7}        p99 {ratio:.1f} x that of one (target {TARGET}), {to_median:.1f} x"
            f" its median, of {one['alone']:,} and {one['together']:,} answers; "
            f"{one['before_mb']:.0f} MB before, {one['peak_mb']:.0f} at most, {one['after_mb']:.0f} after",
        ]
    return said
