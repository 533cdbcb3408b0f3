"""The OpenAPI file is what the server does: checked in, complete, and kept by every answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import yaml
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.urls import get_resolver
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.wsgi import application
from core.paths import ROOT
from studies.models import Study
from tests.analysis.world import World
from tests.api.caller import owned, token
from tests.researchers import logged_in, researcher

FILE = ROOT / "docs" / "openapi.yaml"
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
schema = schemathesis.openapi.from_path(str(FILE)).include(path_regex="^/api/v1/")
schema.app = application


def test_the_file_is_what_the_code_says(tmp_path: Path) -> None:
    call_command("spectacular", "--file", str(tmp_path / "made.yaml"), "--fail-on-warn", "--validate")
    assert (tmp_path / "made.yaml").read_text() == FILE.read_text(), (
        "The API has changed. Write the file anew: ./run manage spectacular --file docs/openapi.yaml"
    )


def test_every_address_of_the_api_is_in_the_file() -> None:
    (found,) = (each for each in get_resolver().url_patterns if getattr(each, "namespace", "") == "api")
    names = {each.name for each in found.url_patterns}  # type: ignore[union-attr]
    apart = {"openapi", "docs", "docs_swagger-ui.css", "docs_swagger-ui-bundle.js", "nowhere"}
    assert len(yaml.safe_load(FILE.read_text())["paths"]) == len(names - apart)


@pytest.fixture
def secret(db: None, files: Path, now: datetime, settings: Any) -> Iterator[str]:
    """Return Rita's token; she has a study that somebody has rated, under the address that the examples ask for."""
    settings.API_RATE = 10**6
    world, rita = World(now), researcher("rita")
    owned(world.study, rita)
    world.crowd(1)
    Study.objects.filter(pk=world.study.pk).update(slug="voices")
    # As Django's own test client does: a request closes no connection that the test is using.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield token(rita)
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.sqlite
@schema.parametrize()
@settings(
    max_examples=6,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_sent_the_answer_is_one_that_the_file_knows(case: Any, secret: str) -> None:
    if "slug" in case.path_parameters:
        case.path_parameters["slug"] = "voices"
    case.call_and_validate(headers={"Authorization": f"Bearer {secret}"}, checks=CHECKS)


def test_the_file_and_its_page_are_there_for_everybody(db: None) -> None:
    browser = logged_in(researcher("rita"))
    sent = browser.get("/api/v1/openapi.yaml")
    assert sent.content.decode() == FILE.read_text()
    page = browser.get("/api/v1/docs").content.decode()
    assert "swagger-ui-bundle.js" in page
    for name, kind in (("swagger-ui.css", "text/css"), ("swagger-ui-bundle.js", "text/javascript")):
        asset = browser.get(f"/api/v1/docs/{name}")
        assert asset["Content-Type"].startswith(kind)
        assert len(asset.getvalue()) > 100_000
