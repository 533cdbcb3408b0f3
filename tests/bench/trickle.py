"""The slow clients' process: connections that send or read next to nothing; standard library alone, JSON in and out."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections import Counter
from typing import Any

from tests.bench.wire import URL, Wire

# What a poor line takes in a second, and how often a sender sends one byte.
BYTES_A_SECOND, PAUSE = 15_000, 0.5


class Client:
    """One connection, opened again as soon as the server hangs up."""

    def __init__(self, port: int, beginning: bytes, *, reads: bool) -> None:
        self.port, self.beginning, self.reads = port, beginning, reads
        self.seen: Counter[str] = Counter()

    def work(self, until: float) -> None:
        while time.monotonic() < until:
            try:
                with socket.socket() as client:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
                    client.settimeout(max(0.1, until - time.monotonic()))
                    client.connect(("127.0.0.1", self.port))
                    client.sendall(self.beginning)
                    self.seen["connections"] += 1
                    while time.monotonic() < until:
                        (self.read if self.reads else self.send)(client)
            except OSError:
                self.seen["hung up on or not answered"] += 1
                time.sleep(0.1)

    def send(self, client: socket.socket) -> None:
        client.send(b"a")
        time.sleep(PAUSE)

    def read(self, client: socket.socket) -> None:
        left = BYTES_A_SECOND
        while left > 0:
            data = client.recv(left)
            if not data:
                raise ConnectionError
            left -= len(data)
            self.seen["bytes read"] += len(data)
        time.sleep(1)


def beginnings(task: dict[str, Any]) -> list[tuple[bytes, bool]]:
    """Return what each client sends first, and whether it reads afterwards."""
    place = f"/rate/{task['slug']}/".encode()
    head = b"POST " + place + b"consent/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    senders = [head + b"X-Long: a", head + b"Content-Length: 1000000\r\n\r\n"]
    found = [(senders[number % 2], False) for number in range(task["senders"])]
    for cookie in task["cookies"]:
        end = f" HTTP/1.1\r\nHost: 127.0.0.1:{task['port']}\r\nCookie: earshot_rater={cookie}\r\n\r\n".encode()
        _status, page = Wire("127.0.0.1", task["port"]).ask(b"GET " + place + b"trial/" + end)
        url = URL.search(page[max(0, page.find(b'id="progress"')) :])
        assert url, "the page shows no trial"
        found.append((b"GET " + url[1] + end, True))
    return found


def main() -> None:
    task = json.loads(sys.stdin.readline())
    clients = [Client(task["port"], beginning, reads=reads) for beginning, reads in beginnings(task)]
    until = time.monotonic() + task["seconds"]
    threads = [threading.Thread(target=client.work, args=[until]) for client in clients]
    for thread in threads:
        thread.start()
    sys.stdout.write("there\n")
    sys.stdout.flush()
    for thread in threads:
        thread.join()
    json.dump(sum((client.seen for client in clients), Counter()), sys.stdout)


if __name__ == "__main__":
    main()
