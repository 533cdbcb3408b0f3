"""The launch page's list: what it found, where it is fixed, and what a launch asks of raters."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone

from studies.launch import checks, launch_list, server_checks
from studies.launch.effort import effort
from studies.launch.plan import plan_of
from studies.models import Study
from tests import passages
from tests.researchers import logged_in, researcher
from tests.world import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_each_problem_links_to_the_page_that_fixes_it():
    study = make_study(now=NOW, launch=False, flawed=0, texts__contact="")
    groups = {group.level: group.lines for group in launch_list.context(study, timezone.now())["groups"]}
    design = reverse("studies:design", args=[study.slug])
    assert any(line.url == f"{design}#protocol.flawed_traps" for line in groups["blocking"])
    contact = next(line for line in groups["warning"] if "contact" in line.message)
    assert (contact.label, contact.url) == ("Open Design", f"{design}#texts.contact")


def test_every_place_of_a_finding_leads_somewhere():
    study = make_study(now=NOW, launch=False)
    for name in (*launch_list.PLACES, launch_list.DESIGN, "status", "judge:prescreening"):
        assert launch_list._line(study, checks.LaunchFinding("note", "-", name)).url


def test_a_worker_that_takes_nothing_is_worth_a_look(monkeypatch: pytest.MonkeyPatch):
    bad = server_checks.Finding("jobs", "problem", "Work has waited.")
    monkeypatch.setattr("core.operations.doctor.waiting_jobs", lambda: [bad])
    assert any("Work has waited" in each.message for each in server_checks.findings() if each.level == "warning")


def test_the_cost_is_the_pay_of_the_raters_needed():
    study = make_study(now=NOW, launch=False, payment__rate=1.6, payment__minutes=8)
    result = effort(plan_of(study))
    assert result.total == Decimal("1.60") * result.raters > 0
    assert result.minutes == 8


def test_publishing_lists_each_changed_setting_before_and_after():
    study = make_study(now=NOW, texts__instructions="Listen to the whole clip, and then say who speaks in it, please.")
    assert launch_list.changed(study)["changed"] == []
    texts = {**study.draft["texts"], "instructions": "Listen to the whole clip, and then say who is speaking in it."}
    study.draft = {**study.draft, "texts": texts, "protocol": {**study.draft["protocol"], "ratings_wanted": 77}}
    study.save()
    rows = {change.name: change for group in launch_list.changed(study)["changed"] for _label, change in group.rows}
    assert set(rows) == {"instructions", "ratings_wanted"}
    assert rows["ratings_wanted"].after == "77"
    assert ("out", "speaks") in rows["instructions"].pieces
    assert ("in", "is speaking") in rows["instructions"].pieces


def test_publishing_names_choices_as_their_form_does():
    study = make_study(now=NOW)
    study.draft = {**study.draft, "screening": {**study.draft["screening"], "device": "screen_out"}}
    [[(label, change)]] = [group.rows for group in launch_list.changed(study)["changed"]]
    assert (label, change.before, change.after) == ("Device", "Off", "End the session")


def test_what_raters_never_meet_is_no_change():
    study = make_study(now=NOW)
    study.draft = {**study.draft, "payment": {**study.draft["payment"], "rate": 3}}
    assert launch_list.changed(study)["changed"] == []


def lines(study: Study, level: str) -> list[launch_list.LaunchLine]:
    groups = {group.level: group.lines for group in launch_list.context(study, timezone.now())["groups"]}
    return groups.get(level, [])


def test_a_study_without_any_questions_has_one_line_that_leads_to_them():
    study = passages.make_passages(now=NOW, passages=3)
    study.questions.all().delete()
    [line] = lines(study, "blocking")
    assert line.message == "There are no questions yet. Add questions on each passage, and golden questions."
    assert line.url == reverse("studies:questions", args=[study.slug]) + "#import"


def test_many_clips_with_the_same_problem_are_one_line_with_examples():
    study = passages.make_passages(now=NOW, systems=("alpha", "beta"), passages=4)
    kept = study.questions.filter(golden=False).order_by("pk").first()
    assert kept is not None
    study.questions.filter(golden=False).exclude(text=kept.text_id).delete()
    missing = study.texts.exclude(pk=kept.text_id).count()
    [line] = [line for line in lines(study, "blocking") if "no questions" in line.message]
    assert line.message == f"{missing} passages have no questions. Add questions."
    assert line.url == reverse("studies:questions", args=[study.slug]) + "#listed"
    assert len(line.examples) == missing > 1
    assert all("There are no questions on the passage" in example for example in line.examples)


def test_a_return_url_of_another_platform_leads_to_its_field():
    prolific = "https://app.prolific.com/submissions/complete?cc={code}"
    study = make_study(now=NOW, launch=False, crowd__source="open", crowd__return_url=prolific)
    [line] = [line for line in lines(study, "warning") if "return URL" in line.message]
    assert line.message == "The return URL is Prolific's, but raters come from elsewhere: change or empty it."
    assert line.url.startswith(reverse("studies:design", args=[study.slug]))
    assert "return_url" in line.url


def test_systems_without_enough_texts_for_the_quota_are_one_line():
    study = make_study(now=NOW, launch=False, systems=("human", "alpha", "beta"), protocol__quota_utterances=500)
    [line] = [line for line in lines(study, "warning") if "utterances" in line.message]
    assert line.message == "3 systems or benchmarks have too few utterances for the quota. Add clips."
    assert [example.partition(":")[0] for example in line.examples] == ["alpha", "beta", "human"]


def test_unset_pay_and_minutes_are_listed_each_with_its_field():
    study = make_study(now=NOW, launch=False, payment__rate=None, payment__minutes=None)
    design = reverse("studies:design", args=[study.slug])
    urls = [line.url for line in lines(study, "warning")]
    assert f"{design}#payment.rate" in urls
    assert f"{design}#payment.minutes" in urls


def test_pay_for_an_hour_is_that_of_the_minutes_told_to_raters_and_is_compared_with_the_minimum():
    pay = {"payment__rate": 1.6, "payment__minutes": 12}
    low = effort(plan_of(make_study(now=NOW, launch=False, payment__hourly_least=9, **pay)))
    assert (low.hourly, low.least, low.is_below) == (Decimal("8.00"), Decimal("9.00"), True)
    fair = effort(plan_of(make_study(now=NOW, launch=False, payment__hourly_least=8, **pay)))
    assert not fair.is_below
    unset = effort(plan_of(make_study(now=NOW, launch=False, payment__rate=1.6, payment__minutes=None)))
    assert unset.hourly == (Decimal("1.6") * 60 / unset.proposed).quantize(Decimal("0.01"))


@pytest.mark.parametrize(
    ("source", "fee", "factor"),
    [
        ("prolific", None, Decimal("1.333")),
        ("prolific", 42.8, Decimal("1.428")),
        ("open", None, Decimal(1)),
        ("invite", None, Decimal(1)),
        ("template", None, None),
    ],
)
def test_the_total_has_the_fee_that_is_set_or_the_usual_one_of_the_source(
    source: str, fee: float | None, factor: Decimal | None
):
    settings = {"payment__rate": 2, "payment__fee_percent": fee, "crowd__source": source}
    result = effort(plan_of(make_study(now=NOW, launch=False, **settings)))
    assert result.total is not None
    assert result.with_fee == (None if factor is None else (result.total * factor).quantize(Decimal("0.01")))


def test_a_number_that_fixes_a_problem_is_set_by_one_click():
    owner = researcher("rita")
    study = make_study(now=NOW, launch=False, protocol__tests_per_batch=50, payment__minutes=None)
    Study.objects.update(owner=owner)
    page, launch = logged_in(owner), reverse("studies:launch", args=[study.slug])
    [line] = [line for line in lines(study, "blocking") if line.setting == "protocol.tests_per_batch"]
    number = plan_of(study).texts
    assert line.value == number
    assert f'value="{number}">Set to {number}</button>' in page.get(launch).content.decode()

    sent = {"setting": line.setting, "value": number}
    assert page.post(reverse("studies:set_value", args=[study.slug]), sent)["Location"] == launch
    study.refresh_from_db()

    assert study.definition.protocol.tests_per_batch == number
    assert not any(line.setting == "protocol.tests_per_batch" for line in lines(study, "blocking"))
    # Only now is there an estimate of the minutes.
    [minutes] = [line.value for line in lines(study, "warning") if line.setting == "payment.minutes"]
    assert minutes == effort(plan_of(study)).proposed > 0
    assert LogEntry.objects.order_by("pk")[0].get_change_message() == f"Test clips per batch: 50 → {number}"


@pytest.mark.parametrize("sent", [{"setting": "x.y", "value": "1"}, {"setting": "payment.minutes", "value": "-"}, {}])
def test_only_settings_are_set_to_numbers(sent: dict[str, str]):
    owner = researcher("rita")
    study = make_study(now=NOW, launch=False)
    Study.objects.update(owner=owner)
    assert logged_in(owner).post(reverse("studies:set_value", args=[study.slug]), sent).status_code == 404


def test_the_launch_follows_its_checks_and_optional_steps_come_last():
    owner = researcher("rita")
    study = make_study(now=NOW, launch=False, spot_check__mode="off")
    Study.objects.update(owner=owner)
    shown = logged_in(owner).get(reverse("studies:launch", args=[study.slug])).content.decode()
    parts = [
        "Launch checks</h2>",
        "Raters come from: <strong>Prolific</strong>",
        reverse("studies:move", args=[study.slug, "launch"]),
        "Optional before the launch</h2>",
        "<summary>Spot check <span",
        "<summary>Score clips with a model <span",
        "<summary>Dry run <span",
        "<summary>Pilot <span",
    ]
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)
    assert "<details open>" not in shown


def test_an_optional_step_that_is_in_use_is_open():
    owner = researcher("rita")
    study = make_study(now=NOW, launch=False, spot_check__mode="offered")
    Study.objects.update(owner=owner)
    shown = logged_in(owner).get(reverse("studies:launch", args=[study.slug])).content.decode()
    opened = shown.split("<details open>")
    assert len(opened) == 2
    assert opened[1].strip().startswith("<summary>Spot check <span")


def test_a_closed_study_shows_no_launch_checks():
    owner = researcher("rita")
    study = make_study(now=NOW)
    address = reverse("studies:launch", args=[study.slug])
    Study.objects.update(owner=owner)
    assert ">Launch checks</h2>" in logged_in(owner).get(address).content.decode()
    Study.objects.update(state="closed")
    assert ">Launch checks</h2>" not in logged_in(owner).get(address).content.decode()
