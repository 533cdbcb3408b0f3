"""Score all clips of a manifest into scores.csv, without a server."""

from __future__ import annotations

import csv
import json
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from judge.problems import ClipRefusal, Misconfigured
from judge.schemas import SCORE_COLUMNS, ClipScore, ScoreQuery
from judge.server.batching import Batcher, Budget, ClipUnanswered
from judge.server.engine import ModelReading
from judge.server.judging import Judge, ScoreRequest

Row = dict[str, str]
Pending = Future[tuple[ScoreRequest, Future[ModelReading]]]
# Clips decoded ahead of the device, per clip in a batch.
AHEAD = 3


def read(path: Path) -> list[Row]:
    """Read a manifest's rows, each with `clip`; manifests from the platform name that column `file`."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [{name: (value or "").strip() for name, value in row.items() if name} for row in csv.DictReader(file)]
    clips = [{**row, "clip": row.get("clip") or row.get("file", "")} for row in rows]
    if not clips or not all(row["clip"] for row in clips):
        raise Misconfigured(f"{path} must have a row for each clip, with its file in the column 'file' or 'clip'.")
    return clips


def score(judge: Judge, rows: Sequence[Row], root: Path, budget: Budget) -> Iterator[dict[str, str]]:
    """Yield a row of scores.csv for each row and profile, in order; clips without a score have an error."""
    batcher = Batcher(judge.engine, budget)
    with ThreadPoolExecutor(os.cpu_count() or 1) as decoders:

        def ask(row: Row, profile: str) -> tuple[ScoreRequest, Future[ModelReading]]:
            language, sha256 = row.get("language", ""), row.get("sha256", "").lower()
            query = ScoreQuery(profile=profile, language=language, sha256=sha256, length=None, seconds=None)
            question = judge.question((root / row["clip"]).read_bytes(), query)
            return question, batcher.submit(question.prepared)

        waiting: deque[tuple[Row, str, Pending]] = deque()
        for row in rows:
            for profile in judge.profiles:
                waiting.append((row, profile, decoders.submit(ask, row, profile)))
                if len(waiting) > AHEAD * budget.clips:
                    yield _row(judge, *waiting.popleft())
        while waiting:
            yield _row(judge, *waiting.popleft())
    batcher.close()


def write(path: Path, rows: Iterator[dict[str, str]]) -> tuple[int, int]:
    """Write scores.csv completely or not at all; return the numbers of clips scored and refused."""
    part, scored, refused = path.with_name(f"{path.name}.part"), 0, 0
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, SCORE_COLUMNS, restval="")
        writer.writeheader()
        for row in rows:
            writer.writerow(row)
            scored, refused = scored + (not row["error"]), refused + bool(row["error"])
    part.replace(path)
    return scored, refused


def _row(judge: Judge, row: Row, profile: str, pending: Pending) -> dict[str, str]:
    fields = {"clip": row["clip"], "metric": f"hls:{profile}", "value": "", "error": "", **_origin(judge, profile)}
    try:
        question, answer = pending.result()
        return fields | _scored(judge.score(question, answer.result()))
    except ClipRefusal as error:
        return fields | {"error": error.code, "message": error.message}
    except OSError as error:
        return fields | {"error": "missing", "message": f"The file can't be read ({error.strerror})."}
    except ClipUnanswered as error:
        if error.code == "device_failed":
            raise
        return fields | {"error": error.code, "message": error.message}


def _scored(score: ClipScore) -> dict[str, str]:
    return {
        "value": f"{score.hls:.6f}",
        "warnings": "|".join(score.warnings),
        "label_mass": f"{score.label_mass:.6g}",
        "probabilities": _json(score.probabilities),
        "log_probabilities": _json(score.log_probabilities),
        "seconds": f"{score.seconds:.3f}",
        "audio_sha256": score.audio_sha256,
        "pcm_sha256": score.pcm_sha256,
    }


def _origin(judge: Judge, profile: str) -> dict[str, str]:
    fields = judge.origin(judge.profiles[profile]).model_dump()
    return {name: _json(value) if isinstance(value, dict) else str(value) for name, value in fields.items()}


def _json(values: Mapping[str, Any]) -> str:
    rounded = {name: round(value, 6) if isinstance(value, float) else value for name, value in values.items()}
    return json.dumps(rounded, ensure_ascii=False)
