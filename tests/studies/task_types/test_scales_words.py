"""How `scales` describes the task to raters and researchers."""

from __future__ import annotations

from studies.definition import presets


def test_the_task_is_described_by_one_question_or_by_several() -> None:
    one, several = (presets.get(name).definition for name in ("naturalness", "p835"))
    assert one.kind.asked(one.params) == "Listen to each clip and answer a question about it."
    assert one.kind.activity(one.params) == ("Rates each clip on one scale: Naturalness.",)
    assert several.kind.asked(several.params) == "Listen to each clip and answer several questions about it."
