"""The page of texts: who sees and does what, imports with a preview, downloads, and what clips get from texts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from analysis.metrics.models import ClipMetric, MetricSet
from studies.corpus import services
from studies.definition import presets
from studies.launch.checks import findings as launch_findings
from studies.members.models import Member
from studies.models import Clip, ClipImport, CorpusText, Study, Text
from tests import audio
from tests.researchers import logged_in, researcher, text, url
from tests.studies.imports.conftest import quick as quick
from tests.studies.imports.conftest import send as send
from tests.studies.imports.helpers import done
from tests.world import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(rita: User) -> Client:
    return logged_in(rita)


def add(study: Study, name: str, body: str, user: User, now: datetime, **values: Any) -> CorpusText:
    made = services.add(study=study, name=name, values={"body": body, **values}, author=user, now=now)
    services.accept(text=made, user=user, now=now)
    return made


def post(page: Client, study: Study, do: str, **values: Any) -> str:
    return text(page.post(url("texts", study.slug), {"do": do, **values}, follow=True))


def test_an_empty_study_says_what_to_do_first(page: Client, study: Study) -> None:
    shown = text(page.get(url("texts", study.slug)))
    for words in ("There are no texts yet", "Write a text", "Import a CSV", "Copy from another study"):
        assert words in shown


def test_a_passage_that_misses_a_limit_gets_a_remark_and_the_limits_are_settings(
    page: Client, rita: User, ben: User, now: datetime
) -> None:
    draft = presets.get("sp-mcqa").definition.model_dump(mode="json")
    study = Study.objects.create(slug="news", title="News", draft=draft, owner=rita)
    add(study, "news", "In 1998 the mayor of New York spoke.", rita, now, box="black")
    shown = text(page.get(url("texts", study.slug)))
    assert "Fewer than 65 words." in shown
    assert "No number of 3 or more digits." not in shown
    Member.objects.create(study=study, user=ben, role="viewer", added_at=now)
    assert "Fewer than 65 words." not in text(logged_in(ben).get(url("texts", study.slug)))
    study.draft["task"] |= {"passage_words_least": 5, "passage_digits": 5}
    study.save()
    shown = text(page.get(url("texts", study.slug)))
    assert "Fewer than" not in shown
    assert "No number of 5 or more digits." in shown


def test_a_text_is_added_reviewed_and_its_review_undone(page: Client, study: Study) -> None:
    post(page, study, "add", name="t1", body="<b>5 $</b>", box="black", turns="A: Hi.", language="en")
    made = CorpusText.objects.get()
    assert (made.turns, made.box) == ([{"speaker": "A", "text": "Hi."}], "black")
    shown = post(page, study, "accept", text=made.pk, seen=1)
    assert "t1 was accepted." in shown
    assert "&lt;b&gt;5 $&lt;/b&gt;" in shown
    assert "another person must cross-check it" in shown
    assert "another person must cross-check it" in post(page, study, "check", text=made.pk, seen=1)
    post(page, study, "undo")
    made.refresh_from_db()
    assert made.state == "draft"


def test_a_text_of_another_study_can_not_be_reviewed_here(
    page: Client, study: Study, rita: User, now: datetime
) -> None:
    other = make_study(now=now, launch=False)
    made = services.add(study=other, name="x", values={"body": "x"}, author=None, now=now)
    assert page.post(url("texts", study.slug), {"do": "accept", "text": made.pk}).status_code == 404


def test_an_import_shows_its_changes_first_and_then_all_or_nothing(
    page: Client, study: Study, rita: User, now: datetime
) -> None:
    add(study, "t1", "It costs $5.", rita, now)
    csv = "text_id,text,state\nt1,It costs five dollars.,\nt2,=New.,accepted\n"
    shown = text(page.post(url("texts_import", study.slug), {"table": SimpleUploadedFile("t.csv", csv.encode())}))
    assert "<del>$5</del><ins>five dollars</ins>" in shown
    assert CorpusText.objects.count() == 1
    page.post(url("texts_import", study.slug), {"content": csv, "file": "t.csv", "confirm": "1"})
    states = list(CorpusText.objects.order_by("name").values_list("name", "version", "state"))
    assert states == [("t1", 2, "draft"), ("t2", 1, "accepted")]
    wrong = "text_id,text\nt3,Three.\nt3,Four.\n"
    shown = text(page.post(url("texts_import", study.slug), {"content": wrong, "confirm": "1"}))
    assert "Nothing was imported" in shown
    assert "already in row 2" in shown
    assert not CorpusText.objects.filter(name="t3").exists()


def test_viewers_neither_read_nor_find_nor_download_the_words_of_black_box_texts(
    study: Study, rita: User, now: datetime
) -> None:
    add(
        study,
        "b1",
        "Zanzibar is secret.",
        rita,
        now,
        box="black",
        style="zesty",
        turns=[{"speaker": "", "text": "zap"}],
    )
    add(study, "w1", "White words.", rita, now, box="white")
    viewer = researcher("vera")
    Member.objects.create(study=study, user=viewer, role="viewer", added_at=now)
    page = logged_in(viewer)
    opened = text(page.get(url("texts", study.slug), {"open": CorpusText.objects.get(name="b1").pk}))
    listed = b"".join([page.get(url("texts_list", study.slug)).content]).decode()
    for shown in (opened, listed):
        assert "White words." in shown
        for secret in ("Zanzibar", "zesty", "zap"):
            assert secret not in shown
    assert "No text matches" in text(page.get(url("texts", study.slug), {"search": "Zanzibar"}))
    for kind in ("speaking", "manifest"):
        assert page.get(url("texts_list", study.slug), {"list": kind, "systems": "a"}).status_code == 403
    assert page.post(url("texts", study.slug), {"do": "copy"}).status_code == 403


def test_a_text_is_black_box_for_viewers_when_a_clip_that_speaks_it_is(rita: User, now: datetime) -> None:
    study = make_study(now=now, launch=False)
    clip = Clip.objects.filter(study=study, text__isnull=False).select_related("text").first()
    assert clip is not None
    assert clip.text is not None
    made = add(study, clip.text.name, "Zanzibar is secret.", rita, now)
    CorpusText.objects.filter(pk=made.pk).update(
        flags=[{"code": "names", "detail": "Zanzibar"}], reject_reason="Zanzibar"
    )
    Member.objects.create(study=study, user=(viewer := researcher("vera")), role="viewer", added_at=now)
    page = logged_in(viewer)
    assert "Zanzibar" in text(page.get(url("texts", study.slug)))
    Clip.objects.filter(pk=clip.pk).update(box="black")
    for asked in ({}, {"open": made.pk}, {"search": "secret"}):
        assert "Zanzibar" not in text(page.get(url("texts", study.slug), asked))
    assert "Zanzibar" not in page.get(url("texts_list", study.slug)).content.decode()


def test_the_page_says_what_waits_for_whom(page: Client, study: Study, rita: User, ben: User, now: datetime) -> None:
    add(study, "t1", "One.", rita, now, dimension="polyphones")
    services.add(study=study, name="t2", values={"body": "Two."}, author=rita, now=now)
    Member.objects.create(study=study, user=ben, role="editor", added_at=now)
    shown = {who: text(client.get(url("texts", study.slug))) for who, client in (("r", page), ("b", logged_in(ben)))}
    assert {who: "Review 1 draft" in each for who, each in shown.items()} == {"r": True, "b": True}
    assert {who: "Cross-check 1 text" in each for who, each in shown.items()} == {"r": False, "b": True}
    assert "polyphones" not in shown["r"].partition("Read and review")[2].partition("Write a text")[0].replace(
        'value="polyphones"', ""
    )
    CorpusText.objects.filter(name="t2").delete()
    assert "1 text that you accepted waits for another person" in text(page.get(url("texts", study.slug)))


def test_the_api_gives_black_box_words_to_those_alone_who_may_change_the_study(
    page: Client, study: Study, rita: User, now: datetime
) -> None:
    live = make_study(now=now)
    Study.objects.filter(pk=live.pk).update(owner=rita)
    clip = Clip.objects.filter(study=live, text__isnull=False).select_related("text").first()
    assert clip is not None
    assert clip.text is not None
    Text.objects.filter(pk=clip.text_id).update(body="Zanzibar.")
    Clip.objects.filter(pk=clip.pk).update(box="black")
    viewer = researcher("vera")
    Member.objects.create(study=live, user=viewer, role="viewer", added_at=now)
    for client, is_there in ((page, True), (logged_in(viewer), False)):
        for address in (reverse("api:clips", args=[live.slug]), reverse("api:clip", args=[live.slug, clip.pk])):
            answer = client.get(address, {"text_id": clip.text.name})
            assert answer.status_code == 200
            assert ("Zanzibar" in text(answer)) is is_there


@pytest.mark.parametrize("few", [1000, 0])
def test_imported_clips_get_what_their_manifest_leaves_empty_however_many_they_are(
    study: Study, rita: User, now: datetime, send: Any, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr("studies.imports.known_texts.FEW", few)
    add(study, "other", "Not asked for.", rita, now)
    facts = {"dimension": "polyphones", "language": "en", "box": "black", "style": "calm"}
    add(study, "t1", "From the corpus.", rita, now, **facts)
    services.add(study=study, name="t2", values={"body": "A draft."}, author=rita, now=now)
    rows = [
        {"file": "h/1.wav", "system": "human", "role": "test", "text_id": "t1", "dimension": ""},
        {"file": "a/1.flac", "system": "alpha", "role": "test", "text_id": "t1", "dimension": "own"},
        {"file": "f/1.wav", "system": "flawed", "role": "trap_flawed", "text_id": "t2", "dimension": ""},
    ]
    assert done(send(rows), now).clips_added == 3
    got = list(Clip.objects.order_by("file").values_list("file", "text__body", "dimension", "language", "box"))
    assert got == [
        ("a/1.flac", "From the corpus.", "own", "en", "black"),
        ("f/1.wav", "", "", "", ""),
        ("h/1.wav", "From the corpus.", "polyphones", "en", "black"),
    ]
    assert Text.objects.get(name="t1").context == {"style": "calm", "turns": [], "language": "en"}


def test_an_import_of_older_recordings_is_no_clash(study: Study, rita: User, now: datetime, send: Any) -> None:
    made = add(study, "t1", "First words.", rita, now)
    row = {"system": "human", "role": "test", "text_id": "t1"}
    done(send([{**row, "file": "h/1.wav"}], {"h/1.wav": audio.wav(1.0, seed=1)}), now)
    services.edit(text=made, values={"body": "Second words."}, author=rita, now=now)
    services.accept(text=made, user=rita, now=now)
    job = done(send([{**row, "file": "a/1.wav", "system": "a"}], {"a/1.wav": audio.wav(1.1, seed=2)}), now)
    assert job.report == []
    assert ClipImport.objects.count() == 2
    assert Text.objects.get(name="t1").body == "First words."


def test_the_proposed_table_shows_what_the_corpus_knows(page: Client, study: Study, rita: User, now: datetime) -> None:
    add(study, "t1", "From the corpus.", rita, now, dimension="polyphones", box="white")
    names = SimpleUploadedFile("names.json", b'["human/t1.wav", "alpha/t1.wav", "alpha/t9.wav"]')
    rows = page.post(url("clip_table", study.slug), {"files": names}).json()["rows"]
    assert [(row["text_id"], row.get("text", ""), row.get("dimension", "")) for row in rows] == [
        ("t1", "From the corpus.", "polyphones"),
        ("t9", "", ""),
        ("t1", "From the corpus.", "polyphones"),
    ]


def test_clips_that_can_not_be_their_text_are_listed(page: Client, rita: User, now: datetime) -> None:
    study = make_study(now=now, launch=False)
    Study.objects.filter(pk=study.pk).update(owner=rita)
    Text.objects.filter(study=study).update(body="Twenty characters it")
    [odd, other] = Clip.objects.filter(study=study, system__name="alpha", role="test")[:2]
    Clip.objects.filter(pk=odd.pk).update(duration=9.0)
    metric = MetricSet.objects.create(study=study, name="WER", direction="lower", created_at=now)
    ClipMetric.objects.create(metric_set=metric, clip=other, value=0.9)
    ClipMetric.objects.create(metric_set=metric, clip=odd, value=0.1)
    doubts = text(page.get(url("texts", study.slug))).split('id="doubts"')[1]
    assert f"{odd.file}</a>" in doubts
    assert "Too long for its text: 0.45 s per character, usually 0.03 s." in doubts
    assert "WER: 90 % of its words are recognized differently." in doubts
    assert doubts.count("<audio") == 2


def test_context_blocks_a_launch_where_clips_lack_it_or_parts_of_it(rita: User, now: datetime) -> None:
    study = make_study(now=now, launch=False, protocol__show_context=True)

    def blocking() -> list[str]:
        return [each.message for each in launch_findings(study) if each.place == "texts" and each.level == "blocking"]

    assert "neither a style prompt nor dialogue turns" in blocking()[0]
    spoken = Text.objects.create(study=study, name="of all", context={"style": "calm", "turns": [], "language": "en"})
    Clip.objects.filter(study=study).update(text=spoken)
    assert blocking() == []
    trap = Clip.objects.filter(study=study, role="trap_human").first()
    assert trap is not None
    trap.text = Text.objects.create(
        study=study, name="of a trap", context={"style": "", "turns": [{"speaker": "A", "text": "Hi."}], "language": ""}
    )
    trap.save()
    assert "that others lack" in blocking()[0]


def test_an_open_export_withholds_texts_that_are_black_box_in_the_corpus_alone(
    study: Study, rita: User, now: datetime, files: Path
) -> None:
    from analysis.data.models import Simulated
    from analysis.exports.models import Profile
    from analysis.exports.source import Source

    add(study, "b1", "Secret.", rita, now, box="black")
    source = Source(study, Simulated.WITHOUT, profile=Profile.OPEN)
    assert source.black_texts == {"b1"} == source.black_corpus


def test_the_api_lists_and_imports_texts_and_keeps_black_box_words_from_viewers(
    page: Client, study: Study, now: datetime
) -> None:
    address = reverse("api:texts", args=[study.slug])
    table = SimpleUploadedFile("t.csv", b"text_id,text,box,turns\nb1,Zanzibar.,black,A: zap\nw1,White.,,\n")
    assert page.post(address, {"table": table}).json() == {"added": 2, "changed": 0}
    wrong = page.post(address, {"table": SimpleUploadedFile("t.csv", b"text_id,text\nb1,\n")})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "row 2 text")
    viewer = researcher("vera")
    Member.objects.create(study=study, user=viewer, role="viewer", added_at=now)
    for client, words in ((page, ["Zanzibar.", "White."]), (logged_in(viewer), ["", "White."])):
        assert [row["text"] for row in client.get(address).json()["results"]] == words
