"""The rater link, preview link and completion codes on a study's page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import segno
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from core.errors import NotFound
from raters import sources
from raters.people.models import Session
from raters.sources.invite import InviteSource
from raters.sources.open import OpenLinkSource
from raters.sources.preview import PreviewSource

if TYPE_CHECKING:
    from raters.sources.base import RaterSource
    from studies.definition.models import Study
    from studies.definition.settings.crowd import Crowd

LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def panel(study: Study) -> SafeString:
    """Render the study's rater link for its crowd source, and a preview link."""
    crowd = study.definition.crowd
    try:
        source = sources.get(crowd.source)
    except NotFound as error:
        return format_html("<p>{}</p>", error.message)
    link = source.link(settings.BASE_URL, study.slug, crowd)
    is_launched = study.launched_at is not None
    try_out = PreviewSource().link(settings.BASE_URL, study.slug, crowd) if is_launched else ""
    context = {
        "advice": source.advice,
        "link": link,
        # With other sources, the platform adds its ids or each person has a link of their own.
        "qr_code": _qr_code(link) if source.name == OpenLinkSource.name else "",
        "codes": _completion_codes(source, crowd),
        "make_address": f"{reverse('admin:raters_invite_add')}?study={study.pk}"
        if source.name == InviteSource.name
        else "",
        "try_out": try_out,
        "try_out_code": _qr_code(try_out) if try_out else "",
        "is_local": is_local(),
        "for_admins": how_to_set_address(),
    }
    return render_to_string("raters/people/link.html", context)


def is_local() -> bool:
    """True if only this machine can open the rater link."""
    return urlsplit(settings.BASE_URL).hostname in LOOPBACK


def how_to_set_address() -> str:
    """Return what an administrator does so that raters can open the rater link."""
    text = _("Set EARSHOT_BASE_URL to an address that raters can reach, such as {example}, and restart the server.")
    return text.format(example="https://listening.example.org")


def _qr_code(link: str) -> SafeString:
    """Return a QR code as SVG: dark on white even in dark mode, so that phones can read it."""
    code = segno.make(link, error="m", micro=False)
    return mark_safe(code.svg_inline(scale=4, dark="#000", light="#fff"))  # noqa: S308  (drawn from bits)


def _completion_codes(source: RaterSource, crowd: Crowd) -> SafeString:
    """Return a table of the completion codes to create at the platform."""
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
