"""Ports for servers that need to know theirs before they start."""

import socket


def reserve_port() -> int:
    """Return a free port that the operating system assigns to no other program for a minute.

    The port has just closed a connection from the server's side. Such a port can be bound by number, but the system
    does not pick it for programs that ask for any port. So suites that run side by side do not take it from each other
    before the server is up.
    """
    with socket.socket() as listener, socket.socket() as client:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        client.connect(listener.getsockname())
        accepted, _ = listener.accept()
        accepted.close()
        return listener.getsockname()[1]
