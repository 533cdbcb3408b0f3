"""What an expert's browser is sent when they code, and what the study's owner reads of it."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from raters.experts import urls
from raters.models import Answer, Coding, CodingItem, Session, Trial
from raters.rating.rules.codes import CodeMark
from studies.models import Clip, Study
from tests.raters.experts.coding import change, code, coded_study, next_of, write
from tests.raters.experts.people import expert
from tests.researchers import logged_in, researcher, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("files")]
PAUSES = {"code": "pauses", "polarity": "machine", "start": 0, "stop": 3}


@pytest.fixture
def study(now: datetime) -> Study:
    study = coded_study(now, people=2, systems=("human", "zqalpha", "zqbeta"), dimensions=("zqprose", "zqverse"))
    study.owner = researcher("rita")
    study.save()
    return study


@pytest.fixture
def eva(study: Study) -> Client:
    return logged_in(expert("eva", study))


def api(study: Study, action: str, *key: str) -> str:
    return reverse(f"experts:coding_{action}", args=[study.slug, *key])


def before(browser: Client, study: Study) -> dict[str, Any]:
    """Return what this browser's page would show."""
    found: dict[str, Any] = browser.get(api(study, "current")).json()
    return found


def send(browser: Client, study: Study, action: str, key: str, **body: Any) -> Any:
    return browser.post(api(study, action, key), body, content_type="application/json")


def overview(study: Study, by: str = "system") -> str:
    assert study.owner
    return text(logged_in(study.owner).get(reverse("experts:coding_overview", args=[study.slug]), {"by": by}))


def rows(page: str) -> dict[str, list[str]]:
    """Return the cells of each row of a page's tables, without their markup, by the first of them."""
    found = {}
    for line in re.findall(r"<tr[^>]*>.*?</tr>", page, re.S):
        cells = [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.S)]
        found.setdefault(cells[0], cells[1:])
    return found


def test_a_card_holds_what_is_needed_to_code(eva: Client, study: Study) -> None:
    found = before(eva, study)
    item = found["items"][0]
    assert len(found["items"]) == 2
    answer = Answer.objects.get(coding_items__key=item["key"])
    assert set(item) == {"key", "kind", "text", "answers", "question", "clips", "decisions"}
    assert (item["kind"], item["text"], item["question"]) == ("reason", answer.reason, "")
    assert item["answers"] == [{"clip": "", "label": "Human"}]
    assert eva.get(item["clips"][0]["url"]).getvalue()[:4] == b"RIFF"
    assert found["progress"] == {
        "total": 14,
        "done": 0,
        "waiting": 14,
        "mine": 0,
        "today": 0,
        "seconds": None,
        "is_more": False,
    }


def test_a_coding_is_stored_taken_back_and_put_off(eva: Client, study: Study) -> None:
    first, second = before(eva, study)["items"]
    done = send(eva, study, "decide", first["key"], marks=[PAUSES], note="x").json()
    assert (done["items"][0]["key"], done["last"], done["progress"]["done"]) == (second["key"], first["key"], 1)
    undone = send(eva, study, "undo", first["key"]).json()
    assert undone["back"] == undone["items"][0]["key"] != first["key"]
    assert undone["marks"] == [PAUSES]
    put_off = send(eva, study, "skip", undone["back"]).json()
    assert put_off["items"][0]["key"] == second["key"]
    assert Coding.objects.filter(revoked_at=None).count() == 0


