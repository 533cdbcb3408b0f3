"""What an expert's browser is sent at the review: enough to decide, and nothing that tells where a clip is from."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from core import clock
from raters.experts import review_overview, urls
from raters.experts.reviewing import REVIEW
from raters.models import Answer, Review, ReviewItem, Session
from studies.models import Clip, Study, System
from tests.raters.experts.people import expert
from tests.raters.experts.reviewing import answers, change, decide, empty_queues, rated_study
from tests.researchers import logged_in, researcher, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]


@pytest.fixture
def study(now: datetime) -> Study:
    return rated_study(now, people=2, systems=("human", "zqalpha", "zqbeta"))


@pytest.fixture
def eva(study: Study) -> Client:
    return logged_in(expert("eva", study))


def api(study: Study, action: str, *key: str) -> str:
    return reverse(f"experts:review_{action}", args=[study.slug, *key])


def now_before(browser: Client, study: Study) -> dict[str, Any]:
    """Return what this browser's page would show."""
    found: dict[str, Any] = browser.get(api(study, "current")).json()
    return found


def send(browser: Client, study: Study, action: str, key: str, **body: Any) -> Any:
    return browser.post(api(study, action, key), body, content_type="application/json")


def test_a_card_holds_what_is_needed_to_decide(eva: Client, study: Study) -> None:
    found = now_before(eva, study)
    assert len(found["items"]) == 2
    item = found["items"][0]
    answer = Answer.objects.get(review_item__key=item["key"])
    assert set(item) == {"key", "answers", "reason", "clips", "decisions"}
    assert item["answers"] == [{"clip": "", "label": "Human"}]
    assert (item["reason"], item["decisions"]) == (answer.reason, [])
    [clip] = item["clips"]
    heard = Clip.objects.get(pk=answer.trial.clips.get().clip_id)
    assert heard.text
    assert (clip["text"], clip["seconds"]) == (heard.text.body, 0.5)
    assert eva.get(clip["url"]).getvalue()[:4] == b"RIFF"
    assert found["progress"] == {
        "total": 14,
        "done": 0,
        "waiting": 14,
        "mine": 0,
        "today": 0,
        "seconds": None,
        "is_more": False,
    }


def test_each_decision_brings_the_item_after_the_next(eva: Client, study: Study) -> None:
    first, second = now_before(eva, study)["items"]
    done = send(eva, study, "decide", first["key"], decision="inconsistent", note="no").json()
    assert done["items"][0]["key"] == second["key"]
    assert len(done["items"]) == 2
    assert done["last"] == first["key"]
    assert done["progress"]["done"] == 1
    again = send(eva, study, "decide", first["key"], decision="inconsistent").json()
    assert again["items"] == done["items"]
    other = send(eva, study, "decide", first["key"], decision="consistent")
    assert (other.status_code, other.json()["error"]) == (409, "already_decided")


def test_flags_are_shown_after_the_decision_and_never_before(eva: Client, study: Study) -> None:
    Answer.objects.filter(pk__in=answers(study)).update(reason="It is a robot, I think")
    empty_queues(study)
    REVIEW.fill(study=study)
    page = text(eva.get(reverse("experts:review", args=[study.slug])))
    found = now_before(eva, study)
    for word in ("flag", "very short", "against the label", "same words", "duplicate"):
        assert word not in str(found)
        assert word not in page.split('id="state"')[1]
    flags = send(eva, study, "decide", found["items"][0]["key"], decision="inconsistent").json()["flags"]
    assert "very short" in flags
    assert "its words contradict the label" in flags
    assert "the same words as another reason" in flags


def test_undoing_brings_the_item_back_first(eva: Client, study: Study) -> None:
    first, second = now_before(eva, study)["items"]
    key = send(eva, study, "decide", first["key"], decision="consistent").json()["last"]
    undone = send(eva, study, "undo", key).json()
    assert undone["back"] == undone["items"][0]["key"] not in {"", first["key"]}
    assert undone["items"][0]["reason"] == first["reason"]
    assert undone["items"][1]["key"] == second["key"]
    assert undone["last"] == ""
    again = send(eva, study, "undo", key)
    assert (again.status_code, again.json()["error"]) == (409, "already_revoked")
    assert send(eva, study, "undo", "x" * 22).status_code == 404


def test_putting_off_brings_another(eva: Client, study: Study) -> None:
    first, second = now_before(eva, study)["items"]
    then = send(eva, study, "skip", first["key"]).json()["items"]
    assert then[0]["key"] == second["key"]
    assert first["key"] not in {item["key"] for item in then}
    assert send(eva, study, "skip", first["key"]).status_code == 409


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"decision": "perhaps"}, 422),
        ({}, 422),
        ({"decision": "consistent", "usable": True}, 422),
        ({"decision": "consistent", "note": "x" * 2001}, 422),
        ({"decision": "consistent", "note": ["x"]}, 422),
    ],
)
def test_what_is_no_decision_is_refused(eva: Client, study: Study, body: dict[str, Any], status: int) -> None:
    key = now_before(eva, study)["items"][0]["key"]
    assert send(eva, study, "decide", key, **body).status_code == status
    assert not Review.objects.exists()


