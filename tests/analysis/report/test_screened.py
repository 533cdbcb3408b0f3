"""What a report says of the checks before the first clip: thresholds, sources, and what became of whom."""

from __future__ import annotations

from typing import Any

from analysis.report import document
from analysis.sections.participants import screened
from analysis.sections.results import load
from analysis.sections.shared import NOT_COMPUTED
from studies.definition.definition import Definition
from studies.definition.settings.screening import ScreeningSettings
from tests.analysis.report.results import results
from tests.analysis.report.test_document import definition, text_of
from tests.raters.sessions.screening.listener import ALL


def check(name: str, label: str, decided: int, failed: int, left: int, *, later: bool = False) -> dict[str, Any]:
    passed = decided - failed
    return {
        "name": name,
        "label": label,
        "later": later,
        "decided": decided,
        "passed": passed,
        "failed": failed,
        "left": left,
    }


def asking(**changes: Any) -> Definition:
    given = {name.removeprefix("screening__"): value for name, value in ALL.items()}
    return definition().model_copy(update={"screening": ScreeningSettings(**{**given, **changes})})


CHECKS = [
    check("language", "first language", 60, 3, 3),
    check("antiphase", "headphones (tones)", 57, 12, 12),
    check("antiphase", "headphones (tones)", 20, 4, 0, later=True),
    check("volume", "volume", 20, 0, 0, later=True),
    check("attention", "attention", 40, 2, 0, later=True),
]


def told(*checks: dict[str, Any], **more: Any) -> dict[str, Any]:
    found = results()
    return {**found, "participants": {**found["participants"], "checks": list(checks), **more}}


def test_every_check_that_was_on_is_told_of_with_its_threshold_and_source() -> None:
    text = text_of(document.html(load(told(*CHECKS)), asking(), []))
    for sentence in (
        "the device (3 groups of 2 to 5 beeps had to be counted rightly, on a page at least 320 pixels wide), in two "
        "tries: whoever failed had to leave",
        "the first language (English or a score of at least 7.5 in IELTS listening), in one try: whoever failed had to "
        "leave (3 of 60 sessions)",
        "the volume, set on a noise as loud as the clips; ",
        "headphones by tones in opposite phase (Woods et al. 2017; at least 5 of 6 right), in two tries: whoever "
        "failed had to leave (12 of 57 sessions)",
        "headphones by a pitch that only two ears hear (Milne et al. 2021; at least 6 of 6 right), in two tries",
        "the instructions (2 questions, all to be answered rightly), in two tries",
        "practice (2 clips, the right answer after each, passed by everybody). ",
        "Behavior Research Methods 53",
    ):
        assert sentence in text
    assert "checked again" not in text
    wanted = screened.sentences(asking(training_right=2), NOT_COMPUTED)
    assert "at least 2 right), in one try: whoever failed was marked and went on. " in wanted


def test_checks_between_batches_are_counted_apart() -> None:
    text = screened.sentences(asking(headphones="antiphase", recheck_minutes=30), load(told(*CHECKS)).participants)
    assert "After every 30 minutes of rating, volume and headphones were checked again between batches" in text
    assert "whoever failed was marked and went on (4 of 20 checks)" in text


def test_a_volume_that_is_set_again_is_nothing_that_anybody_fails() -> None:
    text = screened.sentences(asking(volume=True, headphones="none", recheck_minutes=30), NOT_COMPUTED)
    assert "After every 30 minutes of rating, volume was checked again between batches. " in text


def test_checks_of_earlier_versions_alone_are_not_denied() -> None:
    found = load(told(*CHECKS, screening_changed=True)).participants
    text = screened.sentences(asking(device="off", volume=False, headphones="none", comprehension="off"), found)
    assert "Nobody was screened out" not in text
    assert "earlier ones differed: [state how]" in text


def test_a_study_that_checked_nobody_says_so() -> None:
    text = text_of(document.html(load(results()), definition(), []))
    assert "Nobody was screened out by a check before the first clip." in text
    assert "Woods" not in text
    assert "screening" not in {
        table.name for part in document.parts(load(results()), definition()) for table in part.tables
    }


def test_without_a_definition_the_checks_are_a_blank() -> None:
    assert "[state them, or none]" in text_of(document.html(load(results()), None, []))


def test_attention_checks_are_told_of_by_their_kind_and_count() -> None:
    lines = ("Choose “Often” here | *Often | Never", "I have visited every planet.")
    found = {"asked": 80, "failed": 3, "sessions": 40, "sessions_failed": 2}
    text = screened.attention(asking(attention=lines, attention_every=2), load(told(attention=found)).participants)
    assert text == (
        "After every 2 batches, as long as another followed, one attention check was asked, each of them once (one "
        "instruction that names its answer and one statement that nobody can agree with); whoever failed was marked "
        "and went on. Of 80 attention checks 3 were failed, in 2 of 40 sessions. "
    )
    text = screened.attention(asking(attention=lines, attention_failed="screen_out"), NOT_COMPUTED)
    assert "whoever failed two of them, or one where participants were told less than 5 minutes, had to leave. " in text
    assert screened.attention(asking(), NOT_COMPUTED) == ""


def test_versions_with_other_checks_are_left_for_the_authors_to_state() -> None:
    text = screened.sentences(asking(), load(told(screening_changed=True)).participants)
    assert "earlier ones differed: [state how]" in text


def test_the_tables_say_who_left_and_who_failed() -> None:
    found = told(*CHECKS)
    part = next(part for part in document.parts(load(found), asking()) if part.key == "participants")
    by_name = {table.name: table for table in part.tables}
    assert ("headphones (tones)", "between batches", 20, 16, 4, 0) in by_name["screening"].rows
    assert by_name["flow"].shown()[1] == ["did not agree", "–", "−5"]
    assert by_name["flow"].csv().splitlines()[2] == "did not agree,,-5"
