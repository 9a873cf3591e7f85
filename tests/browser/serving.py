"""Start the app, or any Streamlit script, on a free port, and open it in Debian's Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"]


@contextmanager
def served(script: Path = ROOT / "app.py", environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Serve a Streamlit script and yield its address; the server has ended when the block has."""
    with serving(script, environment) as (address, _):
        yield address


@contextmanager
def serving(
    script: Path = ROOT / "app.py", environment: Mapping[str, str] | None = None, log: int = subprocess.DEVNULL
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Serve a Streamlit script and yield its address and its process, whose log goes to the file `log`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1"]
    server = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PE_STORE": "", **(environment or {})},  # a run that is kept would not be trained again
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(address, server)
        yield address, server
    finally:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:  # one that has just begun to measure the machine ends when it has done so
            server.kill()
            server.wait()


def wait_until_healthy(address: str, server: "subprocess.Popen[bytes]", *, timeout: float = 60.0) -> None:
    """Return once the server answers; raise `RuntimeError` if it ends or stays silent."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if server.poll() is not None:
            raise RuntimeError(f"the server ended with status {server.returncode}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise RuntimeError(f"the server did not answer within {timeout:.0f} s")


def chromium_path() -> str | None:
    """Return where Debian's Chromium, or another one on the path, is; None if there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def launched(*flags: str) -> Iterator[Browser]:
    """Yield a headless browser with further `flags`; raise `RuntimeError` if Chromium is not installed."""
    path = chromium_path()
    if path is None:
        raise RuntimeError("Chromium is not installed: on Debian, `apt-get install chromium`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*CHROMIUM_FLAGS, *flags])
        try:
            yield browser
        finally:
            browser.close()


def wait_until_idle(page: Page, *, timeout: float = 120_000) -> None:
    """Return once the page is connected and its script has run to the end."""
    page.wait_for_selector('[data-testid="stApp"][data-test-connection-state="CONNECTED"]', timeout=timeout)
    page.wait_for_timeout(200)  # a widget's change is sent with a short delay
    page.wait_for_selector('[data-test-script-state="notRunning"]', timeout=timeout)