def test_another_sites_form_decides_nothing(study: Study) -> None:
    expert("eva", study)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="eva"))
    key = now_before(strict, study)["items"][0]["key"]
    for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"):
        answer = strict.post(api(study, "decide", key), '{"decision": "inconsistent"}', content_type=kind)
        assert answer.status_code == 415
    assert not Review.objects.exists()


def test_strangers_are_kept_out_of_every_page_and_endpoint(eva: Client, study: Study, now: datetime) -> None:
    other = rated_study(now)
    key = now_before(eva, study)["items"][0]["key"]
    stranger, nobody = logged_in(expert("otto", other)), Client()
    for name in ("review", "review_overview"):
        address = reverse(f"experts:{name}", args=[study.slug])
        assert stranger.get(address).status_code == 404
        assert nobody.get(address)["Location"].startswith(reverse("experts:sign_in"))
        assert stranger.get(reverse(f"experts:{name}", args=["nothing-here"])).status_code == 404
    for browser, status, code in ((stranger, 404, "refused"), (nobody, 403, "signed_out")):
        answers_ = [
            browser.get(api(study, "current")),
            *(send(browser, study, action, key, decision="consistent") for action in ("decide", "undo", "skip")),
        ]
        assert {(each.status_code, each.json()["error"]) for each in answers_} == {(status, code)}
    assert eva.get(reverse("experts:review_overview", args=[study.slug])).status_code == 404
    assert eva.get(reverse("analysis:study", args=[study.slug])).status_code == 302
    assert not Review.objects.exists()


def test_a_study_under_preparation_or_without_review_offers_nothing(eva: Client, study: Study) -> None:
    assert "14 to do" in text(eva.get(reverse("experts:index")))
    change(study, mode="off")
    assert "no work for experts" in text(eva.get(reverse("experts:index")))
    assert "switched off" in text(eva.get(reverse("experts:review", args=[study.slug])))
    assert now_before(eva, study)["items"] == []


def test_nothing_that_an_expert_is_sent_tells_system_rater_or_other_experts(study: Study) -> None:
    """Go through a whole review by two experts and an adjudicator, and read everything that came back."""
    change(study, double_share=1.0)
    people = [logged_in(expert(name, study)) for name in ("zqeva", "zqotto", "zqmia")]
    secrets = {
        "zqalpha",
        "zqbeta",
        "-voice",
        ".wav",
        "prolific",
        "person-",
        "simulated",
        "trap",
        "rater_id",
        "session_id",
        *Clip.objects.filter(study=study).values_list("file", flat=True),
        *Clip.objects.filter(study=study).values_list("sha256", "rendition")[0],
        *Session.objects.filter(study=study).values_list("ext_session", flat=True),
        *(key for key in answers(study).values_list("trial__token", "trial__clips__key").first() or ()),
        study.secret,
    }
    bodies: list[tuple[int, str]] = []
    for number, browser in enumerate(people):
        bodies += [(number, text(browser.get(address))) for address in (reverse("experts:index"), page_of(study))]
        while items := (found := now_before(browser, study))["items"]:
            bodies.append((number, str(found)))
            for clip in items[0]["clips"]:
                sound = browser.get(clip["url"])
                assert set(sound.headers) <= {
                    "Accept-Ranges",
                    "Cache-Control",
                    "Content-Length",
                    "Content-Security-Policy",
                    "Content-Type",
                    "Cross-Origin-Opener-Policy",
                    "Cross-Origin-Resource-Policy",
                    "Referrer-Policy",
                    "Vary",
                    "Permissions-Policy",
                    "X-Content-Type-Options",
                    "X-Frame-Options",
                }
                assert sound.getvalue()[:4] == b"RIFF"
            decision = "consistent" if number == 0 else "inconsistent"
            sent = send(browser, study, "decide", items[0]["key"], decision=decision, note=f"note of {number}")
            bodies.append((number, sent.content.decode()))
    assert Review.objects.count() == 42
    names = {0: "zqeva", 1: "zqotto", 2: "zqmia"}
    for number, body in bodies:
        for word in {*secrets, *(name for other, name in names.items() if other != number)}:
            assert str(word) not in body, word
        if number == 1:
            assert "note of 0" not in body
    assert "note of 0" in str(bodies)
    assert "human" not in {system.lower() for _n, body in bodies for system in re.findall(r"'system': '(\w+)'", body)}


def page_of(study: Study) -> str:
    return reverse("experts:review", args=[study.slug])


