"""Facts about a study for other apps."""

from __future__ import annotations

import pytest

from core.errors import NotFound
from studies.definition import facts, presets
from studies.definition.settings.payment import PaymentSettings
from studies.models import Study

pytestmark = pytest.mark.django_db


def test_what_a_study_pays_is_read_from_its_draft() -> None:
    draft = presets.get("att").definition.model_dump(mode="json")
    study = Study.objects.create(slug="one", title="One", draft=draft)
    assert facts.payment(study.pk) == PaymentSettings.model_validate(draft["payment"])


def test_a_study_without_payment_or_version_is_told_as_such() -> None:
    study = Study.objects.create(slug="one", title="One", draft={})
    for key in (study.pk, study.pk + 1):
        with pytest.raises(NotFound):
            facts.payment(key)
    with pytest.raises(NotFound, match="not been launched"):
        facts.newest_version(study.pk)
