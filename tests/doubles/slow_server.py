"""A server that sends an endless answer bit by bit, until the client has gone."""

import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Event, Thread


class DrippingServer:
    """Sends `first` at once, then `drip` every `seconds`. `connections` counts the clients."""

    def __init__(self, first: bytes, drip: bytes, seconds: float) -> None:
        self.first = first
        self.drip = drip
        self.seconds = seconds
        self.connections = 0
        self._over = Event()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._threads = [Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def port(self) -> int:
        return self._listening.getsockname()[1]

    def close(self) -> None:
        self._over.set()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(10)

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            self._threads.append(Thread(target=self._serve, args=(client,), daemon=True))
            self._threads[-1].start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            client.sendall(self.first)
            while not self._over.wait(self.seconds):
                client.sendall(self.drip)


@contextmanager
def serve_slowly(first: bytes = b"", drip: bytes = b"x", seconds: float = 0.05) -> Generator[DrippingServer]:
    server = DrippingServer(first, drip, seconds)
    try:
        yield server
    finally:
        server.close()
