"""Warm calls: `warm_calls.py SERVER`, with a table of requests on standard input; microseconds per call out."""

import marshal
import os
import sys

from call_times import microseconds


def main() -> None:
    # What a server logs belongs to its cost, but not among the figures.
    figures_out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    server = __import__(f"servers.{sys.argv[1]}", fromlist=["prepare"])
    figures: dict[str, object] = {}
    for name, (body, headers) in marshal.load(sys.stdin.buffer).items():
        call = server.prepare(body, headers)
        answer = server.text(call())
        figures[name] = {"us": microseconds(call, calls=2000, warm_up=300, seconds=3), "answer": answer}
    marshal.dump(figures, figures_out)
    figures_out.close()


main()
