"""The tool as a plain function: what a call costs before anybody serves it."""

import json
from collections.abc import Callable
from typing import Any

import msgspec

from almanac.families.time.tools.instants import convert_timezone


def prepare(body: str, headers: dict[str, str]) -> Callable[[], Any]:
    arguments = json.loads(body)["params"]["arguments"]
    return lambda: convert_timezone(**arguments)


def text(answer: Any) -> str:
    return json.dumps({"result": msgspec.to_builtins(answer)})
