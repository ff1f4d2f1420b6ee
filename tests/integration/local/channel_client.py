"""A client that runs `almanac channel` as Claude Code does, and a network between the two that can be cut."""

import json
import re
import socket
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.integration.local.server_process import ALMANAC, Server, environment, run_server

Json = dict[str, Any]
_NAME = re.compile(r"\b[bm]-\d+")


class ChannelClient:
    """A client of the channel. `seen` has attributes, content and arrival of each notice."""

    def __init__(self, url: str, key: str, data: Path) -> None:
        self.seen: list[tuple[Json, str, float]] = []
        self._command = [str(ALMANAC), "channel", "--url", url, "--data", str(data)]
        self._key = key
        self._changed = threading.Condition()
        self.answers: dict[int, Json] = {}
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(ALMANAC_API_KEY=self._key),
        )
        self._reading = threading.Thread(target=self._read, args=(self.process,))
        self._reading.start()
        about = {"name": "claude-code", "version": "2.1.240"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
        self.put(self.process, id=1, method="initialize", params=hello)
        self.put(self.process, method="notifications/initialized")

    def restart(self) -> None:
        """Kill the bridge at once, wherever it is, and run another."""
        self.process.kill()
        self.end()
        self.start()

    def stop(self) -> int:
        """Close its input, and return how it ended."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.end()

    def end(self) -> int:
        status = self.process.wait(timeout=20)
        self._reading.join()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
        return status

    def put(self, process: subprocess.Popen[bytes], **message: Any) -> None:
        assert process.stdin is not None
        with suppress(OSError, ValueError):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()

    def call(self, number: int, name: str, **arguments: Any) -> Json:
        self.put(self.process, id=number, method="tools/call", params={"name": name, "arguments": arguments})
        with self._changed:
            assert self._changed.wait_for(lambda: number in self.answers, 30)
        return self.answers[number]

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            message = json.loads(line)
            with self._changed:
                if message.get("method") == "notifications/claude/channel":
                    params = message["params"]
                    self.seen.append((params["meta"], params["content"], time.monotonic()))
                elif "result" in message or "error" in message:
                    self.answers[message["id"]] = message
                self._changed.notify_all()
            if message.get("method") == "ping":
                self.put(process, id=message["id"], result={})

    def wait(self, wanted: set[str], attribute: str = "id", seconds: float = 60) -> set[str]:
        """Wait until all notices have come, and return the missing ones."""
        with self._changed:
            self._changed.wait_for(lambda: wanted <= self._seen_values(attribute), seconds)
            return wanted - self._seen_values(attribute)

    def at(self, id_: str) -> float:
        """When it was told first."""
        return next(at for meta, _, at in self.seen if meta["id"] == id_)

    def names(self) -> list[str]:
        """Return the first word of each notice's content, such as b-7 or m-7."""
        return [found[0] for _, content, _ in self.seen if (found := _NAME.search(content))]

    def wait_for_names(self, wanted: set[str], seconds: float = 60) -> set[str]:
        """Wait for notices by their names, and return the missing ones."""
        with self._changed:
            self._changed.wait_for(lambda: wanted <= set(self.names()), seconds)
            return wanted - set(self.names())

    def _seen_values(self, attribute: str) -> set[str]:
        return {meta[attribute] for meta, _, _ in self.seen if attribute in meta}


class Network:
    """A proxy to a port that a test can cut. Open connections break, and no new ones succeed until `mend`."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._is_cut = False
        self.port = self._listening.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def cut(self) -> None:
        self._is_cut = True
        for each in list(self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._is_cut = False

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self.cut()
        for each in self._threads:
            each.join()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.socket()
                if self._is_cut or far.connect_ex(("127.0.0.1", self._to)):
                    near.close()
                    far.close()
                    continue
                self._open |= {near, far}
                for pair in ((near, far), (far, near)):
                    self._threads.append(threading.Thread(target=self._carry, args=pair))
                    self._threads[-1].start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
        self._open.discard(source)
        source.close()


@contextmanager
def channel_client(url: str, key: str, data: Path) -> Generator[ChannelClient]:
    client = ChannelClient(url, key, data)
    try:
        yield client
    finally:
        if client.process.poll() is None:
            client.process.kill()
            client.end()


class KillableServer(ExitStack):
    """A server that a test can kill, and start again at the same port over the same folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder, self.port = folder, 0
        self.start()

    def start(self) -> None:
        command = [ALMANAC, "serve", "--port", str(self.port), "--data", self._folder]
        self.server: Server = self.enter_context(run_server(command))
        self.port = self.server.port

    def kill(self) -> None:
        self.server.process.kill()
        self.close()
