"""A payer works by the role alone; a score-blinded editor and a payer are never asked to open scores early."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from accounts.models import User
from analysis.exports.models import Export, Profile
from raters.models import PlatformStudy
from studies.members.models import Member
from tests.researchers import text
from tests.roles.world import Shared, make

EARLY = "Open them early"


@pytest.fixture
def shared(db: None, files: Path, now: datetime, settings: Any) -> Shared:
    return make(now, results__hide_scores=True)


def at(shared: Shared, name: str) -> str:
    return reverse(name, args=[shared.study.slug])


def test_a_payer_acts_on_payments_without_further_permissions(shared: Shared) -> None:
    payer = User.objects.get(username="payer")
    assert not payer.has_perm("raters.pay_raters")
    assert "You can view this page only" not in text(shared.clients["payer"].get(at(shared, "paying:overview")))
    linked = shared.clients["payer"].post(at(shared, "paying:link"), {"source": "prolific", "ext_study": "another"})
    assert linked.status_code == 302
    assert PlatformStudy.objects.filter(study=shared.study, ext_study="another").exists()


def test_a_payer_of_one_study_pays_in_no_other_and_not_after_being_removed(shared: Shared) -> None:
    Member.objects.filter(user__username="payer").delete()
    given = {"source": "prolific", "ext_study": "another"}
    assert shared.clients["payer"].post(at(shared, "paying:link"), given).status_code in {403, 404}
    assert shared.clients["editor"].post(at(shared, "paying:link"), given).status_code == 403
    assert not PlatformStudy.objects.filter(ext_study="another").exists()


def test_the_export_page_offers_a_payer_the_payment_table_alone(shared: Shared) -> None:
    client = shared.clients["payer"]
    page = text(client.get(at(shared, "analysis:export")))
    assert page.count('name="profile"') == 1
    assert 'value="payment" checked' in page
    assert 'name="layout"' not in page
    Export.objects.all().delete()
    assert client.post(at(shared, "analysis:export"), {"profile": "payment"}).status_code == 302
    assert Export.objects.get().profile == Profile.PAYMENT
    assert client.post(at(shared, "analysis:export"), {"profile": "analysis"}).status_code == 403


@pytest.mark.parametrize("who", ["blinded", "payer"])
def test_who_may_not_open_scores_is_never_told_to(shared: Shared, who: str) -> None:
    pages = ("analysis:export", "workspace:overview", "workspace:live", "analysis:study", "analysis:hidden_scores")
    for name in pages:
        page = text(shared.clients[who].get(at(shared, name)))
        assert EARLY not in page
        assert "Open the scores" not in page
    assert EARLY in text(shared.clients["owner"].get(at(shared, "analysis:export")))
