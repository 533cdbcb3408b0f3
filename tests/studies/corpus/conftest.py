"""A draft study and people who work on its texts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from accounts.models import User
from studies.corpus import services
from studies.models import CorpusText, Study
from tests.researchers import researcher
from tests.studies.imports.helpers import draft


@pytest.fixture
def rita(db: None) -> User:
    return researcher("rita")


@pytest.fixture
def ben(db: None) -> User:
    return researcher("ben")


@pytest.fixture
def study(files: Path, rita: User) -> Study:
    return Study.objects.create(slug="one", title="One", draft=draft(), owner=rita)


@pytest.fixture
def text(study: Study, rita: User, now: datetime) -> CorpusText:
    return services.add(study=study, name="t1", values={"body": "It costs $5."}, author=rita, now=now)
