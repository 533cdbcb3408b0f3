"""Clips share forward passes; none waits for company, and none suffers from another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from judge.server.batching import Batcher, Budget, ClipUnanswered, Reader, WaitingClip, choose
from judge.server.engine import Engine, ModelReading, PreparedClip
from tests.judge_engine.faults import Faulty, Gate
from tests.judge_engine.sounds import sound

WIDE = Budget(clips=8, tokens=100_000)
SECONDS = (1.0, 2.0, 3.0, 4.0)


@pytest.fixture(scope="module")
def clips(engine: Engine) -> list[PreparedClip]:
    return [engine.prepare(sound(seconds, seed), "att") for seed, seconds in enumerate(SECONDS)]


@pytest.fixture
def started() -> Iterator[list[Batcher]]:
    """Collect batchers, and end them."""
    found: list[Batcher] = []
    yield found
    for batcher in found:
        batcher.close()


def begin(started: list[Batcher], reader: Reader, budget: Budget = WIDE, **told) -> Batcher:  # type: ignore[no-untyped-def]
    started.append(Batcher(reader, budget, **told))
    return started[-1]


def behind(batcher: Batcher, gate: Gate, clips: list[PreparedClip]) -> list[Future[ModelReading]]:
    """Queue one clip that holds the device, then the others, then let the device work."""
    first = batcher.submit(clips[0])
    assert gate.entered.wait(60)
    others = [batcher.submit(clip) for clip in clips[1:]]
    gate.opened.set()
    return [first, *others]


def test_what_waits_while_the_device_works_is_read_together(
    engine: Engine, clips: list[PreparedClip], started: list[Batcher]
) -> None:
    gate = Gate(engine)
    answers = behind(begin(started, gate), gate, clips)
    for clip, answer in zip(clips, answers, strict=True):
        alone = engine.read([clip])[0].log_probabilities
        assert answer.result(60).log_probabilities == pytest.approx(alone, abs=1e-5)
    assert gate.sizes == [1, 3]


def test_a_poisonous_clip_fails_alone(engine: Engine, clips: list[PreparedClip], started: list[Batcher]) -> None:
    faulty = Faulty(engine, poison=clips[2].tokens)
    answers = behind(begin(started, faulty), faulty, clips)
    for number in (0, 1, 3):
        assert answers[number].result(60).is_sound
    with pytest.raises(ClipUnanswered) as caught:
        answers[2].result(60)
    assert caught.value.code == "failed"


def test_an_answer_that_is_no_number_fails_alone(
    engine: Engine, clips: list[PreparedClip], started: list[Batcher]
) -> None:
    class Dizzy(Gate):
        def read(self, clips: list[PreparedClip]) -> list[ModelReading]:  # type: ignore[override]
            return [ModelReading((float("nan"),) * 3), *super().read(clips)[1:]]

    dizzy = Dizzy(engine)
    answers = behind(begin(started, dizzy), dizzy, clips)
    with pytest.raises(ClipUnanswered, match="not a number"):
        answers[1].result(60)
    assert answers[2].result(60).is_sound


def test_out_of_memory_is_met_with_halves_and_smaller_batches_from_then_on(
    engine: Engine, clips: list[PreparedClip], started: list[Batcher]
) -> None:
    faulty = Faulty(engine, most=2)
    batcher = begin(started, faulty)
    answers = behind(batcher, faulty, [clips[0], *clips])
    assert all(answer.result(60).is_sound for answer in answers)
    assert faulty.sizes == [1, 4, 2, 2]
    assert batcher.budget.clips == 2


def test_a_clip_for_which_there_is_no_memory_at_all_may_be_sent_again(
    engine: Engine, clips: list[PreparedClip], started: list[Batcher]
) -> None:
    faulty = Faulty(engine, most=0)
    answers = behind(begin(started, faulty), faulty, clips[:1])
    with pytest.raises(ClipUnanswered) as caught:
        answers[0].result(60)
    assert caught.value.code == "out_of_memory"


def test_a_dead_device_answers_everybody_and_is_told_of_once(
    engine: Engine, clips: list[PreparedClip], started: list[Batcher]
) -> None:
    told = threading.Event()
    faulty = Faulty(engine, deadly=clips[0].tokens)
    batcher = begin(started, faulty, on_broken=told.set)
    answers = behind(batcher, faulty, clips)
    for answer in answers:
        with pytest.raises(ClipUnanswered) as caught:
            answer.result(60)
        assert caught.value.code == "device_failed"
    assert told.wait(60)
    assert faulty.sizes == [1], "nothing is tried on a dead device"
    with pytest.raises(ClipUnanswered):
        batcher.submit(clips[1])


def test_a_clip_whose_sender_has_gone_is_never_read(
    engine: Engine, clips: list[PreparedClip], started: list[Batcher]
) -> None:
    gate = Gate(engine)
    batcher = begin(started, gate)
    first = batcher.submit(clips[0])
    assert gate.entered.wait(60)
    gone, stays = batcher.submit(clips[1]), batcher.submit(clips[2])
    assert gone.cancel()
    gate.opened.set()
    assert first.result(60).is_sound
    assert stays.result(60).is_sound
    assert gate.sizes == [1, 1]


def test_closing_answers_what_waits_and_takes_nothing_more(engine: Engine, clips: list[PreparedClip]) -> None:
    gate = Gate(engine)
    batcher = Batcher(gate, WIDE)
    answers = behind(batcher, gate, clips)
    batcher.close()
    assert all(answer.done() and answer.result().is_sound for answer in answers)
    with pytest.raises(ClipUnanswered) as caught:
        batcher.submit(clips[0])
    assert caught.value.code == "draining"


def test_a_batch_is_the_oldest_clip_and_those_nearest_in_length(clips: list[PreparedClip]) -> None:
    queue = [WaitingClip(clips[number]) for number in (1, 3, 0, 2)]
    chosen = choose(queue, Budget(clips=3, tokens=100_000))
    assert chosen[0] is queue[0]
    assert {waiting.clip.tokens for waiting in chosen[1:]} == {clips[0].tokens, clips[2].tokens}


def test_padding_counts_in_the_budget_of_tokens(clips: list[PreparedClip]) -> None:
    queue = [WaitingClip(clip) for clip in clips]
    two = clips[1].tokens * 2
    assert len(choose(queue, Budget(clips=8, tokens=two))) == 2
    assert len(choose(queue, Budget(clips=8, tokens=two - 1))) == 1
    assert len(choose(queue, Budget(clips=8, tokens=1))) == 1, "one clip always goes"
