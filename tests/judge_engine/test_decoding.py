"""Clips are decoded in processes of their own: the same is heard, and what breaks one breaks nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from judge.problems import ClipRefusal
from judge.schemas import ScoreQuery
from judge.server import decoding
from judge.server.audio import DecodedClip, hear
from judge.server.decoding import DecoderPool
from tests.judge_engine.malformed import all_files
from tests.judge_engine.sounds import file, sound, wav

ANY = ScoreQuery(length=None, seconds=None)
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pool() -> Iterator[DecoderPool]:
    made = DecoderPool(2)
    yield made
    made.close()


def pids(pool: DecoderPool) -> list[int]:
    return [decoder.process.pid for decoder in pool.all if decoder.process]


def outcome(heard: Callable[[bytes, ScoreQuery], DecodedClip], content: bytes) -> DecodedClip | tuple[str, str]:
    try:
        return heard(content, ANY)
    except ClipRefusal as refused:
        return refused.code, refused.message


def code(pool: DecoderPool, content: bytes) -> str:
    with pytest.raises(ClipRefusal) as refused:
        pool.hear(content, ANY)
    return refused.value.code


def test_a_child_hears_every_file_of_the_table_as_this_process_does(pool: DecoderPool) -> None:
    for name, content in all_files().items():
        here, there = outcome(hear, content), outcome(pool.hear, content)
        if isinstance(here, DecodedClip) and isinstance(there, DecodedClip):
            assert np.array_equal(here.samples, there.samples), name
            assert (here.pcm_sha256, here.seconds, here.warnings) == (there.pcm_sha256, there.seconds, there.warnings)
        else:
            assert here == there, name


def test_what_the_sender_told_and_the_profile_wants_goes_over_too(pool: DecoderPool) -> None:
    with pytest.raises(ClipRefusal) as refused:
        pool.hear(wav(), ScoreQuery(length=None, seconds=9.0))
    assert refused.value.code == "corrupt"
    quiet = file(sound(2.0) / 20)
    assert np.array_equal(pool.hear(quiet, ANY, -23.0).samples, hear(quiet, ANY, -23.0).samples)


def test_a_child_that_was_killed_is_replaced_and_its_clip_still_heard(pool: DecoderPool) -> None:
    pool.hear(wav(), ANY)
    before = pids(pool)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert pool.hear(wav(), ANY).pcm_sha256 == hear(wav(), ANY).pcm_sha256
    assert set(pids(pool)) - set(before)


def test_a_clip_that_ends_every_child_is_refused_and_the_next_one_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    deadly = b"this kills the decoder"
    child = (
        "from judge.server import decoder\nimport os\nreal = decoder.hear\n"
        f"decoder.hear = lambda content, *told: os.abort() if content == {deadly!r} else real(content, *told)\n"
        "decoder.main()\n"
    )
    real = subprocess.Popen

    def spawned(command: list[str], **options: object) -> subprocess.Popen[bytes]:
        return real([sys.executable, "-c", child], **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(decoding.subprocess, "Popen", spawned)
    frail = DecoderPool(1)
    assert code(frail, deadly) == "undecodable"
    assert frail.hear(wav(), ANY).seconds == 1.0
    frail.close()


def test_a_child_that_takes_too_long_is_ended_and_the_clip_to_blame() -> None:
    slow = DecoderPool(1, wall=0.0)
    with pytest.raises(ClipRefusal, match="took longer"):
        slow.hear(wav(), ANY)
    assert pids(slow) == []


def test_clips_are_decoded_side_by_side_and_each_gets_its_own_answer(pool: DecoderPool) -> None:
    found: dict[int, str] = {}

    def one(seed: int) -> None:
        found[seed] = pool.hear(wav(1.0, seed), ANY).pcm_sha256

    threads = [threading.Thread(target=one, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {seed: hear(wav(1.0, seed), ANY).pcm_sha256 for seed in range(8)}


def test_a_child_knows_neither_the_model_nor_a_secret(pool: DecoderPool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "EARSHOT_JUDGE_TOKEN" not in decoding.ENVIRONMENT
    assert not any("TOKEN" in name or "SECRET" in name for name in decoding.ENVIRONMENT)
    look = "import sys, judge.server.decoder; print(sorted({'torch', 'transformers', 'fastapi'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", look], cwd=ROOT, env=decoding.ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_child_may_write_no_file_and_use_no_more_memory_than_it_is_given() -> None:
    look = """
import resource, tempfile
from judge.server import decoder
decoder.limit(resource.RLIMIT_AS, decoder.MEMORY)
decoder.limit(resource.RLIMIT_FSIZE, 0)
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with tempfile.TemporaryFile() as file:
        file.write(b"x"); file.flush()
    print("wrote")
except OSError:
    print("refused")
decoder.hear = lambda *told: bytearray(decoder.MEMORY)
print(decoder.answer(b"", None, None)[0]["code"])
"""
    done = subprocess.run(
        [sys.executable, "-c", look], cwd=ROOT, env=decoding.ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["refused", "undecodable"]


def test_an_answer_that_no_clip_could_have_ends_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    real = subprocess.Popen
    liar = (
        'import sys\nsys.stdout.write(\'{"heard": {}, "bytes": 99999999999}\\n\'); sys.stdout.flush()\nsys.stdin.read()'
    )

    def spawned(command: list[str], **options: object) -> subprocess.Popen[bytes]:
        return real([sys.executable, "-c", liar], **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(decoding.subprocess, "Popen", spawned)
    taken_over = DecoderPool(1)
    assert code(taken_over, wav()) == "undecodable"
    assert pids(taken_over) == []
