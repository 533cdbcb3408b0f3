"""`create_study SLUG --preset att --set protocol.ratings_wanted=5`."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core import clock
from core.errors import DomainError, Invalid
from core.paths import PROGRAM
from studies.definition import presets
from studies.definition.definition import Definition
from studies.launch import states


class Command(BaseCommand):
    help = "Create a draft of a study from a preset."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the last part of the raters' link, such as my-first-study")
        parser.add_argument(
            "--preset",
            default="att",
            help=f"one of: {', '.join(sorted(presets.by_name()))}; or a preset of this server",
        )
        parser.add_argument("--title", default="", help="title shown to raters (default: the slug in words)")
        parser.add_argument(
            "--language", default="en", help=f"of the preset's texts, one of: {', '.join(settings.CATALOGUES)}"
        )
        parser.add_argument("--owner", default="", help="user name of the researcher whose study it is")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="a setting, such as protocol.ratings_wanted=5; the value is JSON or text, and empty for nothing",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        title = options["title"] or slug.replace("-", " ").capitalize()
        try:
            study = states.create_study(
                slug=slug,
                title=title,
                preset=options["preset"],
                language=options["language"],
                owner=_owner(options["owner"]),
                changes=dict(map(_setting, options["set"])),
                now=clock.now(),
            )
        except Invalid as error:
            raise CommandError("\n".join([error.message, *_lines(error)])) from None
        except DomainError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"Created the draft {study.slug}. Next:")
        self.stdout.write(f"  {PROGRAM} study import {study.slug} --manifest FILE --root FOLDER")


def _lines(error: Invalid) -> list[str]:
    return [f"  {field}: {message}" for field, message in error.problems.items()]


def _setting(text: str) -> tuple[str, Any]:
    """Read key=value: JSON where it is JSON, text where it is not, none where it is empty."""
    name, equals, value = text.partition("=")
    if not equals:
        raise CommandError(f"--set {text}: write it as KEY=VALUE, such as protocol.ratings_wanted=5.")
    if not value.strip():
        return name.strip(), _nothing(name.strip())
    try:
        return name.strip(), json.loads(value)
    except json.JSONDecodeError:
        return name.strip(), value


def _nothing(name: str) -> str | None:
    """Return the empty value of this setting: an empty text, or None."""
    kind: Any = Definition
    for part in name.split("."):
        known = getattr(kind, "model_fields", {})
        kind = known[part].annotation if part in known else None
    return "" if kind is str else None


def _owner(name: str) -> Any:
    if not name:
        return None
    user = get_user_model().objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no user {name!r}. Create one with createsuperuser or in the admin.")
    return user
