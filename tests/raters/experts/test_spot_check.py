"""The pages of the spot check: what an expert's browser gets, and what a researcher does with the result."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core import clock
from studies.models import Clip, SpotDecision, SpotItem, Study, System, Text
from studies.spot_checks import checking as spot_checking
from tests.raters.experts.people import expert
from tests.researchers import logged_in, researcher, text, url
from tests.studies.spot_checks.checking import change, decide_all, draft, with_takes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
STATE = re.compile(r'<script id="state" type="application/json">(.*?)</script>', re.S)


@pytest.fixture
def study(now: datetime, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setattr(clock, "now", lambda: now)
    study = with_takes(draft(now, systems=("human", "zyxalpha", "zyxbeta"), texts=8), "zyxalpha")
    Clip.objects.filter(study=study).update(voice="qqvoice", dimension="qqdimension", benchmark="qqbench", box="black")
    study.owner = researcher("rita")
    study.save()
    return study


def api(study: Study, name: str, *args: str) -> str:
    return reverse(f"experts:spot_check_{name}", args=[study.slug, *args])


def state_of(browser: Client, study: Study) -> dict[str, Any]:
    found = STATE.search(text(browser.get(reverse("experts:spot_check", args=[study.slug]))))
    assert found
    return dict(json.loads(found[1]))


def send(browser: Client, address: str, **body: Any) -> Any:
    return browser.post(address, json.dumps(body), content_type="application/json")


def secrets(study: Study) -> set[str]:
    """Return what must never reach an expert's browser: systems, voices, files, groups, hashes, stored names."""
    words = {"qqvoice", "qqdimension", "qqbench", "replacement"}
    words |= set(System.objects.filter(study=study).exclude(name="human").values_list("name", flat=True))
    for column in ("file", "sha256", "original", "rendition"):
        words |= set(Clip.objects.filter(study=study).values_list(column, flat=True))
    return words | set(Text.objects.filter(study=study).values_list("name", flat=True))


def leaks(study: Study, response: Any) -> set[str]:
    body = b"".join(response) if response.streaming else response.content
    sent = body.decode("latin-1") + repr(dict(response.headers))
    return {word for word in secrets(study) if word in sent}


def test_a_whole_spot_check_tells_an_expert_nothing_of_the_systems(study: Study) -> None:
    expert("ottokar", study)
    for user in (expert("evamaria", study), User.objects.get(username="ottokar")):
        browser = logged_in(user)
        answers = [browser.get(reverse("experts:index")), browser.get(reverse("experts:spot_check", args=[study.slug]))]
        state = state_of(browser, study)
        for number in range(6):
            item = state["items"][0]
            answers += [browser.get(clip["url"]) for clip in item["clips"]]
            if number == 1:
                answers.append(send(browser, api(study, "skip", item["key"])))
            else:
                code = {"success": ["ok", "incomplete"], "consistency": ["yes", "no"]}[item["kind"]]
                said = code[user.username == "ottokar"]
                heard = [clip["key"] for clip in item["clips"]]
                address = api(study, "decide", item["key"])
                answers.append(send(browser, address, decision=said, note="qq", played=heard))
            if number == 2:
                answers.append(send(browser, api(study, "undo", answers[-1].json()["last"])))
            state = answers[-1].json()
        answers.append(browser.get(api(study, "current")))
        assert [answer.status_code for answer in answers] == [200] * len(answers)
        assert [leaks(study, answer) for answer in answers] == [set()] * len(answers)
        sent = "".join(text(answer) for answer in answers if not answer.streaming)
        assert user.username == "evamaria" or "evamaria" not in sent  # longer than what a random key may spell
    mia = logged_in(expert("mia", study))
    adjudicated = mia.get(reverse("experts:spot_check", args=[study.slug]))
    assert state_of(mia, study)["items"][0]["decisions"] == [
        {"decision": "incomplete", "note": "qq"},
        {"decision": "ok", "note": "qq"},
    ]
    assert leaks(study, adjudicated) == set()
    assert not {"evamaria", "ottokar"} & set(re.findall(r"\w+", text(adjudicated)))


def test_the_leak_test_sees_a_leak(study: Study) -> None:
    assert study.owner
    shown = logged_in(study.owner).get(reverse("experts:spot_check_overview", args=[study.slug]))
    assert "zyxalpha" in leaks(study, shown)


def test_two_experts_fetch_the_same_clip_under_different_names(study: Study) -> None:
    urls = []
    for name in ("eva", "otto"):
        [clip] = state_of(logged_in(expert(name, study)), study)["items"][0]["clips"]
        urls.append(clip["url"])
    assert urls[0] != urls[1]
    assert logged_in(User.objects.get(username="otto")).get(urls[0]).status_code == 404


def test_the_page_says_that_it_is_not_about_human_likeness(study: Study) -> None:
    shown = text(logged_in(expert("eva", study)).get(reverse("experts:spot_check", args=[study.slug])))
    assert "Judge whether the clip is in order, not how human it sounds." in shown
    assert "not how human they sound" in shown


