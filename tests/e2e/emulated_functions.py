"""Functions of the deployed stack that queues and streams feed: their mappings, and the processes that run them.

The emulator runs each function in a process of its own, which tells by its environment which one it is.
"""

# boto3 carries no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import os
import signal
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.local_stack import SYSTEM, Stack

PROCESSES = Path("/proc")
_SEEN_SECONDS = 5


class Fed:
    """A function that a queue or a stream feeds, by its name after the stack's, such as reactions."""

    def __init__(self, stack: Stack, name: str) -> None:
        self._lambda = stack.client("lambda")
        self._name = f"{SYSTEM}-{name}"
        self._endpoint = stack.endpoint

    def kill(self) -> bool:
        """Ends the processes that run it with SIGKILL. True where one of them was at work, so that its batch failed."""
        if self._has_failed():
            return False  # the last batch, and none since
        killed: list[set[int]] = []
        ends = time.monotonic() + _SEEN_SECONDS
        while time.monotonic() < ends:
            if killed and self._has_failed():
                return True
            # One that begins in place of an idle one was started by a batch, so it is at work.
            begun = set(self._processes()).difference(*killed)
            if begun and len(killed) < 2:
                for process in begun:
                    os.kill(process, signal.SIGKILL)
                killed.append(begun)
            time.sleep(0.05)
        return False

    def _has_failed(self) -> bool:
        mappings = self._lambda.list_event_source_mappings()["EventSourceMappings"]
        (result,) = [
            each["LastProcessingResult"] for each in mappings if each["FunctionArn"].endswith(f":{self._name}")
        ]
        return result == "FAILED"

    def _processes(self) -> Iterator[int]:
        for entry in PROCESSES.glob("[0-9]*/environ"):
            try:
                settings = entry.read_bytes().decode(errors="replace").split("\0")
            except OSError:  # it has ended, or is somebody else's
                continue
            runs_it = f"AWS_LAMBDA_FUNCTION_NAME={self._name}" in settings
            if runs_it and f"AWS_ENDPOINT_URL={self._endpoint}" in settings:
                yield int(entry.parent.name)


class StackQueue:
    """One of the stack's queues, such as events.fifo: how much lies in it, and how long a failed message waits."""

    def __init__(self, stack: Stack, name: str) -> None:
        self._sqs = stack.client("sqs")
        self._url: str = self._sqs.get_queue_url(QueueName=f"{SYSTEM}-{name}")["QueueUrl"]

    def count_waiting(self) -> int:
        """Return the number of messages in a queue, including those received and not yet deleted."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        counts = self._sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=names)["Attributes"]
        return sum(int(count) for count in counts.values())

    @contextmanager
    def repeat_after(self, seconds: int) -> Generator[None]:
        """Meanwhile a failed message comes again after so long, instead of the minutes that the template gives."""
        asked = self._sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=["VisibilityTimeout"])
        self._sqs.set_queue_attributes(QueueUrl=self._url, Attributes={"VisibilityTimeout": str(seconds)})
        try:
            yield
        finally:
            self._sqs.set_queue_attributes(QueueUrl=self._url, Attributes=asked["Attributes"])
