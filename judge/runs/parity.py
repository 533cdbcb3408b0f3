"""Comparison of two engines on the same clips; the second one is admitted if their scores agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from judge.client.contract import JudgeClient
from judge.runs.parallel_scoring import JudgeAnswer, ParallelScoring
from studies.clips.queries import Recording, recordings

# Smallest difference that counts as disagreement.
MOST = 0.01


@dataclass(frozen=True, slots=True)
class Pair:
    """One clip with both engines' answers."""

    recording: Recording
    first: JudgeAnswer
    second: JudgeAnswer

    @property
    def difference(self) -> float | None:
        """|ΔHLS|; None if either engine has no score."""
        if self.first.score is None or self.second.score is None:
            return None
        return abs(self.first.score.hls - self.second.score.hls)

    @property
    def is_missing(self) -> bool:
        return self.difference is None

    @property
    def agrees(self) -> bool:
        return self.difference is not None and self.difference < MOST


def draw(study_id: int, number: int, rng: Random) -> list[Recording]:
    """Draw `number` different sounds of a study, or all if there are fewer."""
    different = {clip.sha256: clip for clip in recordings(study_id)}
    clips = list(different.values())
    return rng.sample(clips, min(number, len(clips)))


def compare(
    clips: Sequence[Recording], first: JudgeClient, second: JudgeClient, *, profile: str, in_flight: int
) -> Iterator[Pair]:
    """Yield each clip with both answers; raises the error that keeps either engine from answering."""
    answers = _answers(first, profile, clips, in_flight)
    other_answers = _answers(second, profile, clips, in_flight)
    return (Pair(clip, answers[clip.clip], other_answers[clip.clip]) for clip in clips)


def _answers(judge: JudgeClient, profile: str, clips: Sequence[Recording], in_flight: int) -> dict[int, JudgeAnswer]:
    asking = ParallelScoring(judge, profile, in_flight, goes_on=lambda: True)
    answer_by_clip = {answer.recording.clip: answer for some in asking.answers(clips) for answer in some}
    if asking.trouble is not None:
        raise asking.trouble
    return answer_by_clip
