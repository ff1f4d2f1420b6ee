"""What an engine needs for each of its inputs: `engine_speed.py ENGINE`, one of engines/."""

import marshal
import sys

from call_times import microseconds


def main() -> None:
    engine = __import__(f"engines.{sys.argv[1]}", fromlist=["calls"])
    figures = {
        name: {"understood": call() is not None, "us": microseconds(call, warm_up=3)}
        for name, call in engine.calls().items()
    }
    marshal.dump(figures, sys.stdout.buffer)


main()
