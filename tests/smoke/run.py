"""Check the deployment at ALMANAC_URL with ALMANAC_API_KEY: `run.py [--stack NAME] [--disturb]`, or `make smoke`.

Prints a line for each check: ok, skip with the reason, or FAIL with the result and a remedy. Exit status 1 if a check
failed, 2 if the address or the key is missing.
"""

import argparse
import os
import sys
import time

from tests.smoke.check import perform
from tests.smoke.deployment import deployment
from tests.smoke.refusals import REFUSALS
from tests.smoke.tenants import TENANTS
from tests.smoke.work import WORK


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--stack", default="", help="The stack's name, for what an operator can check.")
    options.add_argument("--disturb", action="store_true", help="Stop the function time for some seconds.")
    chosen = options.parse_args()
    url, key = os.environ.get("ALMANAC_URL", ""), os.environ.get("ALMANAC_API_KEY", "")
    if not url or not key:
        options.error("Say which deployment, and by which key: make smoke URL=https://.../mcp KEY=alm_...")
    feed_url = os.environ.get("ALMANAC_FEED_URL") or None
    at = deployment(url, key, feed_url, chosen.stack, disturbs=chosen.disturb)
    started = time.monotonic()
    counts = perform((*REFUSALS, *WORK, *TENANTS), at, lambda line: print(line, flush=True))
    taken = time.monotonic() - started
    print(f"{counts.passed} ok, {counts.skipped} skipped, {counts.failed} failed in {taken:.0f} s")
    return 1 if counts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
