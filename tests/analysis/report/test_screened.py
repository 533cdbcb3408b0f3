"""What a report says of the checks before the first clip: thresholds, sources, and what became of whom."""

from __future__ import annotations

from typing import Any

from analysis.report import checklist, document
from analysis.sections.participants import description
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
        "Device: 3 groups of 2 to 5 beeps had to be counted correctly, on a page at least 320 pixels wide. They had 2 "
        "tries; whoever failed had to leave.",
        "First language: English or a score of at least 7.5 in IELTS listening was required. They had 1 try; whoever "
        "failed had to leave (3 of 60 sessions).",
        "Volume: raters set it on a noise as loud as the clips. Headphones:",
        "compared tones in opposite phase (Woods et al. 2017) and needed at least 5 of 6 correct answers. They had 2 "
        "tries; whoever failed had to leave (12 of 57 sessions).",
        "a pitch that only two ears hear (Milne et al. 2021) and needed at least 6 of 6 correct answers. They had 2",
        "Instructions: raters had to answer all of 2 questions correctly. They had 2 tries;",
        "Practice: raters judged 2 clips and saw the right answer after each; nobody could fail. ",
        "Behavior Research Methods 53",
    ):
        assert sentence in text
    assert "checked again" not in text
    wanted = description.screening_paragraph(asking(training_right=2), NOT_COMPUTED)
    assert "at least 2 right. They had 1 try; whoever failed was marked and continued. " in wanted


def test_checks_between_batches_are_counted_apart() -> None:
    text = description.screening_paragraph(
        asking(headphones="antiphase", recheck_minutes=30), load(told(*CHECKS)).participants
    )
    assert "After every 30 minutes of rating, volume and headphones were checked again between batches" in text
    assert "Whoever failed was marked and continued (4 of 20 checks)." in text


def test_a_volume_that_is_set_again_is_nothing_that_anybody_fails() -> None:
    text = description.screening_paragraph(asking(volume=True, headphones="none", recheck_minutes=30), NOT_COMPUTED)
    assert "After every 30 minutes of rating, the volume was checked again between batches." in text


def test_checks_of_earlier_versions_alone_are_not_denied() -> None:
    found = load(told(*CHECKS, screening_changed=True)).participants
    text = description.screening_paragraph(
        asking(device="off", volume=False, headphones="none", comprehension="off"), found
    )
    assert "Nobody was screened out" not in text
    assert "earlier ones differed: [state how]" in text


def test_the_checklist_names_the_checks_of_the_methods_and_simulated_raters_went_through_none() -> None:
    study, found = asking(), told()
    rows = {row[0]: row[2] for row in checklist.part(load(found), study).tables[0].shown()}
    names = (
        "Device and sound, First language, Volume, Headphones: tones in opposite phase, Headphones: hidden pitch, "
        "Questions on the instructions, Practice"
    )
    assert rows["Qualification of listeners"] == f"checks: {names}"
    found["study"] = {**found["study"], "simulated": "only"}
    rows = {row[0]: row[2] for row in checklist.part(load(found), study).tables[0].shown()}
    assert rows["Qualification of listeners"] == f"set: {names}; simulated raters went through none"
    text = text_of(document.html(load(found), study, []))
    assert f"These checks are set before the first clip: {names}. Simulated raters went through none of them." in text
    assert "raters went through these checks" not in text
    assert "raters set it on a noise" not in text


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
    text = description.screening_paragraph(
        asking(attention=lines, attention_every=2), load(told(attention=found)).participants
    )
    assert text.endswith(
        "After every 2 batches that another one followed, raters answered one attention check; no rater met the same "
        "one twice. The checks included 1 instruction that names its answer. The checks included 1 statement that "
        "nobody can agree with. Whoever failed an attention check was marked and continued. Of 80 attention checks, 3 "
        "were failed, in 2 of 40 sessions."
    )
    text = description.screening_paragraph(asking(attention=lines, attention_failed="screen_out"), NOT_COMPUTED)
    assert "Whoever failed two of them, or one in a study announced as shorter than 5 minutes, had to leave." in text
    assert "attention check" not in description.screening_paragraph(asking(), NOT_COMPUTED)


def test_versions_with_other_checks_are_left_for_the_authors_to_state() -> None:
    text = description.screening_paragraph(asking(), load(told(screening_changed=True)).participants)
    assert "earlier ones differed: [state how]" in text


def test_the_tables_say_who_left_and_who_failed() -> None:
    found = told(*CHECKS)
    part = next(part for part in document.parts(load(found), asking()) if part.key == "participants")
    by_name = {table.name: table for table in part.tables}
    assert ("headphones (tones)", "between batches", 20, 16, 4, 0) in by_name["screening"].rows
    assert by_name["flow"].shown()[1] == ["did not agree", "–", "−5"]
    assert by_name["flow"].csv().splitlines()[2] == "did not agree,,-5"
