"""Programs that call the API with a token."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.test import Client

from accounts.models import User
from accounts.tokens import services as tokens_services
from accounts.tokens.models import SCOPES
from core import clock
from studies.models import Study

BASE = "/api/v1"


def token(owner: User, *scopes: str, expires_at: datetime | None = None) -> str:
    """Return a new token of this person; without scopes it has all."""
    chosen: Collection[str] = scopes or SCOPES
    return tokens_services.create(owner=owner, name="test", scopes=chosen, now=clock.now(), expires_at=expires_at)[1]


class Caller:
    """A program with a token, which reads JSON; what a server's own error would raise is answered as 500."""

    def __init__(self, secret: str = "") -> None:
        self.client = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(self._url(path), query, headers=self.headers)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        content = b"" if body is None else json.dumps(body)
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.client.generic(method, self._url(path), content, "application/json", headers=sent)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("POST", path, body, **headers)

    def files(self, path: str, fields: dict[str, Any], **headers: str) -> Any:
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.client.post(self._url(path), fields, headers=sent)

    def _url(self, path: str) -> str:
        return path if path.startswith(BASE) else f"{BASE}{path}"


def refused(response: Any, status: int, code: str) -> list[dict[str, Any]]:
    """Check the one shape of a refusal, and return what it names."""
    found = response.json()
    assert (response.status_code, found["code"]) == (status, code), found
    assert found["message"]
    assert isinstance(found["errors"], list)
    return list(found["errors"])


def owned(study: Study, owner: User) -> Study:
    """Give a study to somebody."""
    Study.objects.filter(pk=study.pk).update(owner=owner)
    study.refresh_from_db()
    return study
