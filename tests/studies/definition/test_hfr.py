"""The presets of the Human Fooling Rate: the paper's protocol, in our own words."""

from __future__ import annotations

import re

import pytest

from studies.definition import presets

NAMES = ("hfr", "hfr-granular")
each = pytest.mark.parametrize("name", NAMES)


@each
def test_there_are_no_traps_and_a_clip_is_heard_whole_without_a_break(name: str) -> None:
    protocol = presets.get(name).definition.protocol
    assert (protocol.flawed_traps, protocol.human_traps, protocol.batch_size) == (0, 0, 10)
    assert (protocol.interruption, protocol.playback) == ("void", "enforce")
    assert (protocol.batches_per_session, protocol.repeat_text, protocol.human_share) == (3, "never", None)


@pytest.mark.parametrize(("name", "raters"), [("hfr", 30), ("hfr-granular", 15)])
def test_the_quota_is_the_papers_raters_and_utterances(name: str, raters: int) -> None:
    protocol = presets.get(name).definition.protocol
    assert (protocol.quota_raters, protocol.quota_utterances) == (raters, 30)


@each
@pytest.mark.parametrize(
    "cue",
    ["headphones", "quiet", "beginning to end", "robotic", "melody", "feeling", "wrongly", "twice", "pauses", "clicks"],
)
def test_the_instructions_name_how_to_listen_and_what_for(name: str, cue: str) -> None:
    assert cue in presets.get(name).definition.texts.instructions


@each
def test_no_text_states_how_many_clips_are_human(name: str) -> None:
    texts = presets.get(name).definition.texts
    for text in (texts.information, texts.instructions, texts.debrief):
        assert not re.search(r"%|\bhalf\b|\bmost\b|\bequal|\bpercent", text)
    assert not re.search(r"\d", texts.instructions)


def test_only_the_granular_one_speaks_of_marks() -> None:
    assert "mark" not in presets.get("hfr").definition.texts.instructions
    assert "mark what gave it away" in presets.get("hfr-granular").definition.texts.instructions


@each
def test_headphones_are_tested_as_the_paper_asks_for_them_and_a_failed_test_only_marks(name: str) -> None:
    screening = presets.get(name).definition.screening
    assert (screening.device, screening.volume) == ("screen_out", True)
    assert (screening.headphones, screening.headphones_failed) == ("antiphase", "flag")


@pytest.mark.parametrize("name", sorted(set(presets.by_name()) - set(NAMES)))
def test_other_presets_check_nobody_unless_they_are_told_to(name: str) -> None:
    screening = presets.get(name).definition.screening
    assert (screening.device, screening.language, screening.headphones) == ("off", "off", "none")
    assert (screening.comprehension, screening.training, screening.recheck_minutes) == ("off", "off", None)