def test_the_index_lists_the_work_until_the_launch(study: Study) -> None:
    browser = logged_in(expert("eva", study))
    assert "Check clips" in text(browser.get(reverse("experts:index")))
    change(study, mode="off")
    assert "Check clips" not in text(browser.get(reverse("experts:index")))
    assert "nothing to check:" in text(browser.get(reverse("experts:spot_check", args=[study.slug])))


def test_a_decision_needs_the_keys_of_the_clips_that_were_played(study: Study) -> None:
    browser = logged_in(expert("eva", study))
    item = state_of(browser, study)["items"][0]
    assert [clip["played"] for clip in item["clips"]] == [False]
    address = api(study, "decide", item["key"])
    for played in ([], ["x" * 22]):
        refused = send(browser, address, decision="ok", played=played)
        assert (refused.status_code, refused.json()["error"]) == (409, "not_played")
    stored = send(browser, address, decision="ok", played=[clip["key"] for clip in item["clips"]]).json()
    undone = send(browser, api(study, "undo", stored["last"])).json()
    # What was heard once needn't be played again.
    assert [clip["played"] for clip in undone["items"][0]["clips"]] == [True]
    assert send(browser, api(study, "decide", undone["back"]), decision="incomplete").status_code == 200


def test_bad_requests_change_nothing(study: Study) -> None:
    browser = logged_in(expert("eva", study))
    key = state_of(browser, study)["items"][0]["key"]
    for body in ({"decision": "human"}, {"decision": "other"}, {"decision": "ok", "note": "x" * 2001}, {"note": "x"}):
        assert send(browser, api(study, "decide", key), **body).status_code == 422
    assert send(browser, api(study, "decide", "x" * 22), decision="ok").json()["error"] == "lost"
    assert send(browser, api(study, "undo", "x" * 22)).status_code == 404
    assert send(Client(), api(study, "decide", key), decision="ok").json()["error"] == "signed_out"
    assert send(logged_in(expert("otto")), api(study, "decide", key), decision="ok").status_code == 404
    assert not SpotDecision.objects.exists()


def failed(study: Study, now: datetime) -> Clip:
    """Let two experts fail one clip and pass the others; return it."""
    spot_checking.fill(study=study)
    bad = SpotItem.objects.filter(kind="success").first()
    assert bad is not None
    for name in ("eva", "otto"):
        decide_all(study, expert(name, study), now, lambda item: "mixed_voice" if item == bad else "")
    return Clip.objects.get(spot_clips__item=bad)


def test_a_researcher_withdraws_what_failed_and_the_launch_opens(study: Study, now: datetime) -> None:
    clip = failed(study, now)
    assert study.owner
    rita, address = logged_in(study.owner), reverse("experts:spot_check_overview", args=[study.slug])
    shown = text(rita.get(address))
    assert clip.file in shown
    assert "Mixed voices" in shown
    assert "6.1 – 79.2 %" in shown
    blocked = text(rita.get(url("launch", study.slug)))
    assert "1 item failed the spot check" in blocked
    assert "6 items decided, 0 still wait for experts, 1 failed." in blocked
    done = rita.post(address, {"withdraw": clip.pk}, follow=True)
    assert f"{clip.file} is withdrawn." in text(done)
    clip.refresh_from_db()
    assert clip.withdrawn_at == now
    assert "failed the spot check and" not in text(rita.get(url("launch", study.slug)))
    rita.post(address, {"restore": clip.pk})
    clip.refresh_from_db()
    assert clip.withdrawn_at is None


def test_only_what_failed_can_be_withdrawn_there_and_only_by_who_may_see_results(study: Study, now: datetime) -> None:
    clip = failed(study, now)
    address = reverse("experts:spot_check_overview", args=[study.slug])
    assert study.owner
    other = Clip.objects.filter(study=study).exclude(pk=clip.pk).first()
    assert other
    for sent in ({"withdraw": other.pk}, {"withdraw": "x"}, {}):
        assert logged_in(study.owner).post(address, sent).status_code == 404
    eva = logged_in(User.objects.get(username="eva"))
    assert (eva.get(address).status_code, eva.post(address, {"withdraw": clip.pk}).status_code) == (404, 404)
    assert logged_in(researcher("ruth")).get(address).status_code == 404
    assert not Clip.objects.filter(study=study, withdrawn_at__isnull=False).exists()


def test_the_launch_page_says_when_it_is_switched_off(study: Study) -> None:
    change(study, mode="off")
    assert study.owner
    page = logged_in(study.owner)
    shown = text(page.get(url("launch", study.slug)))
    assert f'href="{url("design", study.slug)}#spot_check.mode">Turn it on' in shown
    Study.objects.update(state="live", launched_at=study.created_at)
    assert "Spot check" not in text(page.get(url("launch", study.slug)))