def test_marks_of_codes_that_are_gone_are_not_offered_again(eva: Client, study: Study) -> None:
    change(study, codes=["room | No room"])
    key = before(eva, study)["items"][0]["key"]
    send(eva, study, "decide", key, marks=[PAUSES, {**PAUSES, "code": "room"}])
    change(study, codes=[])
    assert send(eva, study, "undo", key).json()["marks"] == [PAUSES]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"marks": "pauses"},
        {"marks": [{"code": "pauses"}]},
        {"marks": [{**PAUSES, "polarity": "robot"}]},
        {"marks": [{**PAUSES, "start": -1}]},
        {"marks": [{**PAUSES, "stop": 4000}]},
        {"marks": [{**PAUSES, "code": "zz"}]},
        {"marks": [PAUSES, PAUSES]},
        {"marks": [PAUSES], "system": "x"},
        {"marks": [], "note": "x" * 2001},
    ],
)
def test_what_is_no_coding_is_refused(eva: Client, study: Study, body: dict[str, Any]) -> None:
    key = before(eva, study)["items"][0]["key"]
    assert send(eva, study, "decide", key, **body).status_code == 422
    assert not Coding.objects.exists()


def test_strangers_are_kept_out(eva: Client, study: Study, now: datetime) -> None:
    stranger, nobody = logged_in(expert("otto", coded_study(now))), Client()
    key = before(eva, study)["items"][0]["key"]
    for name in ("coding", "coding_overview"):
        address = reverse(f"experts:{name}", args=[study.slug])
        assert stranger.get(address).status_code == 404
        assert nobody.get(address)["Location"].startswith(reverse("experts:sign_in"))
    assert eva.get(reverse("experts:coding_overview", args=[study.slug])).status_code == 404
    for browser, said in ((stranger, "refused"), (nobody, "signed_out")):
        for action in ("decide", "undo", "skip"):
            assert send(browser, study, action, key, marks=[]).json()["error"] == said
        assert browser.get(api(study, "current")).json()["error"] == said
    assert not Coding.objects.exists()


def test_a_study_that_is_not_coded_says_so(eva: Client, study: Study) -> None:
    assert "14 to do" in text(eva.get(reverse("experts:index")))
    change(study, mode="off")
    assert "no work for experts" in text(eva.get(reverse("experts:index")))
    assert "nothing to code:" in text(eva.get(reverse("experts:coding", args=[study.slug])))
    assert before(eva, study)["items"] == []


def test_nothing_that_an_expert_is_sent_tells_system_rater_or_other_experts(study: Study) -> None:
    """Let two experts code everything, and read all that came back."""
    change(study, double_share=1.0)
    names = ("zqeva", "zqotto")
    secrets = {
        "zqalpha",
        "zqbeta",
        "zqprose",
        "zqverse",
        "-voice",
        ".wav",
        "prolific",
        "person-",
        "simulated",
        "trap",
        *Clip.objects.filter(study=study).values_list("file", flat=True),
        *Clip.objects.filter(study=study).values_list("sha256", flat=True),
        *Session.objects.filter(study=study).values_list("ext_session", flat=True),
        *Trial.objects.filter(session__study=study).values_list("token", flat=True),
        study.secret,
    }
    bodies: list[tuple[str, str]] = []
    for name in names:
        browser = logged_in(expert(name, study))
        for address in (reverse("experts:index"), reverse("experts:coding", args=[study.slug])):
            bodies.append((name, text(browser.get(address))))
        while items := before(browser, study)["items"]:
            sent = send(browser, study, "decide", items[0]["key"], marks=[PAUSES], note=f"note of {name}")
            bodies.append((name, sent.content.decode()))
        last = bodies[-1][1]
        bodies.append((name, send(browser, study, "undo", re.findall(r'"last": "([^"]+)"', last)[0]).content.decode()))
    # The first expert has what they took back before them, so that the second one was not asked.
    assert Coding.objects.count() == 27
    for name, body in bodies:
        for word in {*secrets, *(other for other in names if other != name), "note of"}:
            assert str(word) not in body, word
    # The same words would be found where the owner looks.
    assert "zqalpha" in overview(study)


def test_every_page_and_endpoint_of_the_coding_is_visited_here() -> None:
    visited = {f"coding{part}" for part in ("", "_overview", "_current", "_decide", "_undo", "_skip")}
    assert {str(each.name) for each in urls.urlpatterns if str(each.name).startswith("coding")} == visited


