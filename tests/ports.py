"""Ports for servers that must be told theirs before they start."""

import socket


def reserved_port() -> int:
    """A free port that the system gives to nobody else for a minute.

    A port whose connection has just been closed from the server's side can be bound by name, yet is not picked for who
    asks for any: suites that run side by side do not take it from each other before the server is up.
    """
    with socket.socket() as listener, socket.socket() as client:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        client.connect(listener.getsockname())
        accepted, _ = listener.accept()
        accepted.close()
        return listener.getsockname()[1]
