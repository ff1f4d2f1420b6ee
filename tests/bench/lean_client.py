"""Clients of a server on keep-alive connections, with next to no work of their own: what they ask is ready-made.

Standard input has JSON: `port`, `pid` of the server, `seconds`, and for each client in `clients` the requests that it
sends one after another, again and again. Printed are `calls` per second, `cpu_us` that the server's process took for a
call, and `p50_ms` and `p99_ms` of an answer. Linux only.
"""

import json
import os
import select
import socket
import sys
import time
from itertools import cycle


class Client:
    def __init__(self, port: int, requests: list[str]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._requests = cycle([request.encode() for request in requests])
        self._heard = b""
        self._sent = 0.0

    def ask(self) -> None:
        self._heard = b""
        self._sent = time.perf_counter()
        self.socket.sendall(next(self._requests))

    def hear(self) -> float | None:
        """How long the answer took, in seconds; None while it is not whole."""
        self._heard += self.socket.recv(65536)
        head, found, body = self._heard.partition(b"\r\n\r\n")
        if not found or len(body) < int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]):
            return None
        if not head.startswith(b"HTTP/1.1 200 "):
            raise SystemExit(f"not answered: {self._heard.decode()}")
        return time.perf_counter() - self._sent


def cpu_seconds(process: int) -> float:
    with open(f"/proc/{process}/stat", encoding="ascii") as facts:
        fields = facts.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask_clients(clients: list[Client], seconds: float) -> list[float]:
    """How long each answer took."""
    ready = select.epoll()
    by_number = {client.socket.fileno(): client for client in clients}
    for number, client in by_number.items():
        ready.register(number, select.EPOLLIN)
        client.ask()
    taken: list[float] = []
    waiting, until = len(clients), time.perf_counter() + seconds
    while waiting:
        for number, _ in ready.poll(60):
            one = by_number[number].hear()
            if one is not None:
                taken.append(one)
                if time.perf_counter() < until:
                    by_number[number].ask()
                else:
                    waiting -= 1
    return sorted(taken)


def main() -> None:
    wanted = json.load(sys.stdin)
    clients = [Client(wanted["port"], requests) for requests in wanted["clients"]]
    ask_clients(clients, wanted["seconds"] / 4)
    begun, before = time.perf_counter(), cpu_seconds(wanted["pid"])
    taken = ask_clients(clients, wanted["seconds"])
    spent = cpu_seconds(wanted["pid"]) - before
    told = {
        "calls": len(taken) / (time.perf_counter() - begun),
        "cpu_us": spent / len(taken) * 1e6,
        "p50_ms": taken[len(taken) // 2] * 1000,
        "p99_ms": taken[int(len(taken) * 0.99)] * 1000,
    }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
