"""Words that speak for a person or for a machine."""

from __future__ import annotations

import pytest

from raters.rating.rules.polarity import contradicts, polarity


@pytest.mark.parametrize(
    ("reason", "sides"),
    [
        ("I hear a breath before the second sentence.", {"human"}),
        ("It sounds robotic and flat.", {"machine"}),
        ("Not robotic at all, every stress falls right.", {"human"}),
        ("It doesn't sound natural to me.", {"machine"}),
        ("It doesn’t sound natural to me.", {"machine"}),
        ("Unnatural pause after the comma", {"machine"}),
        ("Natural at first, then a metallic ring", {"human", "machine"}),
        ("The word 'record' is stressed at its end.", set()),
        ("", set()),
        ("语气自然，能听到呼吸声", {"human"}),
        ("停顿不自然，像机器", {"machine"}),
        ("没有机械感，听起来很舒服", {"human"}),
        ("没有感情，一直很平淡", {"machine"}),
        ("重音落在最后一个字上", set()),
        ("一开始很自然，后来有电音", {"human", "machine"}),
    ],
)
def test_cues_are_found_and_negations_turn_them_round(reason: str, sides: set[str]) -> None:
    assert polarity(reason) == sides


@pytest.mark.parametrize(
    ("label", "reason", "expected"),
    [
        ("human", "It sounds robotic and flat.", True),
        ("machine", "I hear a breath before the second sentence.", True),
        ("machine", "It sounds robotic and flat.", False),
        ("human", "Natural at first, then a metallic ring", False),
        ("human", "The word 'record' is stressed at its end.", False),
        ("unclear", "It sounds robotic and flat.", False),
        ("", "It sounds robotic and flat.", False),
        ("human", "停顿不自然，像机器", True),
        ("machine", "没有感情，一直很平淡", False),
    ],
)
def test_a_reason_contradicts_its_label_when_all_its_cues_do(label: str, reason: str, expected: bool) -> None:
    assert contradicts(label, reason) is expected
