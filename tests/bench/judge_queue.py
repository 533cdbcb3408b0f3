"""What senders see of a judge over HTTP, decoding included: `python -m tests.bench.judge_queue [--model DIR …]`.

Without `--model` it serves the tests' tiny model, which tells about queue and batches and nothing about a GPU.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import httpx
import uvicorn

from judge.profiles import load_all
from judge.server.app import ServerSettings, Service
from judge.server.batching import Budget
from judge.server.engine import Engine
from judge.server.judging import Judge
from judge.server.loading import load
from tests.bench.figures import spread
from tests.judge_engine import tiny
from tests.judge_engine.sounds import wav


async def senders(url: str, number: int, count: int, clips: list[bytes]) -> tuple[Counter[int], list[float], float]:
    """Let `number` senders post `count` clips in all, each the next when it is answered; 503 is sent again."""
    seen, took, left = Counter[int](), list[float](), iter(range(count))
    limits = httpx.Limits(max_connections=number)

    async def send(client: httpx.AsyncClient) -> None:
        for turn in left:
            began, status = time.perf_counter(), 503
            while status == 503:
                answer = await client.post("/v1/score", content=clips[turn % len(clips)])
                status = answer.status_code
                seen[status] += 1
                if status == 503:
                    await asyncio.sleep(0.05)
            took.append(time.perf_counter() - began)

    began = time.perf_counter()
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=600) as client:
        await asyncio.gather(*(send(client) for _ in range(number)))
    return seen, took, time.perf_counter() - began


def measure(judge: Judge, budget: Budget, queue: int, count: int, clips: list[bytes]) -> None:
    """Serve with one budget, and let more and more senders come."""
    for number in (1, 8, 32, 2 * queue):
        service = Service(judge, ServerSettings(queue=queue, budget=budget))
        server = uvicorn.Server(uvicorn.Config(service.app(), port=0, log_level="error", access_log=False))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        seen, took, seconds = asyncio.run(senders(f"http://127.0.0.1:{port}", number, count, clips))
        server.should_exit = True
        thread.join()
        text = service.metrics.text().decode()
        passes = next(
            float(line.split()[1]) for line in text.splitlines() if line.startswith("earshot_judge_batch_clips_count")
        )
        say(
            f"batches of at most {budget.clips}, {number} senders: {count / seconds:.1f} clips a second, "
            f"{spread(took)}; {count / passes:.1f} clips a pass; answers {dict(seen)}"
        )


def main() -> None:
    """Measure one clip a pass against batches."""
    told = argparse.ArgumentParser(prog="python -m tests.bench.judge_queue")
    told.add_argument("--model", type=Path)
    told.add_argument("--profile", action="append", default=[])
    told.add_argument("--clips", type=int, default=200)
    told.add_argument("--seconds", type=float, default=10.0)
    told.add_argument("--batch-clips", type=int, default=8)
    told.add_argument("--queue", type=int, default=32)
    chosen = told.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.model or tiny.write(Path(scratch))
        judge = Judge(Engine(load(folder), load_all(chosen.profile or ["att"]).values()))
        judge.engine.warm_up()
        loaded = judge.engine.loaded
        say(f"{loaded.device}, {loaded.dtype}, {chosen.clips} clips of {chosen.seconds:g} s, a queue of {chosen.queue}")
        clips = [wav(chosen.seconds, seed) for seed in range(16)]
        for most in (1, chosen.batch_clips):
            measure(judge, Budget(most, 16_384), chosen.queue, chosen.clips, clips)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
