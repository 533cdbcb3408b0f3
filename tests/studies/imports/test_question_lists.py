"""Questions alone, for passages that a draft has: a preview, all or nothing, and the same list again as a download."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import User
from core.errors import Conflict
from studies.drafting import inspecting
from studies.drafting.models import Draft, DraftPrompt, DraftQuestion, DraftRun
from studies.imports import publishing, question_lists
from studies.imports.report import reason
from studies.members.models import Member
from studies.models import Clip, Study
from tests.researchers import logged_in, researcher, text, url
from tests.studies.drafting.material import hear, passages
from tests.studies.imports.helpers import GOLDEN, QUESTIONS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
HEAD = QUESTIONS.splitlines()[0]


@pytest.fixture
def rita() -> User:
    return researcher("rita")


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


@pytest.fixture
def study(now: datetime, rita: User) -> Study:
    """Return a draft with the passages p1 and p2, and no question."""
    study = passages(now, "The first passage.", "The second passage.")
    for number, row in enumerate(study.texts.order_by("pk"), start=1):
        row.name = f"p{number}"
        row.save()
    study.owner = rita
    study.save()
    return study


def lists(questions: str = "", golden: str = "") -> publishing.Lists:
    return publishing.read(publishing.Files(None, questions.encode() or None, golden.encode() or None))


def files(**contents: str) -> dict[str, SimpleUploadedFile]:
    return {name: SimpleUploadedFile(f"{name}.csv", content.encode()) for name, content in contents.items()}


def send(page: Client, study: Study, **contents: str) -> Any:
    return page.post(url("questions_import", study.slug), files(**contents))


def confirm(page: Client, study: Study, **contents: str) -> Any:
    data = {f"{name}_content": content for name, content in contents.items()}
    return page.post(url("questions_import", study.slug), {"confirm": "1", **data}, follow=True)


def downloaded(page: Client, study: Study, name: str = "questions") -> str:
    return page.get(url("questions_list", study.slug), {"list": name}).content.decode("utf-8-sig")


def test_lists_are_shown_before_they_are_stored_and_stored_when_confirmed(page: Client, study: Study) -> None:
    shown = text(send(page, study, questions=QUESTIONS, golden=GOLDEN))
    assert "6 questions are new." in shown
    assert "Sixteen hours" in shown
    assert not study.questions.exists()
    assert "6 questions were added and 0 changed." in text(confirm(page, study, questions=QUESTIONS, golden=GOLDEN))
    names = ["golden/1", "golden/2", "p1/1", "p1/2", "p2/1", "p2/2"]
    assert sorted(study.questions.values_list("name", flat=True)) == names
    assert "How long?" in text(page.get(url("questions", study.slug)))


def test_what_was_downloaded_changes_nothing_when_it_is_imported_again(page: Client, study: Study) -> None:
    formula = QUESTIONS.replace("Six hours", "=6 hours").replace("Who?", '"-Who, then?"')
    question_lists.store(study=study, lists=lists(formula, GOLDEN))
    assert study.questions.filter(prompt="-Who, then?", options__0__text="Anna").exists()
    content, golden = downloaded(page, study), downloaded(page, study, "golden")
    assert "'=6 hours" in content
    preview = question_lists.preview(study, lists(content, golden))
    assert (preview.new, preview.changed, preview.same, preview.problems) == ([], [], 6, [])
    assert "just as they are" in text(send(page, study, questions=content, golden=golden))


def test_other_answers_to_the_same_words_are_shown_and_change_that_question(page: Client, study: Study) -> None:
    question_lists.store(study=study, lists=lists(QUESTIONS))
    changed = f"{HEAD}\np1,HOW long?,Seven hours,Sixteen hours,phonetic,Six days,semantic\n"
    shown = text(send(page, study, questions=changed))
    assert "1 gets other answers." in shown
    assert all(words in shown for words in ("Six hours", "Seven hours"))
    result = question_lists.store(study=study, lists=lists(changed))
    assert (len(result.new), len(result.changed), study.questions.count()) == (0, 1, 4)
    question = study.questions.get(name="p1/1")
    assert (question.prompt, question.options[0]["text"]) == ("HOW long?", "Seven hours")


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (f"{HEAD}\np9,Who?,A,B,phonetic,C,semantic\np9,How?,A,B,phonetic,C,semantic\n", "No clip has the passage p9"),
        (f"{HEAD}\n" + "".join(f"p1,Q{n}?,A,B,phonetic,C,semantic\n" for n in range(11)), "is 11; 2 to 10 are needed"),
        (f"{HEAD}\np1,How long?,A,B,fonetic,C,semantic\n", "is not a type of error"),
    ],
)
def test_errors_are_named_by_row_and_column_and_nothing_is_stored(
    page: Client, study: Study, questions: str, said: str
) -> None:
    for answer in (
        send(page, study, questions=questions, golden=GOLDEN),
        confirm(page, study, questions=questions, golden=GOLDEN),
    ):
        html = text(answer)
        assert "1 problem to fix" in html
        assert said in html
        assert 'data-label="Row">2<' in html
    assert not study.questions.exists()


def test_a_single_question_on_a_passage_is_stored_with_a_warning(page: Client, study: Study) -> None:
    one = f"{HEAD}\np1,How long?,A,B,phonetic,C,semantic\n"
    assert "The number of questions on the passage p1 is 1; 2 to 10 are needed." in text(
        send(page, study, questions=one)
    )
    confirm(page, study, questions=one)
    assert study.questions.count() == 1
    assert "passages have fewer than 2 questions" in text(page.get(url("questions", study.slug)))


def test_after_the_launch_questions_are_frozen_everywhere(
    page: Client, study: Study, now: datetime, tmp_path: Path
) -> None:
    question_lists.store(study=study, lists=lists(QUESTIONS, GOLDEN))
    Study.objects.filter(pk=study.pk).update(state="live", launched_at=now)
    study.refresh_from_db()
    other = QUESTIONS.replace("Six hours", "Seven hours")
    with pytest.raises(Conflict, match="its questions can’t be changed"):
        question_lists.store(study=study, lists=lists(other))
    assert "its questions can’t be changed" in text(confirm(page, study, questions=other))
    assert page.post(reverse("api:questions", args=[study.slug]), files(questions=other)).status_code == 409
    (tmp_path / "q.csv").write_text(other)
    with pytest.raises(CommandError, match="its questions can’t be changed"):
        call_command("import_clips", study.slug, "--questions", str(tmp_path / "q.csv"))
    assert study.questions.get(name="p1/1").options[0]["text"] == "Six hours"
    shown = text(page.get(url("questions", study.slug)))
    assert "How long?" in shown
    assert 'type="file"' not in shown


def test_a_change_by_a_list_outlasts_the_undoing_of_a_decision(study: Study, rita: User, now: datetime) -> None:
    run = DraftRun.objects.create(
        study=study, kind="questions", plan={}, created_at=now, budget_tokens=1, budget_calls=1
    )
    prompt = DraftPrompt.objects.create(study=study, step="questions", language="en", number=1, body="", at=now)
    draft = Draft.objects.create(run=run, unit="q", step="questions", prompt=prompt, model="m", parameters={}, at=now)
    options = [{"text": "A", "error": ""}, {"text": "B", "error": "phonetic"}, {"text": "C", "error": "semantic"}]
    row = DraftQuestion.objects.create(
        run=run, draft=draft, text=study.texts.get(name="p1"), prompt="Who?", options=options
    )
    hear(study, rita)
    inspecting.decide(study=study, pk=row.pk, user=rita, accepts=True, revision=0, now=now)
    question_lists.store(study=study, lists=lists(f"{HEAD}\np1,Who?,Anna,B,phonetic,C,semantic\n"))
    inspecting.undo(study=study, user=rita, now=now)
    assert [each.options[0]["text"] for each in study.questions.all()] == ["Anna"]


def test_the_command_imports_questions_alone(study: Study, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(QUESTIONS)
    (tmp_path / "g.csv").write_text(GOLDEN.replace("Seven", ""))
    arguments = ["import_clips", study.slug, "--questions", str(tmp_path / "q.csv")]
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 refusals"):
        call_command(*arguments, "--golden", str(tmp_path / "g.csv"), stdout=out)
    assert not study.questions.exists()
    call_command(*arguments, stdout=out)
    assert "4 added, 0 changed, 0 as before" in out.getvalue()
    with pytest.raises(CommandError, match="There is no file"):
        call_command("import_clips", study.slug, "--golden", str(tmp_path / "none.csv"))


def test_the_api_imports_and_lists_questions(page: Client, study: Study) -> None:
    address = reverse("api:questions", args=[study.slug])
    wrong = page.post(address, files(questions=QUESTIONS, golden=GOLDEN.replace("Seven", "")))
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "golden row 2 correct")
    assert page.post(address, files(questions=QUESTIONS, golden=GOLDEN)).json() == {"added": 6, "changed": 0}
    rows = page.get(address).json()["results"]
    assert [row["passage"] for row in rows] == ["p1", "p1", "p2", "p2", "", ""]
    assert rows[0]["options"][1] == {"text": "Sixteen hours", "error": "phonetic"}


def test_questions_on_black_box_passages_are_for_people_who_may_change_the_study(
    page: Client, study: Study, now: datetime
) -> None:
    question_lists.store(study=study, lists=lists(QUESTIONS, GOLDEN))
    Clip.objects.filter(study=study, text__name="p1").update(box="black")
    viewer = researcher("vera")
    Member.objects.create(study=study, user=viewer, role="viewer", added_at=now)
    addresses = (
        url("questions", study.slug),
        url("questions_list", study.slug),
        reverse("api:questions", args=[study.slug]),
    )
    admin = (
        reverse("admin:studies_question_changelist"),
        reverse("admin:studies_question_change", args=[study.questions.get(name="p1/1").pk]),
    )
    for address in (*addresses, *admin):
        for client, sees in ((page, True), (logged_in(viewer), False)):
            shown = text(client.get(address))
            assert ("How long?" in shown) is sees, address
            assert ("Sixteen hours" in shown) is sees, address
            assert "How many?" in shown or address == admin[1]
    search = logged_in(viewer).get(admin[0], {"q": "How long"})
    assert "p1/1" not in text(search)


def test_a_stored_problem_is_translated_when_it_is_read(study: Study) -> None:
    (problem,) = question_lists.preview(study, lists(f"{HEAD}\np1,,A,B,phonetic,C,semantic\n")).refusals
    line = problem.as_dict()
    assert line["reason"] == "The column question is empty."
    assert line["sentence"] == {"pattern": "The column {name} is empty.", "values": {"name": "question"}}
    with translation.override("en"):
        assert reason(line) == line["reason"]
    assert reason({"reason": "An old line."}) == "An old line."
