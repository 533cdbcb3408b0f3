"""MUSHRA with one click."""

from __future__ import annotations

from studies.definition import presets

DEFINITION = presets.get("mushra").definition


def test_a_rater_gets_six_screens_without_traps_and_hears_every_clip() -> None:
    protocol = DEFINITION.protocol
    assert (protocol.batch_size, protocol.tests_per_batch, protocol.batches_per_session) == (6, 6, 1)
    assert (protocol.ratings_wanted, protocol.repeat_text) == (10, "never")
    assert (protocol.playback, protocol.interruption, protocol.max_plays) == ("enforce", "keep", None)


def test_it_is_set_for_speech_synthesis() -> None:
    params = DEFINITION.params
    assert (params.explicit_reference, params.hidden_reference) == (True, True)
    assert params.anchors == ("3.5 kHz", "7 kHz")
    assert (params.switching, params.post_screening) == ("restart", False)


def test_the_instructions_say_how_the_scale_is_meant_and_that_the_reference_may_come_again() -> None:
    text = DEFINITION.texts.instructions
    for fact in ("Bad, Poor, Fair, Good, Excellent", "to its end", "may be the reference itself", "same number"):
        assert fact in text
