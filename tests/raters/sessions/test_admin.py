"""What raters did is shown to the study's owner, and can't be changed: what counts is decided by verdicts."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from raters.models import Answer, Batch, Session, Verdict
from raters.rating import batches
from raters.sessions.admin import SessionAdmin
from studies.members import rows
from studies.models import Study
from tests.researchers import logged_in, researcher, text, url
from tests.world import Person, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def page() -> Client:
    """Return the browser of Rita, whose study it is."""
    return logged_in(researcher("rita"))


@pytest.fixture
def stranger() -> Client:
    """Return the browser of a researcher with no studies."""
    return logged_in(researcher("sam"))


@pytest.fixture
def live(page: Client, now: datetime) -> Study:
    study = make_study(now=now)
    Study.objects.update(owner=User.objects.get(username="rita"))
    return study


def test_records_are_read_only(page: Client, live: Study, now: datetime) -> None:
    person = Person(live, now).start()
    person.rate()
    session = Session.objects.get()
    Verdict.objects.create(session=session, rule="by_hand", usable=False, at=now)
    rows = [
        live.versions.get(),
        live.clips.first(),
        session,
        Batch.objects.get(),
        Answer.objects.get(),
        Verdict.objects.get(),
    ]
    root = logged_in(User.objects.create_superuser("root", password="pw"))
    for row in rows:
        assert row
        name = f"admin:{row._meta.app_label}_{row._meta.model_name}"
        for client in (page, root):
            assert client.get(reverse(f"{name}_changelist")).status_code == 200, name
            shown = client.get(reverse(f"{name}_change", args=[row.pk]))
            assert shown.status_code == 200, name
            assert 'type="submit" value="Save"' not in text(shown), name
            assert client.post(reverse(f"{name}_change", args=[row.pk]), {}).status_code == 403, name
            assert client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403, name
            assert client.get(reverse(f"{name}_add")).status_code == 403, name
    assert page.post(url("delete", live.pk), {"post": "yes"}).status_code == 403


def test_raters_of_other_studies_are_not_seen(page: Client, stranger: Client, live: Study, now: datetime) -> None:
    Person(live, now).start().rate()
    session = Session.objects.get()
    for target in ({"session": session}, {"batch": Batch.objects.get()}, {"answer": Answer.objects.get()}):
        Verdict.objects.create(**target, rule="by_hand", usable=False, at=now)
    Verdict.objects.create(rater=session.rater, rule="by_hand", usable=False, at=now)
    Verdict.objects.create(clip=live.clips.first(), rule="by_hand", usable=False, at=now)
    for model, number in (("session", 1), ("batch", 1), ("answer", 1), ("verdict", 5)):
        address = reverse(f"admin:raters_{model}_changelist")
        assert page.get(address).context["cl"].result_count == number, model
        assert stranger.get(address).context["cl"].result_count == 0, model


def test_a_session_is_found_by_the_platforms_id(page: Client, live: Study, now: datetime) -> None:
    Person(live, now, name="ann").start().rate()
    Person(live, now, name="bob").start()
    for model, number in (("session", 1), ("batch", 1), ("answer", 1), ("verdict", 0)):
        address = reverse(f"admin:raters_{model}_changelist")
        assert page.get(address, {"q": "s-ann"}).context["cl"].result_count == number, model
        assert page.get(address, {"q": "s-an"}).context["cl"].result_count == 0, model


def act(client: Client, row: Model, action: str, **sent: str) -> Any:
    """Choose one row of its list and an action; with `confirmed`, from the page that asks once more."""
    address = reverse(f"admin:raters_{row._meta.model_name}_changelist")
    first = {} if "confirmed" in sent else {"index": "0"}
    return client.post(address, {"action": action, ACTION_CHECKBOX_NAME: str(row.pk), **first, **sent})


@pytest.fixture
def rated(live: Study, now: datetime) -> Batch:
    """Return a valid batch."""
    person = Person(live, now).start()
    person.rate_batch()
    [batch] = person.filled
    batches.validate(pk=batch, now=person.now)
    return Batch.objects.get(pk=batch)


@pytest.mark.parametrize("subject", ["session", "batch", "answer"])
def test_a_row_is_excluded_with_a_reason_and_the_verdict_taken_back(page: Client, rated: Batch, subject: str) -> None:
    first = Answer.objects.order_by("pk")[0]
    row = {"session": rated.session, "batch": rated, "answer": first}[subject]
    asked = act(page, row, "keep_out")
    assert asked.status_code == 200
    assert str(row) in text(asked)
    assert not Verdict.objects.exists()
    without = act(page, row, "keep_out", confirmed="yes", reason="  ")
    assert "This field is required" in text(without)
    assert not Verdict.objects.exists()
    assert act(page, row, "keep_out", confirmed="yes", reason="Shared the code <b>").status_code == 302
    verdict = Verdict.objects.get()
    assert getattr(verdict, subject) == row
    assert (verdict.rule, verdict.by, verdict.detail) == (
        "by_hand",
        User.objects.get(username="rita"),
        {"reason": "Shared the code <b>"},
    )
    assert rated.trials.filter(usable=False).count() == (1 if subject == "answer" else 10)
    listed = text(page.get(reverse("admin:raters_verdict_change", args=[verdict.pk])))
    assert "Shared the code &lt;b&gt;" in listed
    assert "Revoke" in text(act(page, verdict, "take_back"))
    assert act(page, verdict, "take_back", confirmed="yes").status_code == 302
    verdict.refresh_from_db()
    assert verdict.revoked_at is not None
    assert verdict.detail["revoked_by"] == "rita"
    assert rated.trials.filter(usable=True).count() == 10
    history = LogEntry.objects.order_by("pk").values_list("user__username", "object_id", "change_message")
    assert list(history) == [
        ("rita", str(row.pk), "Excluded from the scores."),
        ("rita", str(verdict.pk), "Taken back."),
    ]
    again = page.post(
        reverse("admin:raters_verdict_changelist"),
        {"action": "take_back", ACTION_CHECKBOX_NAME: str(verdict.pk), "confirmed": "yes"},
        follow=True,
    )
    assert "already been revoked" in text(again)


def test_nobody_else_excludes_or_takes_back(page: Client, stranger: Client, rated: Batch, now: datetime) -> None:
    verdict = Verdict.objects.create(session=rated.session, rule="twin", usable=False, at=now)
    for row, action in ((rated.session, "keep_out"), (rated, "keep_out"), (verdict, "take_back")):
        act(stranger, row, action, confirmed="yes", reason="Not mine")
    reader = User.objects.create_user("reader", password="pw", is_staff=True)
    reader.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    Study.objects.update(owner=reader)
    only_reads = logged_in(reader)
    for row, action in ((rated.session, "keep_out"), (rated, "keep_out"), (verdict, "take_back")):
        listed = only_reads.get(reverse(f"admin:raters_{row._meta.model_name}_changelist"))
        assert listed.context["cl"].result_count == 1
        assert action not in text(listed)
        act(only_reads, row, action, confirmed="yes", reason="Not allowed")
    verdict.refresh_from_db()
    assert verdict.revoked_at is None
    assert Verdict.objects.count() == 1


def test_a_verdict_on_a_rater_who_rated_for_others_too_is_a_superusers(
    page: Client, live: Study, rated: Batch, now: datetime
) -> None:
    theirs = make_study(now=now)
    rater = rated.session.rater
    verdict = Verdict.objects.create(rater=rater, rule="twin", usable=False, at=now)
    elsewhere = Person(theirs, now).session
    Session.objects.filter(pk=elsewhere.pk).update(rater=rater)
    act(page, verdict, "take_back", confirmed="yes")
    verdict.refresh_from_db()
    assert verdict.revoked_at is None
    root = logged_in(User.objects.create_superuser("root", password="pw"))
    act(root, verdict, "take_back", confirmed="yes")
    verdict.refresh_from_db()
    assert verdict.revoked_at is not None


def test_a_long_list_is_shown_in_part_and_too_long_a_one_refused(
    page: Client, rated: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = reverse("admin:raters_answer_changelist")
    sent = {"action": "keep_out", ACTION_CHECKBOX_NAME: [str(answer.pk) for answer in Answer.objects.all()]}
    monkeypatch.setattr("raters.sessions.admin.SHOWN", 4)
    asked = text(page.post(address, {**sent, "index": "0"}))
    assert asked.count("<li>answer to") == 4
    assert "and 6 more" in asked
    monkeypatch.setattr("raters.sessions.admin.AT_ONCE", 9)
    for how in ({"index": "0"}, {"confirmed": "yes", "reason": "All of them"}):
        assert "at most 9" in text(page.post(address, {**sent, **how}, follow=True))
    assert not Verdict.objects.exists()
    monkeypatch.setattr("raters.sessions.admin.AT_ONCE", 10)
    page.post(address, {**sent, "confirmed": "yes", "reason": "All of them"})
    assert Verdict.objects.count() == 10


def test_a_long_list_is_counted_a_little_beyond_each_page_and_can_be_read_to_its_end(
    page: Client, live: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "COUNTED", 2)
    monkeypatch.setattr(SessionAdmin, "list_per_page", 3)
    sessions = [Person(live, now).start().session.pk for _ in range(7)]
    address = reverse("admin:raters_session_changelist")
    first, second, third = (page.get(address, {"p": number}) for number in (1, 2, 3))
    assert "More than 5 rows" in text(first)
    assert "More than" not in text(second) + text(third)
    assert "7 sessions" in text(second)
    listed = [row.pk for shown in (first, second, third) for row in shown.context["cl"].result_list]
    assert listed == sessions[::-1]


def test_filters_offer_the_states_and_rules_that_there_are(page: Client, live: Study, now: datetime) -> None:
    person = Person(live, now).start()
    for rule in ("traps", "by_hand", "traps", "expert_review"):
        Verdict.objects.create(session=person.session, rule=rule, usable=False, at=now)
    verdicts = page.get(reverse("admin:raters_verdict_changelist"))
    assert [verdicts.text.count(f'href="?rule={rule}"') for rule in ("by_hand", "expert_review", "traps")] == [1, 1, 1]
    batches = page.get(reverse("admin:raters_batch_changelist"))
    assert ('href="?state=open"' in batches.text, 'href="?state=done"' in batches.text) == (True, False)
    only = page.get(reverse("admin:raters_verdict_changelist"), {"rule": "traps"})
    assert only.context["cl"].result_count == 2


def test_the_filter_by_study_offers_the_studies_that_one_may_see(page: Client, live: Study, now: datetime) -> None:
    other = make_study(now=now)
    shown = page.get(reverse("admin:raters_session_changelist")).text
    assert f"study__id__exact={live.pk}" in shown
    assert f"study__id__exact={other.pk}" not in shown


@pytest.mark.parametrize(("name", "columns"), [("answer", ["trial"]), ("verdict", [])])
def test_long_lists_offer_no_sort_without_an_index(
    page: Client, live: Study, now: datetime, name: str, columns: list[str]
) -> None:
    Person(live, now).start().rate()
    Verdict.objects.create(session=Session.objects.get(), rule="by_hand", usable=False, at=now)
    html = text(page.get(reverse(f"admin:raters_{name}_changelist")))
    sortable = re.findall(r'<th scope="col" class="sortable column-(\w+)', html)
    assert sortable == columns


@pytest.mark.skipif(connection.vendor != "sqlite", reason="reads SQLite’s plans")
def test_a_search_by_a_platforms_id_finds_answers_and_verdicts_by_indexes(live: Study, now: datetime) -> None:
    for name in ("ann", "bob"):
        person = Person(live, now, name).start()
        person.rate()
    root = logged_in(User.objects.create_superuser("root", password="pw"))
    answer, batch, session = Answer.objects.first(), Batch.objects.first(), Session.objects.first()
    for subject in ({"answer": answer}, {"batch": batch}, {"session": session}):
        Verdict.objects.create(rule="by_hand", usable=False, at=now, **subject)
    assert session
    for name, number in (("answer", Answer.objects.filter(trial__session=session).count()), ("verdict", 3)):
        address = reverse(f"admin:raters_{name}_changelist")
        with CaptureQueriesContext(connection) as queries:
            shown = root.get(address, {"q": session.ext_session})
        # Before the next request, which clears the log.
        plans = [plan for query in list(queries) if "raters_" in query["sql"] for plan in steps(query["sql"])]
        assert any(f"raters_{name}" in plan for plan in plans)
        assert shown.context["cl"].result_count == number
        assert root.get(address, {"q": "nobody"}).context["cl"].result_count == 0
        assert not [plan for plan in plans if re.match(r"SCAN raters_(answer|verdict|trial|batch)$", plan)]


def steps(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return [str(row[-1]) for row in cursor.fetchall()]


def test_pages_name_rules_details_and_columns_in_words(page: Client, live: Study, now: datetime) -> None:
    Person(live, now).start().rate()
    counts = {"flawed_right": 0, "flawed": 2, "human_right": 1, "humans": 1}
    Batch.objects.update(trap_counts=counts)
    verdict = Verdict.objects.create(batch=Batch.objects.get(), rule="traps", usable=False, at=now, detail=counts)
    listed = text(page.get(reverse("admin:raters_verdict_changelist")))
    assert listed.count("batch failed its traps") >= 2
    for row in (verdict, Batch.objects.get()):
        shown = text(page.get(reverse(f"admin:raters_{row._meta.model_name}_change", args=[row.pk])))
        assert "flawed traps answered right: 0" in shown
        assert "flawed right" not in shown
    session = text(page.get(reverse("admin:raters_session_change", args=[Session.objects.get().pk])))
    assert "study id at the platform" in session.lower()
    assert not re.search(r"ext study|sha256|ext session", session.lower())
    for row in (live.versions.get(), live.clips.first()):
        assert row
        shown = text(page.get(reverse(f"admin:studies_{row._meta.model_name}_change", args=[row.pk])))
        assert "fingerprint (sha-256)" in shown.lower()
        assert "Sha256" not in shown


def test_deleting_a_user_lists_roles_by_name(page: Client) -> None:
    root = logged_in(User.objects.create_superuser("root", password="pw"))
    shown = text(root.get(reverse("admin:accounts_user_delete", args=[User.objects.get(username="rita").pk])))
    assert "object (" not in shown
    assert "esearchers" in shown
