"""Scoring of several clips in parallel."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import NamedTuple

from core.files import storage
from judge.client.contract import JudgeClient, Sound
from judge.problems import ClipRefusal, Misconfigured, Unavailable
from judge.schemas import ClipScore
from studies.clips.queries import Recording
from studies.imports.ingest.formats import MAGIC_BYTES, recognise
from studies.imports.ingest.problems import InvalidInput as NotAudio

# Seconds after which `goes_on` is checked even without an answer.
TICK = 10.0
# If the judge works but fails on one clip in these ways, the clip is the cause.
OF_THE_CLIP = frozenset({"out_of_memory", "timed_out"})


class JudgeAnswer(NamedTuple):
    """The result for one recording: a score, or an error code and message. `sent` names the file that was scored."""

    recording: Recording
    sent: str
    score: ClipScore | None = None
    code: str = ""
    message: str = ""


@dataclass
class ParallelScoring:
    """Scores recordings in parallel until they end, `goes_on` returns False, or the judge fails.

    Afterwards `trouble` contains the judge's failure, if any; recordings without an answer can be scored later.
    """

    judge: JudgeClient
    profile: str
    in_flight: int
    goes_on: Callable[[], bool]
    trouble: Unavailable | Misconfigured | None = None

    def answers(self, recordings: Iterable[Recording]) -> Generator[list[JudgeAnswer]]:
        """Yield answers as they arrive; an empty list if none has arrived for `TICK` seconds."""
        remaining = iter(recordings)
        waiting: set[Future[JudgeAnswer]] = set()
        with ThreadPoolExecutor(self.in_flight, thread_name_prefix="judge") as pool:
            try:
                while True:
                    while len(waiting) < self.in_flight and self.trouble is None and self.goes_on():
                        recording = next(remaining, None)
                        if recording is None:
                            break
                        waiting.add(pool.submit(self._ask, recording))
                    if not waiting:
                        return
                    done, waiting = wait(waiting, TICK, FIRST_COMPLETED)
                    yield [answer for future in done if (answer := self._result(future))]
            finally:
                pool.shutdown(cancel_futures=True)

    def _result(self, future: Future[JudgeAnswer]) -> JudgeAnswer | None:
        try:
            return future.result()
        except (Unavailable, Misconfigured) as trouble:
            # A configuration error takes precedence over a temporary failure.
            if self.trouble is None or isinstance(trouble, Misconfigured):
                self.trouble = trouble
            return None

    def _ask(self, recording: Recording) -> JudgeAnswer:
        sent = "original"
        try:
            sent, sound = load_sound(recording)
            return JudgeAnswer(recording, sent, self.judge.score(sound, self.profile))
        except FileNotFoundError:
            return JudgeAnswer(recording, sent, None, "missing", "The stored file is gone.")
        except ClipRefusal as refusal:
            return JudgeAnswer(recording, sent, None, refusal.code, refusal.message)
        except Unavailable as trouble:
            if trouble.code in OF_THE_CLIP and self.judge.is_ready():
                return JudgeAnswer(recording, sent, None, trouble.code, trouble.message)
            raise


def load_sound(recording: Recording) -> tuple[str, Sound]:
    """Return the bytes to send: the original, or the rendition if only ffmpeg can read the original."""
    with storage.open_file(recording.original) as file:
        content = file.read()
    try:
        needs_ffmpeg = bool(recognise(content[:MAGIC_BYTES]).demuxer)
    except NotAudio:
        # Unreadable: the judge's own error message says more.
        needs_ffmpeg = False
    if needs_ffmpeg:
        with storage.open_file(recording.rendition) as file:
            content = file.read()
    sent = "rendition" if needs_ffmpeg else "original"
    return sent, Sound(content, seconds=recording.seconds, language=recording.language)
