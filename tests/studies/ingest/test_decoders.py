from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from studies.imports.ingest.decoder import DecoderProcess
from studies.imports.ingest.decoders import Decoders
from studies.imports.ingest.facts import Target
from tests import audio

ISO = b"\x00\x00\x00\x20ftypM4A \x00\x00\x00\x00M4A mp42isom\x00\x00\x00\x00"
# A program named ffmpeg that ends only when both clips were decoded.
TOGETHER = """#!/bin/sh
for argument; do case $before in -i) clip=${argument#file:};; esac; before=$argument; done
cp "$clip.wav" "${argument#file:}"
touch "$clip.decoded"
folder=$(dirname "$clip")
for _ in $(seq 300); do [ -e "$folder/0.decoded" ] && [ -e "$folder/1.decoded" ] && exit 0; sleep .1; done
exit 1
"""


def nothing() -> None:
    """Be called now and then."""


def test_results_come_in_the_order_of_the_tasks_though_later_ones_are_done_first() -> None:
    first_may_end = threading.Event()

    def task(number: int, decoder: DecoderProcess) -> int:
        if number == 0:
            assert first_may_end.wait(30)
        if number == 2:
            first_may_end.set()
        return number

    with Decoders(Target(), beat=nothing, processes=2) as decoders:
        assert list(decoders.each(partial(task, number) for number in range(9))) == list(range(9))


def test_each_decoding_process_has_one_task_at_a_time() -> None:
    busy: set[int] = set()
    both = threading.Barrier(2, timeout=30)

    def task(decoder: DecoderProcess) -> DecoderProcess:
        assert id(decoder) not in busy
        busy.add(id(decoder))
        both.wait()
        busy.remove(id(decoder))
        return decoder

    with Decoders(Target(), beat=nothing, processes=2) as decoders:
        used = list(decoders.each([task] * 20))
    assert len(set(used)) == 2


def test_tasks_are_started_only_a_few_ahead() -> None:
    started = []

    def task(decoder: DecoderProcess) -> None:
        """Do nothing."""

    def tasks() -> Iterator[Callable[[DecoderProcess], None]]:
        for number in range(100):
            started.append(number)
            yield task

    with Decoders(Target(), beat=nothing, processes=2) as decoders:
        next(decoders.each(tasks()))
        assert len(started) <= 5


def test_what_the_beat_raises_ends_the_work_and_the_tasks() -> None:
    ended: list[str] = []

    class TakenOver(Exception):
        pass

    def beat() -> None:
        raise TakenOver

    def task(decoder: DecoderProcess) -> None:
        # As a decoder does while its child works.
        try:
            while True:
                time.sleep(0.01)
                decoder.beat()
        finally:
            ended.append("stopped")

    slow: list[Callable[[DecoderProcess], None]] = [task] * 2
    with pytest.raises(TakenOver), Decoders(Target(), beat=beat, processes=2) as decoders:
        list(decoders.each(slow))
    assert ended == ["stopped", "stopped"]


@pytest.mark.processes
def test_clips_that_are_decoded_side_by_side_keep_their_own_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "ffmpeg"
    program.parent.mkdir()
    program.write_text(TOGETHER)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    for number in range(2):
        (tmp_path / f"{number}").write_bytes(ISO)
        (tmp_path / f"{number}.wav").write_bytes(audio.wav(1.0 + number))

    def task(number: int, decoder: DecoderProcess) -> float:
        return decoder.decode(tmp_path / f"{number}", tmp_path / f"{number}.out").duration

    with Decoders(Target(), beat=nothing, processes=2) as decoders:
        assert list(decoders.each(partial(task, number) for number in range(2))) == [1.0, 2.0]
