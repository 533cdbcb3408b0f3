"""What roles never see, in any page, endpoint or export: viewers platform ids, blinded editors scores."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from analysis.exports.models import Export, Profile
from core.files import storage
from raters.models import Answer, Rating, Session
from studies.launch import states
from studies.models import Study
from tests.researchers import text
from tests.roles.packed import unpacked
from tests.roles.table import RATERS
from tests.roles.test_matrix import asked
from tests.roles.world import EXT_SESSION, EXT_STUDY, Shared, make, routes

# What differs between two requests for the same page.
CHANGING = (
    r'name="csrfmiddlewaretoken" value="\w+"',
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?",
    r'"seconds": \d+',
    # When somebody was last active in a study, as an age.
    r"active (?:just now|\d+ minutes? ago)",
    # The link to try the study out, made anew each time, and its QR code.
    r"\?preview=[^\s\"<]+",
    r'<svg [^>]*class="segno">.*?</svg>',
)
# The lists of the admin, opened with what finds somebody by their id.
LISTS = [f"admin:raters_{row}_changelist" for row in ("session", "batch", "answer", "verdict")]
FLIPPED = {"human": "machine", "machine": "human", "unclear": "unclear"}


@pytest.fixture
def shared(db: None, files: Path, now: datetime, settings: Any) -> Shared:
    settings.API_RATE = 0
    return make(now)


def content(row: Export) -> str:
    """Return every table of an export."""
    return unpacked(storage.open_file(row.file).read())


def seen(shared: Shared, who: str) -> dict[str, str]:
    """Return everything that somebody can open."""
    pages = {}
    for name, route in routes():
        if name.startswith(RATERS) or name in {
            "admin:view_on_site",
            "admin:app_list",
            "admin:auth_user_password_change",
        }:
            continue
        if "object_id" in route and ("accounts_" in name or "auth_" in name):
            continue
        if "token" in route or "source" in route:
            continue
        response = asked(shared, who, "get", shared.address(name, route))
        if response.status_code != 200:
            continue
        is_file = response.streaming or response.get("Content-Type", "").startswith(("application/zip", "audio/"))
        body = "" if is_file else response.content.decode()
        for pattern in CHANGING:
            body = re.sub(pattern, "", body)
        pages[name] = body
    return pages


def with_id(pages: dict[str, str]) -> set[str]:
    return {name for name, body in pages.items() if EXT_SESSION in body or EXT_STUDY in body}


def flip(shared: Shared) -> None:
    """Let everybody have answered the opposite about every test clip."""
    for rating in Rating.objects.filter(clip__role="test").select_related("trial__answer"):
        label = FLIPPED[rating.code]
        Rating.objects.filter(pk=rating.pk).update(
            code=label, value={"human": 1.0, "unclear": 0.5, "machine": 0.0}[label]
        )
        Answer.objects.filter(pk=rating.trial.answer.pk).update(body={"label": label}, reason=f"Sounds {label} to me")
    shared.now += timedelta(minutes=5)
    shared.refresh()


def test_no_page_endpoint_or_export_shows_a_viewer_a_platform_id(shared: Shared) -> None:
    assert with_id(seen(shared, "owner")) >= {
        "paying:overview",
        "paying:listed",
        "admin:raters_session_changelist",
        "admin:raters_session_change",
    }
    pages = seen(shared, "viewer")
    assert len(pages) > 50
    assert with_id(pages) == set()
    export = content(shared.export("viewer"))
    assert "ratings.csv" in export or "label" in export
    assert EXT_SESSION not in export
    assert EXT_SESSION in content(shared.export("owner", Profile.PAYMENT))


def test_a_viewer_can_not_ask_for_platform_ids(shared: Shared) -> None:
    viewer, slug = shared.clients["viewer"], shared.study.slug
    assert viewer.get(f"/api/v1/studies/{slug}/sessions", {"people": "true"}).status_code == 403
    assert viewer.post(f"/api/v1/studies/{slug}/exports", {"profile": "payment"}, "application/json").status_code == 403
    assert viewer.post(reverse("analysis:export", args=[slug]), {"profile": "payment"}).status_code == 403
    payment = shared.export("owner", Profile.PAYMENT)
    assert viewer.get(reverse("analysis:export_download", args=[slug, payment.pk])).status_code == 403
    assert viewer.get(f"/api/v1/studies/{slug}/exports/{payment.pk}/download").status_code == 403
    session = Session.objects.order_by("pk").first()
    assert session is not None
    finds = {
        "admin:raters_session_changelist": [{"ext_session__startswith": EXT_SESSION[:3]}],
        **{name: [] for name in LISTS[1:]},
    }
    for name, lookups in finds.items():
        for query in ({"q": session.ext_session}, *lookups):
            assert 'class="action-select"' not in text(viewer.get(reverse(name), query)), (name, query)
    by_owner = text(shared.clients["owner"].get(reverse(LISTS[0]), {"q": session.ext_session}))
    assert session.ext_session in by_owner


def test_nothing_that_a_blinded_editor_opens_depends_on_what_was_answered(shared: Shared) -> None:
    export = content(shared.export("blinded"))
    before, owners = seen(shared, "blinded"), seen(shared, "owner")
    assert len(before) > 50
    flip(shared)
    after = seen(shared, "blinded")
    assert sorted(name for name in before | after if before.get(name) != after.get(name)) == []
    assert content(shared.export("blinded")) == export
    changed = {name for name, body in seen(shared, "owner").items() if body != owners[name]}
    assert changed >= {"analysis:study", "api:results", "api:ratings", "admin:raters_answer_changelist"}


def test_a_blinded_editor_sees_scores_once_the_study_is_closed_and_opens_none_before(shared: Shared) -> None:
    blinded, slug = shared.clients["blinded"], shared.study.slug
    page = reverse("analysis:hidden_scores", args=[slug])
    assert "As a score-blinded editor, you see scores after the study is closed" in text(blinded.get(page))
    assert blinded.post(page, {"reason": "I would like to see them now."}).status_code == 403
    assert "scores-title" not in text(blinded.get(reverse("analysis:study", args=[slug])))
    states.close(study=Study.objects.get(pk=shared.study.pk))
    assert "scores-title" in text(blinded.get(reverse("analysis:study", args=[slug])))
    assert blinded.get(f"/api/v1/studies/{slug}/ratings").status_code == 200
    assert blinded.get(reverse("experts:review", args=[slug])).status_code == 200


def test_a_payer_exports_the_payment_table_and_no_other(shared: Shared) -> None:
    payer, slug = shared.clients["payer"], shared.study.slug
    page = text(payer.get(reverse("analysis:export", args=[slug])))
    assert 'value="payment"' in page
    assert 'value="analysis"' not in page
    begun = payer.post(reverse("analysis:export", args=[slug]), {"profile": "payment"})
    assert begun["Location"].startswith(f"/studies/{slug}/exports/")
    assert payer.post(reverse("analysis:export", args=[slug]), {"profile": "open"}).status_code == 403
    listed = text(payer.get(reverse("workspace:home")))
    assert reverse("paying:overview", args=[slug]) in listed
    assert "Shared with you: Payer" in listed
