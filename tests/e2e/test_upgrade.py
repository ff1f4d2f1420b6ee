"""Deploying again over a stack at work, as an operator does with a new version."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from secrets import token_hex

import httpx2
import pytest

from tests.e2e.deploy_local import deployments
from tests.e2e.emulator_gaps import ENDED_AUTHORIZER, ENDED_CALL
from tests.e2e.local_stack import SYSTEM, Stack
from tests.e2e.target import Target


@contextmanager
def _call_repeatedly(at: Target, tool: str, arguments: dict[str, str]) -> Generator[Counter[str]]:
    """Call without pause, and count the outcomes."""
    answers: Counter[str] = Counter()
    ended = threading.Event()

    def call() -> None:
        while not ended.is_set():
            answers[_outcome(at.post("tools/call", params={"name": tool, "arguments": arguments}))] += 1

    caller = threading.Thread(target=call)
    caller.start()
    try:
        yield answers
    finally:
        ended.set()
        caller.join()


def _outcome(answer: httpx2.Response) -> str:
    """Return `done`, `ended` if the emulator ended the call, or the answer."""
    error_type = answer.headers.get("x-amzn-errortype", "")
    if ENDED_CALL in answer.text or error_type == ENDED_AUTHORIZER:
        return "ended"
    done = answer.status_code == 200 and not answer.json().get("result", {"isError": True}).get("isError")
    return "done" if done else f"{answer.status_code} {error_type} {answer.text}"


@pytest.fixture
def stack(at: Target) -> Stack:
    if at.stack is None:
        pytest.skip("only the stack is deployed from here")
    return at.stack


def test_requests_are_answered_while_the_stack_is_deployed_again(at: Target, stack: Stack):
    note = f"before {token_hex(6)}"
    at.ask("notes_create", title=note, body="kept")

    with _call_repeatedly(at, "notes_search", {"q": note}) as answers:
        again = stack.deploy_again("LogLevel=WARNING")

    assert again == stack
    # One call at a time goes through two functions, each of which is changed once.
    assert answers.pop("ended", 0) <= 2
    assert set(answers) == {"done"}
    assert note in str(at.ask("notes_search", q=note))


def test_who_works_at_the_emulator_is_told_of_a_stack_that_is_deployed_again(stack: Stack):
    formation = stack.client("cloudformation")
    known = deployments(formation)
    assert {system for system, _ in known} == {SYSTEM}

    stack.deploy_again("LogLevel=ERROR")

    assert {system for system, _ in deployments(formation) - known} == {SYSTEM}
