"""`quick_study`: make the study of a quick test from a request in JSON on standard input, and launch it."""

from __future__ import annotations

import io
import sys
from typing import Any
from urllib.parse import urlsplit

import segno
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from pydantic import ValidationError

from core.errors import DomainError, Invalid
from quick import making, request

LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class Command(BaseCommand):
    help = "Make a quick test from a request in JSON on standard input; started by `earshot quick`."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            asked = request.Request.model_validate_json(sys.stdin.read())
            kept = making.make(asked, self.say)
        except ValidationError as error:
            raise CommandError(f"{error.errors()[0]['loc']}: {error.errors()[0]['msg']}") from None
        except DomainError as error:
            fields = error.problems.values() if isinstance(error, Invalid) else ()
            raise CommandError(" ".join([error.message, *fields])) from None
        request.store(kept)
        link = f"{settings.BASE_URL}{reverse('raters:arrive', args=[kept.slug])}"
        (settings.DATA / "quick-link.txt").write_text(described(link), encoding="utf-8")

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def described(link: str) -> str:
    """Return the link; with a QR code if other machines can open it."""
    if urlsplit(link).hostname in LOOPBACK:
        return link
    picture = io.StringIO()
    segno.make(link, error="m", micro=False).terminal(picture, compact=True)
    return f"{link}\n\n{picture.getvalue()}"
