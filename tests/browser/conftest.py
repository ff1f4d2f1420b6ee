"""The dashboard in a real browser: Debian's Chromium over the example that `almanac demo` serves."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Frame, Page, StorageState, expect, sync_playwright

from tests.integration.local import server_process
from tests.integration.local.server_process import ALMANAC

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
KEPT = Path(".pytest_cache") / "pages"
"""Where pictures of what was seen are kept, for a person to look at."""
PATIENT_MS = 60_000
"""How long a page is waited for: what a busy machine needs. How soon a change is seen is measured over many changes."""


@dataclass(frozen=True)
class Example:
    """A server of the example. `run` runs the command line over its data folder."""

    url: str
    folder: Path

    def run(self, *arguments: str, **more: str) -> str:
        command = [str(ALMANAC), *arguments, "--data", str(self.folder)]
        environment = server_process.environment(**more)
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    def sign_in_address(self) -> str:
        return self.run("open", "--print", "--url", self.url).strip()

    def call(self, tool: str, *arguments: str) -> str:
        """Call a tool as an agent's client would."""
        return self.run("call", tool, *arguments, "--url", f"{self.url}/mcp")

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a method of MCP, asked for with the example's key."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        key = (self.folder / "api-key").read_text().strip()
        headers = {"content-type": "application/json", "x-api-key": key, "mcp-protocol-version": "2025-11-25"}
        with urlopen(Request(f"{self.url}/mcp", body, headers)) as answer:
            return json.loads(answer.read())["result"]


@dataclass
class Tab:
    """A page of the browser.

    `complaints` are problems that the browser itself reports: violations of the content policy, script errors and
    failed answers. `foreign` are requests to other servers.
    """

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list[str])
    foreign: list[str] = field(default_factory=list[str])

    def go(self, path: str) -> None:
        answer = self.page.goto(self.url + path)
        assert answer is not None
        assert answer.status == 200, (path, answer.status)


Theme = Literal["dark", "light"]
OpenTab = Callable[..., Tab]


@pytest.fixture(scope="session")
def example() -> Generator[Example]:
    with server_process.run_server([ALMANAC, "demo", "--port", "0"]) as server:
        folder = re.search(r"^Data: (\S+)", server.announced, re.MULTILINE)
        assert folder is not None
        parts = urlsplit(server.url)
        yield Example(f"{parts.scheme}://{parts.netloc}", Path(folder[1]))


@pytest.fixture(scope="session")
def chromium() -> Generator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing: make tools installs it.")
        pytest.skip("Chromium is missing: make tools, or apt-get install chromium")
    expect.set_options(timeout=PATIENT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def signed_in_state(chromium: Browser, example: Example) -> StorageState:
    """The cookie of a browser that was opened by `almanac open`."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(example.sign_in_address())
    page.wait_for_url(f"{example.url}/ui/")
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def open_tab(chromium: Browser, example: Example, signed_in_state: StorageState) -> Generator[OpenTab]:
    """Opens a tab of a browser context of its own; with `signed=False` of a stranger's."""
    with ExitStack() as contexts:

        def open_tab_with(
            *, signed: bool = True, theme: Theme = "light", script: bool = True, width: int = 1280, height: int = 900
        ) -> Tab:
            context = chromium.new_context(
                storage_state=signed_in_state if signed else None,
                color_scheme=theme,
                java_script_enabled=script,
                viewport={"width": width, "height": height},
                reduced_motion="reduce",
            )
            contexts.callback(context.close)
            tab = Tab(context.new_page(), example.url)
            # A page asks for itself whenever it hears of a change. A request that a test answers must end while the
            # context is open: if it fails later, Playwright raises its error in the next test.
            contexts.callback(tab.page.unroute_all, behavior="wait")
            tab.page.set_default_timeout(PATIENT_MS)
            tab.page.on("console", lambda said: tab.complaints.append(said.text) if said.type == "error" else None)
            tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
            tab.page.on("request", lambda sent: None if _is_own(sent.url, tab.url) else tab.foreign.append(sent.url))
            return tab

        yield open_tab_with


def _is_own(address: str, url: str) -> bool:
    return address.startswith((f"{url}/", "data:"))


def violations(page: Page | Frame) -> list[str]:
    """Return the problems of accessibility that axe finds."""
    page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate("axe.run()")["violations"]
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found]


def keep(tab: Tab, path: str, how: str) -> None:
    name = path.removeprefix("/ui/").replace("/", "-").replace("?", "-").replace("=", "-").replace("&", "-") or "today"
    KEPT.mkdir(parents=True, exist_ok=True)
    tab.page.screenshot(path=KEPT / f"{name}-{how}.png", full_page=True)
