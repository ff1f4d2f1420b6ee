"""Take pictures of the dashboard for README and docs, from the example that `almanac demo` serves: `make pictures`."""

import re
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

ALMANAC = Path(sys.executable).with_name("almanac")
FOLDER = Path("docs") / "pictures"
PAGES = {"today": "/ui/", "calendar": "/ui/calendar", "board": "/ui/board", "memory": "/ui/memory?q=webhook+retries"}
WIDTH, HEIGHT = 1160, 720
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def _example() -> Generator[tuple[str, str]]:
    """Serve the example and yield its address and its data folder."""
    command = [ALMANAC, "demo", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own program
        said = ""
        for line in process.stdout or ():
            said += line
            if line.startswith("Stop with"):
                break
        url, data = re.search(r"is ready at (\S+)/mcp", said), re.search(r"^Data: (\S+)", said, re.MULTILINE)
        try:
            if url is None or data is None:
                sys.exit("The example did not start.")
            yield url[1], data[1]
        finally:
            process.terminate()


def main(browser: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with _example() as (url, data), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        command = [ALMANAC, "open", "--print", "--url", url, "--data", data]
        opened = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own program
        context = chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce")
        page = context.new_page()
        page.goto(opened.stdout.strip())
        page.wait_for_url(f"{url}/ui/")
        for name, path in PAGES.items():
            page.goto(url + path)
            page.screenshot(path=FOLDER / f"{name}.png")
        chromium.close()


if __name__ == "__main__":
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    main(found) if found else sys.exit("Chromium is missing: make tools")
