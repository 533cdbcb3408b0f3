"""Transcripts: errors counted by hand, what is normalized, answers without a word, and a system planted as worse."""

from __future__ import annotations

from random import Random
from statistics import fmean
from typing import Any

import pytest

from core.errors import Invalid
from studies.definition import presets
from studies.task_types import _transcripts, get
from studies.task_types.base import AnswerRow, ClipFact, ItemContent, Listener, PlacedClip
from tests.studies.task_types.test_scales import scale

TEXT = "The cat, it sat: on the mat!"
PRESET = presets.get("transcription").definition


def rates(heard: str, text: str = TEXT) -> dict[str, str]:
    """Return the errors over the length by part."""
    return {row.part: row.code for row in _transcripts.rows("transcript", heard, text, 0)[1:]}


@pytest.mark.parametrize(
    ("heard", "errors"),
    [
        ("the cat it sat on the mat", 0),
        ("the cat it sat on the", 1),
        ("the hat it sat on the mat", 1),
        ("the cat it sat down on the mat", 1),
        ("a bat", 7),
        ("", 7),
    ],
)
def test_words_that_are_substituted_deleted_or_inserted_are_errors(heard: str, errors: int) -> None:
    assert rates(heard)["wer"] == f"{errors}/7"


def test_only_the_raw_rates_count_case_and_punctuation() -> None:
    assert rates("the cat it sat on the mat") == {"wer": "0/7", "cer": "0/19", "wer_raw": "4/7", "cer_raw": "4/22"}
    assert rates("  The cat,  it sat: on the mat!")["wer_raw"] == "0/7"


@pytest.mark.parametrize(
    ("text", "heard"), [("Don’t stop", "dont stop"), ("well-known", "well known"), ("A & B", "a b")]
)
def test_apostrophes_are_removed_and_other_punctuation_separates_words(text: str, heard: str) -> None:
    assert rates(heard, text)["wer"].startswith("0/")


def test_each_chinese_character_is_a_word() -> None:
    assert rates("今天天气好", "今天天气很好。") == {"wer": "1/6", "cer": "1/6", "wer_raw": "2/7", "cer_raw": "2/7"}


def test_an_answer_counts_as_at_most_a_hundred_percent() -> None:
    row = _transcripts.rows("transcript", "one two three four", "Go!", 0)[1]
    assert (row.code, row.value) == ("4/1", 1.0)


def test_a_text_of_punctuation_alone_has_no_rate_above_one() -> None:
    assert [row.value for row in _transcripts.rows("transcript", "", "…", 0)[1:]] == [0.0, 0.0, 1.0, 1.0]


def test_nothing_understood_is_an_answer_only_where_it_is_sent() -> None:
    kind, params = PRESET.kind, PRESET.params
    shown = kind.draw(params, ItemContent((PlacedClip("alpha", "test", TEXT),)), Random(1))
    assert shown.public == {"scales": ["transcript"]}
    assert kind.problems(params, shown, kind.answer({"answers": {}})) == {
        "answers.transcript": "Please write what you heard."
    }
    answer = kind.answer({"answers": {"transcript": ""}})
    assert kind.problems(params, shown, answer) == {}
    rows = kind.rows(params, shown, answer)
    assert rows[0] == AnswerRow("transcript", "nothing", None, 0)
    assert [(row.part, row.value) for row in rows[1:]] == [(part, 1.0) for part in ("wer", "cer", "wer_raw", "cer_raw")]


def test_a_clip_without_a_text_blocks_the_launch() -> None:
    clips = [
        ClipFact(1, "alpha", "test", "one"),
        ClipFact(2, "alpha", "test"),
        ClipFact(3, "beta", "test", "two", is_worded=False),
    ]
    layout = PRESET.kind.layout(PRESET.params, clips)
    assert [problem.clip for problem in layout.problems] == [2, 3]
    assert not get("scales").layout(get("scales").params({}), clips).problems


@pytest.mark.parametrize("main", ["WER", "CER", "wer_raw", "cer_raw"])
def test_any_of_the_rates_can_be_the_main_score_and_less_is_better(main: str) -> None:
    raw: dict[str, Any] = {"scales": [scale(answer="transcript", labels=()).model_dump()], "main": main}
    score = get("scales").of(raw).score
    assert (score.part, score.sign, score.shown) == (main.lower(), -1, (0, 100))


def test_a_scale_with_the_name_of_a_rate_is_refused_next_to_a_transcript() -> None:
    transcript = scale(name="Heard", answer="transcript", labels=())
    with pytest.raises(Invalid) as refused:
        get("scales").params({"scales": [transcript.model_dump(), scale(name="WER").model_dump()]})
    assert "two scales are called" in str(refused.value.problems)


def test_simulated_listeners_make_more_errors_on_a_worse_system() -> None:
    kind, params, rng = PRESET.kind, PRESET.params, Random(3)
    shown = kind.draw(params, ItemContent((PlacedClip("alpha", "test", TEXT),)), rng)

    def mean(chance: float) -> float:
        answers = [kind.simulate(params, shown, Listener((chance,)), rng) for _ in range(200)]
        return fmean(kind.rows(params, shown, answer)[1].value or 0.0 for answer in answers)

    assert mean(0.9) + 0.1 < mean(0.5) < mean(0.1) - 0.1
