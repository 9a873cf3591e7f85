"""Start the app, or any Streamlit script, on a free port, and open it in Debian's Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.rest import settled
from tests.waiting import PATIENCE, until

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
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:  # one that has just begun to measure the machine ends when it has done so
            server.kill()
            server.wait()


def wait_until_healthy(address: str, server: "subprocess.Popen[bytes]") -> None:
    """Return once the server answers; raise `RuntimeError` if it ends."""

    def answers() -> bool:
        if server.poll() is not None:
            raise RuntimeError(f"the server ended with status {server.returncode}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE):
                return True
        except OSError:
            return False

    until(answers, "the server does not answer", every=0.05)


@contextmanager
def launched(*flags: str) -> Iterator[Browser]:
    """Yield a headless browser with further `flags`; raise `RuntimeError` if Chromium is not installed."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        raise RuntimeError("Chromium is not installed: run ./tests/programs.sh")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=[*CHROMIUM_FLAGS, *flags], timeout=1_000 * PATIENCE
        )
        try:
            yield browser
        finally:
            browser.close()


def wait_until_idle(page: Page, *, timeout: float = 1_000 * PATIENCE) -> None:
    """Return once the page is connected, has told its server what it had to tell, and its script has run to the end."""
    settled(page, timeout=timeout)
