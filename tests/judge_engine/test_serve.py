"""The process: it drains when told to stop, and ends when its device has died."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from judge.problems import Misconfigured
from judge.server.__main__ import main
from judge.server.serve import DEVICE_FAILED, token_for
from tests.judge_engine.served import HELD
from tests.judge_engine.sounds import wav

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


class Server:
    """A started process and its address."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.url = process, f"http://127.0.0.1:{port}"

    def wait_until_ready(self) -> None:
        until = time.monotonic() + 300
        while time.monotonic() < until:
            assert self.process.poll() is None, "the server ended before it was ready"
            try:
                if httpx.get(f"{self.url}/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError("the server was never ready")

    def score(self, seed: int) -> httpx.Response:
        return httpx.post(f"{self.url}/v1/score", content=wav(1.0, seed), timeout=300)

    def wait_for_a_batch(self) -> None:
        assert self.process.stdout
        assert self.process.stdout.readline() == HELD

    def tell(self, word: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()


def started(command: list[str], port: int) -> Iterator[Server]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-m", *command], cwd=ROOT, env=environ, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            server = Server(process, port)
            server.wait_until_ready()
            yield server
        finally:
            process.kill()


@pytest.fixture
def held(folder: Path) -> Iterator[Server]:
    """Start a judge whose device waits for a word."""
    port = free_port()
    yield from started(["tests.judge_engine.served", str(folder), str(port)], port)


def test_told_to_stop_it_answers_what_it_took_and_ends_well(held: Server) -> None:
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(held.score, 1)
        held.wait_for_a_batch()
        others = [pool.submit(held.score, number) for number in (2, 3)]
        while "earshot_judge_in_flight 3.0" not in httpx.get(f"{held.url}/metrics").text:
            time.sleep(0.01)
        held.process.send_signal(signal.SIGTERM)
        threading.Thread(target=lambda: [held.tell("go") for _ in range(3)]).start()
        assert [answer.result().status_code for answer in (first, *others)] == [200, 200, 200]
    assert held.process.wait(60) == 0
    with pytest.raises(httpx.TransportError):
        held.score(4)


def test_a_dead_device_ends_the_process_so_that_a_supervisor_starts_another(held: Server) -> None:
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(held.score, 1)
        held.wait_for_a_batch()
        held.tell("break")
        assert answer.result().status_code == 503
        assert answer.result().json()["code"] == "device_failed"
    assert held.process.wait(60) == DEVICE_FAILED


def test_the_command_line_serves_a_model_to_those_who_have_the_token(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    secret = tmp_path / "token"
    secret.write_text("a long random text\n")
    monkeypatch.setenv("EARSHOT_JUDGE_TOKEN_FILE", str(secret))
    command = ["judge.server", "serve", "--model", str(folder), "--device", "cpu", "--port", str(port)]
    for server in started(command, port):
        assert server.score(1).status_code == 401
        headers = {"authorization": "Bearer a long random text"}
        answer = httpx.post(f"{server.url}/v1/score", content=wav(), headers=headers, timeout=300)
        assert answer.status_code == 200
        server.process.terminate()
        assert server.process.wait(60) == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "judge.example.org", "::"])
def test_others_are_never_let_in_without_a_token(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EARSHOT_JUDGE_TOKEN_FILE", raising=False)
    monkeypatch.delenv("EARSHOT_JUDGE_TOKEN", raising=False)
    with pytest.raises(Misconfigured, match="EARSHOT_JUDGE_TOKEN"):
        token_for(host)
    assert token_for("127.0.0.1") == token_for("localhost") == ""
    monkeypatch.setenv("EARSHOT_JUDGE_TOKEN", "secret")
    assert token_for(host) == "secret"


def test_a_problem_of_the_operators_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--model", str(tmp_path), "--device", "cpu"]) == 1
    assert main(["serve", "--model", str(tmp_path), "--profile", "auto-att-released"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    assert "holds no model" in told[0]
    assert "PROMPT.txt" in told[1]
