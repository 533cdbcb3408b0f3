"""Nothing that a rater is sent tells a clip's system, role, file or text, or anybody's answers: the whole crawl."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.urls import NoReverseMatch, path, reverse

from raters import urls
from raters.models import FairCheck
from raters.sources.preview import PreviewSource
from studies.models import Clip, Study, Text
from tests.raters.crawl import Crawl, Visitor, routes
from tests.raters.leaks import check
from tests.raters.secretive import CODES, make

pytestmark = pytest.mark.django_db
# The API’s description names no study and nobody.
SAYS_THE_SAME_TO_ALL = {"api:docs", "api:openapi", "api:docs_swagger-ui.css", "api:docs_swagger-ui-bundle.js"}


def wander(crawl: Crawl, guest: Visitor) -> None:
    """Open every page in the wrong order, with links that are broken and ids that belong to others."""
    slug = guest.slug
    stranger = crawl.visitor("eve")
    arrival, ids = f"/s/{slug}/", guest.ids
    for given in ({}, {**ids, "STUDY_ID": "{{%STUDY_ID%}}"}, {**ids, "PROLIFIC_PID": "a b"}):
        guest.expect(400, stranger.send("GET", arrival, data=given))
    guest.expect(404, stranger.send("GET", "/s/nothing-here/", data=ids))
    guest.expect(409, stranger.send("GET", arrival, data={**stranger.ids, "SESSION_ID": ids["SESSION_ID"]}))
    guest.expect(200, stranger.send("GET", arrival, data=stranger.ids, headers={"Sec-Purpose": "prefetch"}))
    poke(stranger)
    for name in sorted(name for name in routes() if ":" not in name):
        # Numbers are told to who has the token, and none is set; the state of the server to whoever may sign in.
        guest.expect(
            {"metrics": 404, "status": 302, "styleguide": 404}.get(name, 200), guest.send("GET", reverse(name))
        )
    guest.expect(404, guest.send("GET", "/nothing-here/"))


def poke(visitor: Visitor) -> None:
    """Send every method to every address, with keys that nobody has; only to leave for good is left out."""
    for name in sorted(name for name in routes() if name.startswith("raters:")):
        made_up = {"key": "k" * 22} if name.endswith(("played", "failed", "audio", "sound")) else {}
        made_up |= {"token": "t" * 22} if name.endswith(("answers", "proxy_check")) else {}
        made_up |= {} if name.endswith("proxy_check") else {"slug": visitor.slug}
        url = reverse(name, kwargs=made_up)
        for method in ("GET", "HEAD", "POST", "PUT", "OPTIONS"):
            if (name, method) != ("raters:leave", "POST"):
                body = {} if method in {"GET", "HEAD", "OPTIONS"} else {"content_type": "application/json"}
                visitor.send(method, url, **body)


def knock(crawl: Crawl, guest: Visitor) -> None:
    """Try the researchers' and the experts' pages with a rater's cookie."""
    researchers = ("analysis:", "drafting:", "judge:", "paying:", "previews:", "studies:", "workspace:")
    for name in sorted(name for name in routes() if name.startswith(researchers)):
        known: dict[str, Any] = {"slug": guest.slug, "pk": 1, "number": 1, "name": "scores", "kind": "svg"}
        known |= {"source": "prolific", "key": "k" * 22, "job": 1, "repair": "edges", "clip": 1, "move": "pause"}
        keys = (
            "",
            "source",
            "pk",
            "number",
            "pk name kind",
            "key",
            "key number",
            "job",
            "repair",
            "clip",
            "repair clip",
            "move",
        )
        for given in ({}, {"source"}, *({"slug", *names.split()} for names in keys)):
            try:
                url = reverse(name, kwargs={key: known[key] for key in given})
            except Exception:
                continue
            for method in ("GET", "POST"):
                sent = guest.send(method, url)
                # Prolific’s messages are for machines that know a secret.
                assert sent.status in ({401, 405} if name == "paying:hook" else {302, 405}), sent.where
                if sent.status == 302:
                    guest.follow(sent)
    for name in sorted(name for name in routes() if name.startswith(("experts:", "members:"))):
        sent = guest.send("GET", experts_url(name, guest.slug))
        assert sent.status in {200, 302, 403, 404, 405}, sent.where
        guest.follow(sent)

    for name in sorted(name for name in routes() if name.startswith("api:") and name not in SAYS_THE_SAME_TO_ALL):
        for method in ("GET", "POST"):
            guest.expect(401, guest.send(method, experts_url(name, guest.slug)))