# What the owner reads


def coded(study: Study, now: datetime) -> dict[str, int]:
    """Let an expert find pauses about zqalpha and breath about the others; return how many clips each system has."""
    write(study, "The pause is <b>too</b> long, I hear it")
    user = expert("mia", study)
    found: dict[str, int] = {}
    while next_of(study, user, now):
        made = code(study, user, now, [])
        system = made.item.answer.trial.clips.get().clip.system.name
        found[system] = found.get(system, 0) + 1
        mark = CodeMark("pauses", "machine", 0, 9) if system == "zqalpha" else CodeMark("paralinguistics", "human")
        made.marks.create(code=mark.code, name=mark.code, polarity=mark.polarity, start=mark.start, stop=mark.stop)
    return found


def test_the_owner_reads_codes_by_system_voice_and_dimension(study: Study, now: datetime) -> None:
    counts = coded(study, now)
    page = rows(overview(study))
    systems = sorted(counts)
    share = round(100 * counts["zqalpha"] / 14)
    cells = [
        f"{100 if system == 'zqalpha' else 0} % {counts[system] if system == 'zqalpha' else 0}" for system in systems
    ]
    assert page["Code"][3:] == [f"{system}n = {counts[system]}" for system in systems]
    assert page["Pauses"] == [f"{share} % {counts['zqalpha']}", "0 % 0", f"{share} % {counts['zqalpha']}", *cells]
    assert page["Prosodic appropriateness"] == page["Pauses"]
    assert page["mia"][:3] == ["14", "14", "0"]
    assert "zqalpha · zqalpha-voice" in overview(study, "voice")
    assert "zqverse" in str(rows(overview(study, "dimension"))["Code"]) or "zqprose" in overview(study, "dimension")
    assert rows(overview(study, "nonsense"))["Code"] == page["Code"]


def test_quotes_are_escaped_and_leave_with_the_answer(study: Study, now: datetime) -> None:
    coded(study, now)
    assert "<mark>The pause</mark> is &lt;b&gt;too&lt;/b&gt; long" in overview(study)
    Answer.objects.update(reason="")
    erased = overview(study)
    assert "The pause" not in erased
    assert rows(erased)["Pauses"][0] != "0 % 0"
    Trial.objects.filter(item__role="test").update(usable=False)
    assert "Nothing is coded yet" in overview(study)


def test_kappa_of_each_code_comes_from_the_double_share_alone_and_is_that_of_a_hand(
    study: Study, now: datetime
) -> None:
    change(study, double_share=1.0)
    people = [expert(name, study) for name in ("mia", "otto")]
    # By (first, second): 6 times both, twice the first alone, 4 times neither; and once nobody else.
    table = [(True, True)] * 6 + [(True, False)] * 2 + [(False, False)] * 4
    finds = [CodeMark("pauses", "machine")]
    firsts = [code(study, people[0], now, finds if first else []) for first, _second in table]
    for made, (_first, second) in zip(firsts, table, strict=True):
        CodingItem.objects.update(state="done")
        CodingItem.objects.filter(pk=made.item_id).update(state="half")
        code(study, people[1], now, finds if second else [])
    CodingItem.objects.filter(codings=None).update(state="open")
    change(study, double_share=0.0)
    code(study, people[0], now, finds)
    # p_o = 10/12; p_e = 8/12 · 6/12 + 4/12 · 6/12 = 1/2, so κ = 2/3.
    found = re.findall(
        r"Pauses</th><td>(\d+)</td><td>(\d+)</td><td>(\d+) %</td><td>([\d.]+)</td><td>([^<]+)<", overview(study)
    )
    assert found[0][:4] == ("8", "12", "83", "0.67")
    low, high = (float(each) for each in found[0][4].split(" – "))
    assert low < 0.67 < high
