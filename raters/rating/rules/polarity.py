"""Polarity of a reason's words (human or machine), and flags of reasons that deserve an early review."""

from __future__ import annotations

import re
from typing import Literal

from raters.rating.rules import likeness, writing
from raters.rating.rules.writing import DRAFTED, FEW_KEYS, PASTED
from studies.rules.text import is_cjk, written

Polarity = Literal["human", "machine"]

# English: beginnings of words. Chinese: anywhere in the text.
CUES: dict[Polarity, tuple[str, ...]] = {
    "human": (
        "natural",
        "breath",
        "human",
        "lifelike",
        "real person",
        "real voice",
        "emotion",
        "expressive",
        "warm",
        "spontaneous",
        "laugh",
        "hesitat",
        "fluent",
        "lively",
        "sigh",
        "conversational",
        "authentic",
    ),
    "machine": (
        "robot",
        "machine",
        "artificial",
        "synthe",
        "mechanic",
        "monoton",
        "flat",
        "metallic",
        "unnatural",
        "glitch",
        "computer",
        "emotionless",
        "lifeless",
        "stilted",
        "choppy",
        "electronic",
        "buzz",
        "distort",
        "mispronounc",
        "inhuman",
        "generated",
        "tinny",
    ),
}
CHINESE: dict[Polarity, tuple[str, ...]] = {
    "human": ("自然", "真人", "呼吸", "换气", "人声", "有感情", "情感丰富", "生动", "流畅", "笑声", "真实", "像人"),
    "machine": (
        "机器",
        "机械",
        "合成",
        "电音",
        "电子音",
        "生硬",
        "僵硬",
        "平淡",
        "单调",
        "不自然",
        "没有感情",
        "毫无感情",
        "卡顿",
        "失真",
        "人工智能",
        "杂音",
        "读错",
        "像念稿",
    ),
}
NEGATION = re.compile(r"not|no|never|without|hardly|lack(?:s|ing)?|nothing|\w+n't")
CHINESE_NEGATION = re.compile(r"(?:不|没有|没|毫无|缺乏|缺少|并非|非)[\u4e00-\u9fff]{0,2}$")
WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
# A negation up to this many words before a cue reverses it: "not at all robotic".
REACH = 3


def polarity(reason: str) -> frozenset[Polarity]:
    """Return the polarities of the words: one, both or none; a negated cue counts as the other one."""
    text = reason.lower().replace("’", "'")
    return frozenset(_english(text) | _chinese(text))


def contradicts(label: str, reason: str) -> bool:
    """True if all cues in a reason contradict its label; only the labels human and machine can be contradicted."""
    if label not in CUES:
        return False
    speaks_for = polarity(reason)
    return bool(speaks_for) and label not in speaks_for


def _english(text: str) -> set[Polarity]:
    words = [(match.group(), match.start()) for match in WORD.finditer(text)]
    polarities: set[Polarity] = set()
    for index, (_word, start) in enumerate(words):
        for speaks_for, cues in CUES.items():
            if text.startswith(cues, start):
                before = [word for word, _at in words[max(0, index - REACH) : index]]
                polarities.add(_other(speaks_for) if any(map(NEGATION.fullmatch, before)) else speaks_for)
    return polarities


def _chinese(text: str) -> set[Polarity]:
    polarities: set[Polarity] = set()
    spans: list[tuple[int, int]] = []
    # Longer cues first: 不自然 is itself a cue, not a negated 自然.
    for cue, speaks_for in sorted(((cue, side) for side, cues in CHINESE.items() for cue in cues), key=_longest_first):
        for match in re.finditer(re.escape(cue), text):
            if any(start < match.end() and match.start() < end for start, end in spans):
                continue
            spans.append(match.span())
            is_negated = CHINESE_NEGATION.search(text[: match.start()]) is not None
            polarities.add(_other(speaks_for) if is_negated else speaks_for)
    return polarities


def _longest_first(entry: tuple[str, Polarity]) -> tuple[int, str]:
    return -len(entry[0]), entry[0]


def _other(side: Polarity) -> Polarity:
    return "machine" if side == "human" else "human"


VERY_SHORT, REPETITIVE, CONTRADICTS = "very_short", "repetitive", "contradicts_label"
# Same as another reason; nearly the same as one by this rater; nearly the same as one by another rater.
DUPLICATE, NEAR_DUPLICATE, SHARED = "duplicate", "near_duplicate", "near_duplicate_of_others"
# Not about the reason: a metric and the raters disagree on the clip.
MACHINE_DIFFERS = "machine_differs"
FLAGS = (
    VERY_SHORT,
    REPETITIVE,
    CONTRADICTS,
    PASTED,
    FEW_KEYS,
    DRAFTED,
    DUPLICATE,
    NEAR_DUPLICATE,
    SHARED,
    MACHINE_DIFFERS,
)
# See `writing.VERSION`: raised whenever a rule or number changes.
VERSION = writing.VERSION
# Slightly above the ATT preset's minimum length.
SHORT, SHORT_CJK = 30, 12


def of_answer(label: str, reason: str, evidence: object = None) -> set[str]:
    """Return the flags of an answer from its reason, its label and the browser's report."""
    shortest = SHORT_CJK if is_cjk(reason) else SHORT
    tests = {
        VERY_SHORT: written(reason) < shortest,
        REPETITIVE: likeness.repeats_itself(reason),
        CONTRADICTS: contradicts(label, reason),
    }
    return {flag for flag, is_so in tests.items() if is_so} | writing.flags(reason, writing.of(evidence))