def test_the_second_expert_is_not_told_that_there_was_a_first(study: Study) -> None:
    change(study, double_share=1.0)
    eva, otto = (logged_in(expert(name, study)) for name in ("eva", "otto"))
    item = now_before(eva, study)["items"][0]
    send(eva, study, "decide", item["key"], decision="inconsistent", note="secret thought")
    ReviewItem.objects.exclude(state="half").update(state="done")
    [second] = now_before(otto, study)["items"]
    assert second["reason"] == item["reason"]
    assert second["key"] != item["key"]
    assert [clip["url"] for clip in second["clips"]] != [clip["url"] for clip in item["clips"]]
    for field in ("answers", "reason", "decisions"):
        assert second[field] == item[field]


def test_every_page_and_endpoint_of_the_review_is_visited_here() -> None:
    visited = {"review", "review_overview", "review_current", "review_decide", "review_undo", "review_skip"}
    names = {str(pattern.name) for pattern in urls.urlpatterns}
    assert {name for name in names if name.startswith("review")} == visited


# The owner's overview


def test_the_owner_sees_counts_by_decision_expert_system_and_rater(study: Study) -> None:
    study.owner = researcher("rita")
    study.save()
    change(study, double_share=0.0)
    eva = logged_in(expert("eva", study))
    bad = 0
    while items := now_before(eva, study)["items"]:
        is_beta = Answer.objects.filter(
            review_item__key=items[0]["key"], trial__clips__clip__system__name="zqbeta"
        ).exists()
        bad += is_beta
        send(eva, study, "decide", items[0]["key"], decision="inconsistent" if is_beta else "consistent")
    rita = logged_in(study.owner)
    page = text(rita.get(reverse("experts:review_overview", args=[study.slug])))
    rows = {
        row[0]: row[1:]
        for row in (re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", line) for line in re.findall(r"<tr>.*?</tr>", page))
        if row
    }
    assert bad > 0
    assert rows["zqbeta"][:2] == [str(bad), str(bad)]
    assert rows["zqbeta"][2] == "100.0 %"
    assert rows["zqalpha"][1] == "0"
    assert rows["eva"][:3] == ["14", str(14 - bad), str(bad)]
    raters = set(Session.objects.filter(study=study).values_list("rater", flat=True))
    assert {str(pk) for pk in raters} <= set(rows)
    assert "Pending</dt><dd>0<" in page
    change(study, inconsistent_limit=0.0)
    said = rita.post(reverse("experts:review_overview", args=[study.slug]), follow=True)
    assert re.search(r"[12] raters? (is|are) excluded by the limit", text(said))
    change(study, inconsistent_limit=None)
    again = rita.post(reverse("experts:review_overview", args=[study.slug]), follow=True)
    assert "No rater is above the limit" in text(again)


def test_the_owner_sees_so_many_raters_with_the_largest_share(
    study: Study, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.owner = eva = expert("eva", study)
    study.save(update_fields=["owner"])
    for decision in ("inconsistent", *["consistent"] * 13):
        decide(study, eva, now, decision)
    [worst, other] = review_overview.by_rater(study.pk, study.definition.review)
    assert (worst.inconsistent, other.inconsistent) == (1, 0)
    monkeypatch.setattr(review_overview, "MOST_RATERS", 1)
    page = logged_in(eva).get(reverse("experts:review_overview", args=[study.slug]))
    assert page.context["raters"] == [worst]
    assert "The 1 raters with the largest share" in page.content.decode()


def test_the_owner_sees_kappa_from_the_double_share_alone(study: Study) -> None:
    study.owner = researcher("rita")
    study.save()
    rita = logged_in(study.owner)
    empty = text(rita.get(reverse("experts:review_overview", args=[study.slug])))
    assert "has two reviews yet" in empty
    users = [expert(name, study) for name in ("eva", "otto")]
    table = {("consistent", "consistent"): 6, ("consistent", "inconsistent"): 2, ("inconsistent", "inconsistent"): 4}
    pairs = [pair for pair, number in table.items() for _ in range(number)]
    for index, (answer, pair) in enumerate(zip(answers(study), pairs, strict=False)):
        for user, decision, purpose in zip(users, pair, ("first", "double"), strict=True):
            Review.objects.create(
                answer=answer, study=study, expert=user, decision=decision, purpose=purpose, doubled=True,
                key=f"{index}-{purpose}", at=clock.now(),
            )  # fmt: skip
    single = list(answers(study))[-1]
    Review.objects.create(
        answer=single, study=study, expert=users[0], decision="consistent", purpose="first", key="x", at=clock.now()
    )
    page = text(rita.get(reverse("experts:review_overview", args=[study.slug])))
    # p_o = 10/12; first: 8 and 4, second: 6 and 6, so p_e = 1/2 and kappa = 2/3.
    assert "Cohen’s κ = 0.67" in page
    assert "12 pairs" in page
    assert "interval" in page
    assert "Fleiss, Cohen and Everitt (1969)" in page


def test_systems_have_names_that_no_expert_reads(study: Study, eva: Client) -> None:
    assert System.objects.filter(study=study, name="zqbeta").exists()
    assert "zqbeta" not in text(eva.get(page_of(study)))
