"""Serves the fixture family for a suite run by hand: `python -m tests.conformance.serve [PORT]`."""

import sys
import threading

from tests.conformance.everything.family import CALLER, endpoint
from tests.conformance.shim import serving


def main() -> None:
    with serving(endpoint(), CALLER, int(sys.argv[1]) if len(sys.argv) > 1 else 0) as url:
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
