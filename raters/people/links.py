"""The rater link, preview link and completion codes on a study's page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from core.errors import NotFound
from raters import sources
from raters.people.models import Session
from raters.sources.invite import InviteSource
from raters.sources.preview import PreviewSource

if TYPE_CHECKING:
    from raters.sources.base import RaterSource
    from studies.definition.models import Study
    from studies.definition.settings.crowd import Crowd

LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def panel(study: Study) -> SafeString:
    """Return the address to give to the crowd platform that the study names, and one for trying the study out."""
    crowd = study.definition.crowd
    try:
        source = sources.get(crowd.source)
    except NotFound as error:
        return format_html("<p>{}</p>", error.message)
    link = source.link(settings.BASE_URL, study.slug, crowd)
    parts = [
        format_html("<p>{} {}</p>", source.advice, _("It works while the study is live.")),
        format_html('<pre class="frozen">{}</pre>', link),
        _completion_codes(source, crowd),
    ]
    if source.name == InviteSource.name:
        make = f"{reverse('admin:raters_invite_add')}?study={study.pk}"
        parts.append(format_html('<p><a href="{}">{}</a></p>', make, _("Create personal links")))
    if study.launched_at is not None:
        try_out = PreviewSource().link(settings.BASE_URL, study.slug, crowd)
        says = _("See what raters see. A test run takes no place and doesn't count.")
        parts.append(format_html('<p>{} <a href="{}">{}</a></p>', says, try_out, _("Try it out")))
    if urlsplit(settings.BASE_URL).hostname in LOOPBACK:
        says = _(
            "Only this machine can open this address. To invite others, see “Running it for others” in the README."
        )
        parts.append(format_html('<p class="here-only">{}</p>', says))
    return mark_safe("".join(parts))  # noqa: S308  (each part is escaped)


def _completion_codes(source: RaterSource, crowd: Crowd) -> SafeString:
    """Return a table of the completion codes to create at the platform, as its source describes them."""
    rows = [
        (Session.Outcome(outcome).label, crowd.code(outcome) or "—", advice)
        for outcome, advice in source.code_advice.items()
    ]
    if not rows:
        return SafeString()
    title = _("Completion codes to create at {platform}").format(platform=source.label)
    return format_html(
        '<details><summary>{}</summary><div class="scroll"><table><thead><tr><th scope="col">{}</th>'
        '<th scope="col">{}</th><th scope="col">{}</th></tr></thead><tbody>{}</tbody></table></div></details>',
        title,
        _("Outcome"),
        _("Code"),
        _("Type and action"),
        format_html_join("", '<tr><th scope="row">{}</th><td><code>{}</code></td><td>{}</td></tr>', rows),
    )