def experts_url(name: str, slug: str) -> str:
    """Return the address of one of the experts' pages or of the API, filled in with keys that nobody has."""
    known: dict[str, Any] = {"slug": slug, "key": "k" * 22, "token": "t" * 22, "pk": 1, "number": 1}
    known["file"] = "report.html"
    for given in (
        (),
        ("slug",),
        ("token",),
        ("slug", "key"),
        ("slug", "pk"),
        ("slug", "pk", "file"),
        ("slug", "number"),
        ("key",),
        ("key", "number"),
    ):
        with suppress(NoReverseMatch):
            return reverse(name, kwargs={key: known[key] for key in given})
    raise AssertionError(f"nobody told this test how to fill in {name}")


def try_out(crawl: Crawl) -> None:
    """Try the study out, to the very end: no code is told, since nobody was anybody's rater."""
    curious = crawl.visitor("pat")
    link = PreviewSource().link("", curious.slug, crawl.world.study.definition.crowd)
    curious.expect(200, curious.follow(curious.send("GET", link)))
    curious.send("POST", curious.page("consent/"), data={"decision": "decline"})
    curious.expect(200, curious.send("GET", curious.page("end/")))


def skip(visitor: Visitor, progress: dict[str, Any]) -> None:
    """Report clips that can't be played, once and once more, and go on without them."""
    for _ in range(3):
        clip, tab = progress["trial"]["clips"][0], {"tab": progress["tab"]}
        for _again in range(2):
            following = visitor.expect(200, visitor.post(f"api/failed/{clip['key']}", tab))
        visitor.expect(409, visitor.post(f"api/failed/{clip['key']}", {"tab": "another"}))
        visitor.expect(409, visitor.post(f"api/played/{clip['key']}", tab))
        visitor.expect(404, visitor.send("GET", clip["url"], twin="no such clip"))
        progress = visitor.progress(following)


def leave(crawl: Crawl) -> None:
    """Decline; leave halfway, and go on sending; come when the study is closed."""
    shy = crawl.visitor("dan")
    shy.arrive()
    shy.expect(422, shy.send("POST", shy.page("consent/"), data={"decision": "agree"}))
    said = shy.send("POST", shy.page("consent/"), data={"decision": "decline"})
    shy.expect(200, shy.follow(said, allowed=CODES["declined"]))
    stuck = crawl.visitor("guy")
    skip(stuck, stuck.begin())
    said = stuck.send("POST", stuck.page("leave/"), data={"why": "broken"})
    stuck.expect(200, stuck.follow(said, allowed=CODES["technical_failure"]))
    gone = crawl.visitor("fay")
    progress = gone.begin()
    gone.send("GET", gone.page("leave/"))
    gone.expect(200, gone.follow(gone.send("POST", gone.page("leave/")), allowed=CODES["withdrawn"]))
    gone.expect(410, gone.post(f"api/answers/{progress['trial']['token']}", gone.letter(progress)))
    gone.expect(404, gone.send("GET", progress["trial"]["clips"][0]["url"], twin="no such clip"))
    for state in ("paused", "closed", "draft"):
        Study.objects.filter(pk=crawl.world.study.pk).update(state=state, notice="Back soon.")
        late = crawl.visitor(f"late{state}")
        late.expect(409, late.send("GET", f"/s/{late.slug}/", data=late.ids))


