"""Serves the fixture family for a suite run by hand: `python -m tests.conformance.serve [PORT]`."""

import sys
import threading

from tests.conformance.everything.family import CALLER, endpoint
from tests.conformance.shim import serve_endpoint


def main() -> None:
    with serve_endpoint(endpoint(), CALLER, int(sys.argv[1]) if len(sys.argv) > 1 else 0) as url:
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
