"""What comes back at Lambda's limits of size and time, from the built functions under the emulator."""

import json
import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import page
from emulated_cloud import at
from emulated_functions import function_as_built, sample
from lambda_emulator import Emulator, emulator

_QUOTES = '"' * 4000
"""A broadcast of nearly the 8 KB that one may have, written so that JSON in JSON in JSON makes eight of each two."""


def table(build: Path, environment: Mapping[str, str]) -> page.Table:
    """SystemExit where a limit is not answered as it should be."""
    return page.Table(
        "At Lambda's limits",
        "The team function as it was built. Where Lambda stops a function, API Gateway sends the answer that "
        "template.yaml has for its errors: JSON-RPC's form too, with a reference number. Memory has no limit under the "
        "emulator: Lambda ends a process that asks for more than the function has, which API Gateway answers in the "
        "same way. What can be shown here is the most that the process held after that answer and that request.",
        ["what happens", "answer", "ms"],
        [*_of_size(build, environment), *_of_time(build)],
    )


def _of_size(build: Path, environment: Mapping[str, str]) -> list[list[str]]:
    team = function_as_built(build, "TeamFunction", environment)
    with emulator(team) as one:
        for number in range(200):
            _call(one, "set_broadcast", key=f"large/{number}", value=_QUOTES)
        answer, answered = one.invoke(_request("get_broadcast", {}))
        cut = _cut(answer)
        much, refused = one.invoke(_request("get_broadcast", {"key": "a" * 4 * 1024 * 1024}))
        memory = one.peak_megabytes()
    return [
        [
            "more than an answer may hold: 200 broadcasts of 8 KB",
            f"200, the first {cut} and a cursor",
            _ms(answered),
        ],
        ["a request over 4 MiB", f"413, error {_error(much, 413)['code']}", _ms(refused)],
        ["the most memory held", f"{memory:.0f} MB of {team.megabytes}", ""],
    ]


def _of_time(build: Path) -> list[list[str]]:
    with _silent() as address:
        team = function_as_built(build, "TeamFunction", at(address))
        with emulator(team) as one:
            answer, gave_up = one.invoke(_request("get_broadcast", {}))
            said = json.loads(json.loads(answer)["body"])["result"]
            if not said["isError"] or gave_up > team.seconds * 1000:
                raise SystemExit(f"A silent store was not given up in time: {answer[:400]}")
            text = said["content"][0]["text"]
        with emulator(replace(team, seconds=2)) as one:
            answer, stopped = one.invoke(_request("get_broadcast", {}))
            listed, after = one.invoke(_request(None, {}))
            if "tools" not in json.loads(json.loads(listed)["body"])["result"]:
                raise SystemExit(f"There was no answer after a timeout: {listed[:400]}")
    return [
        [f"the store does not answer, {team.seconds} s to run", f"200, isError: {text}", _ms(gave_up)],
        ["the store does not answer, 2 s to run", f"none; Lambda says: {answer[:120].strip()}", _ms(stopped)],
        ["the next call, in a new process", "200, a result", _ms(after)],
    ]


@contextmanager
def _silent() -> Generator[str]:
    """The address of a server that takes connections and says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def _call(one: Emulator, tool: str, **arguments: Any) -> None:
    answer, _ = one.invoke(_request(tool, arguments))
    if json.loads(json.loads(answer)["body"])["result"].get("isError"):
        raise SystemExit(f"{tool} failed: {answer[:400]}")


def _request(tool: str | None, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The sample of the team's function, calling `tool`; listing the tools where there is none."""
    method = "tools/call" if tool else "tools/list"
    params = {"name": tool, "arguments": arguments} if tool else {}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    return sample("team_rest") | {"body": body}


def _cut(answer: str) -> int:
    """How many broadcasts of those that did not fit into an answer came with it."""
    told = json.loads(json.loads(answer)["body"])["result"]["structuredContent"]
    if not told.get("next_cursor"):
        raise SystemExit(f"Not cut: {answer[:400]}")
    return len(told["broadcasts"])


def _error(answer: str, status: int) -> dict[str, Any]:
    decoded = json.loads(answer)
    if decoded.get("statusCode") != status:
        raise SystemExit(f"Not answered with {status}: {answer[:400]}")
    return json.loads(decoded["body"])["error"]


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:,.0f}"