def pry(guest: Visitor, host: Visitor, progress: dict[str, Any]) -> None:
    """Use the token and the key that somebody else is using right now, and made-up ones: there is no difference."""
    clip, token = progress["trial"]["clips"][0], progress["trial"]["token"]
    letter = guest.letter(progress, key=str(uuid4()))
    for key in (clip["key"], "k" * 22):
        guest.expect(404, guest.send("GET", guest.page(f"audio/{key}"), twin="no such clip"))
        guest.expect(404, guest.send("HEAD", guest.page(f"audio/{key}"), twin="no such clip"))
        guest.expect(404, guest.post(f"api/played/{key}", {"tab": progress["tab"]}, twin="no such clip to play"))
        guest.expect(409, guest.post(f"api/failed/{key}", {"tab": progress["tab"]}, twin="no such clip to skip"))
        guest.expect(404, guest.send("GET", guest.page(f"check/sound/{key}"), twin="no such sound"))
    for other in (token, "t" * 22):
        guest.expect(404, guest.post(f"api/answers/{other}", letter, twin="no such trial"))
    assert host.send("GET", clip["url"]).status == 200


def test_a_whole_study_leaks_nothing_and_every_page_was_visited(
    now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"questionnaire__gender": True, "questionnaire__age": True, "questionnaire__languages": True}
    asked |= {"screening__device": "flag", "screening__training": "flag", "screening__training_clips": 2}
    asked |= {"screening__attention": ("Please choose “Zqoften” here | *Zqoften | Zqnever",)}
    world = make(now=now, texts=16, flawed=3, humans=6, training=4, protocol__batches_per_session=2, **asked)
    crawl = Crawl(world, now, monkeypatch)
    host, guest = crawl.visitor("hal"), crawl.visitor("ann")
    progress = host.begin()
    wander(crawl, host)
    poke(host)
    progress = host.progress(host.send("GET", host.page("trial/")))
    guest.rate(thoroughly=True)
    pry(guest, host, progress)
    for name in ("bob", "cyd"):
        crawl.visitor(name).rate(thoroughly=name == "bob")
    knock(crawl, guest)
    try_out(crawl)
    leave(crawl)
    crawl.read_files()
    assert [str(leak) for leak in check(crawl.log)] == []
    assert unvisited(crawl) == set()
    # The page between two sets was among them.
    assert FairCheck.objects.count() == 3
    statuses = {each.status for each in crawl.log.exchanges}
    assert statuses >= {200, 206, 302, 303, 400, 403, 404, 405, 409, 410, 416, 422, 425}


def test_shown_context_tells_no_clip_from_another(now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make(now=now, texts=16, flawed=3, humans=6, protocol__batches_per_session=1, protocol__show_context=True)
    for number, clip in enumerate(Clip.objects.filter(study=world.study).select_related("text").order_by("?")):
        text = clip.text or Text(study=world.study, name=f"zqtrap{number:02}")
        turns = [{"speaker": "Eve", "text": f"Where were you on day {number % 7}?"}]
        text.context = {"style": "calmly, as if it were late", "turns": turns, "language": "en"}
        text.save()
        Clip.objects.filter(pk=clip.pk).update(text=text)
    crawl = Crawl(world, now, monkeypatch)
    for name in ("ann", "bob"):
        crawl.visitor(name).rate(thoroughly=name == "bob")
    assert any(b"Where were you on day" in each.body for each in crawl.log.exchanges)
    crawl.read_files()
    assert [str(leak) for leak in check(crawl.log)] == []


def unvisited(crawl: Crawl) -> set[str]:
    """Return addresses that the crawl never reached; experts, members and machines have tests of their own."""
    knocked = {
        each.route
        for each in crawl.log.exchanges
        if each.route.startswith(("experts:", "members:", "api:", "studies:"))
    }
    knocked |= SAYS_THE_SAME_TO_ALL | {"metrics", "paying:hook", "raters:proxy_check", "styleguide"}
    return routes() - crawl.visited - knocked


def test_an_address_that_the_crawl_does_not_know_is_named(
    now: datetime, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl(make(now=now, texts=7, flawed=1, humans=2), now, monkeypatch)
    assert "raters:trial" in unvisited(crawl)
    crawl.visitor("ann").begin()
    assert "raters:trial" not in unvisited(crawl)
    new = path("rate/<slug:slug>/score/", lambda request, slug: None, name="score")
    urls.urlpatterns.append(new)
    try:
        assert "raters:score" in unvisited(crawl)
    finally:
        urls.urlpatterns.remove(new)
