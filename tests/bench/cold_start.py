"""One cold start: `cold_start.py SERVER`, in a process of its own, with one request on standard input.

Imports nothing that an interpreter has not loaded anyway, so that what the server needs is counted as the server's.
"""

import marshal
import os
import sys
import time


def resident_megabytes() -> float:
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    raise OSError("/proc/self/status has no VmRSS")


def main() -> None:
    # What a server logs belongs to its cost, but not among the figures.
    figures_out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    body, headers = marshal.load(sys.stdin.buffer)
    began = time.process_time()
    server = __import__(f"servers.{sys.argv[1]}", fromlist=["prepare"])
    imported = time.process_time()
    megabytes = resident_megabytes()
    call = server.prepare(body, headers)
    before = time.process_time()
    answer = call()
    answered = time.process_time()
    figures = {
        "import_ms": (imported - began) * 1000,
        "first_call_ms": (answered - before) * 1000,
        "import_mb": megabytes,
        "called_mb": resident_megabytes(),
        "answer": server.text(answer),
    }
    marshal.dump(figures, figures_out)
    figures_out.close()


main()
