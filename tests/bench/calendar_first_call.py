"""The first call of a process: `calendar_first_call.py TOOL`, with the folder of the store and the arguments on
standard input; milliseconds of CPU out. What the process imports before is not counted."""

import marshal
import sys
import time
from pathlib import Path

from calendar_agent import Agent
from calendar_year import open_store


def main() -> None:
    folder, arguments = marshal.load(sys.stdin.buffer)
    agent = Agent(open_store(Path(folder)))
    began = time.process_time()
    agent.do(sys.argv[1], **arguments)
    marshal.dump({"ms": (time.process_time() - began) * 1000}, sys.stdout.buffer)


main()
