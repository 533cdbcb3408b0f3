"""Prolific: arrival and return of people, payments, and signed messages."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Invalid
from core.web import client_input
from raters.sources import signatures
from raters.sources.base import ArrivalRequest, RaterArrival, RaterSource, read_ids
from raters.sources.client import prolific as api
from raters.sources.client.transport import PlatformTransport
from raters.sources.payment_platform import BadSignature, Message, PaymentPlatform

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from studies.definition.settings.crowd import Crowd

PARAMETERS = {
    "person": ("PROLIFIC_PID", "pid", "participant_label"),
    "study": ("STUDY_ID",),
    "session": ("SESSION_ID",),
}
TOKEN = "prolific_token"  # noqa: S105  (a parameter's name)
# Ids in Prolific's preview have this form; those of real submissions have 24 hexadecimal digits.
MADE_UP = re.compile(r"(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-z]{12}")
# Prolific retries messages for a day; clocks differ slightly.
OLDEST, AHEAD = timedelta(hours=25), timedelta(minutes=5)

security = logging.getLogger("earshot.security")


class ProlificPayments(PaymentPlatform):
    """Submissions and payments of the account in the settings."""

    name = "Prolific"
    token_setting = "EARSHOT_PROLIFIC_TOKEN"  # noqa: S105  (a setting's name)
    shortest_rejection = api.SHORTEST_REASON
    bonuses_at_once = api.MOST_BONUSES
    no_codes = frozenset({"NOCODE"})
    study_help = gettext_lazy("It is the last part of the study’s address at Prolific: 24 letters and digits.")
    return_help = gettext_lazy("Prolific adds a greeting.")
    csv_columns = {
        "id": ("submission id", "session_id", "id"),
        "person": ("participant id", "participant_id"),
        "state": ("status",),
        "code": ("completion code", "entered_code", "study_code"),
        "started_at": ("started at", "started_datetime", "started_at"),
        "completed_at": ("completed at", "completed_date_time", "completed_at"),
    }

    @property
    def is_configured(self) -> bool:
        return bool(settings.PROLIFIC_TOKEN)

    def connect(self) -> api.ProlificClient:
        return api.ProlificClient(PlatformTransport(settings.PROLIFIC_API, settings.PROLIFIC_TOKEN))

    def state_of(self, word: str) -> str:
        return api.state_of(word)

    @property
    def takes_messages(self) -> bool:
        return bool(settings.PROLIFIC_HOOK_SECRET)

    def message(self, headers: Mapping[str, str], raw: bytes, now: datetime) -> Message:
        """Verify the signature over the raw bytes, and return the ids in the message."""
        secret = settings.PROLIFIC_HOOK_SECRET
        timestamp = headers.get("X-Prolific-Request-Timestamp", "")
        signature = headers.get("X-Prolific-Request-Signature", "")
        expected = base64.b64encode(hmac.new(secret.encode(), timestamp.encode() + raw, hashlib.sha256).digest())
        if not secret or not hmac.compare_digest(expected, signature.encode("utf-8", "replace")):
            security.warning("A message to /hooks/prolific was not signed by the secret")
            raise BadSignature("The signature is wrong.")
        sent = _sent_at(timestamp)
        if sent is None or not now - OLDEST <= sent <= now + AHEAD:
            raise BadSignature("The timestamp is out of range.")
        try:
            body = client_input.json_value(raw)
        except ValueError:
            body = None
        fields = body if isinstance(body, dict) else {}
        names = {str(fields.get(name) or "") for name in ("study_id", "study", "resource_id", "submission_id")}
        return Message(headers.get("X-Event-ID", ""), frozenset(names - {""}))


def _sent_at(timestamp: str) -> datetime | None:
    """Parse seconds or milliseconds since 1970, or an ISO date."""
    try:
        number = float(timestamp)
        return datetime.fromtimestamp(number / 1000 if number > 1e11 else number, UTC)
    except (OverflowError, OSError, ValueError):
        pass
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class ProlificSource(RaterSource):
    """Prolific: links have three ids and optionally a signature; people leave with a code."""

    name = "prolific"
    # Of academic accounts; companies pay 42.8.
    fee_percent = 33.3
    label = "Prolific"
    place = "Prolific"
    advice = gettext_lazy("Paste this address unchanged into the study’s URL at Prolific, which fills in the IDs.")
    return_url = "https://app.prolific.com/submissions/complete?cc={code}"
    code_advice = {
        "complete": gettext_lazy("COMPLETED; review by hand, or approve automatically"),
        "declined": gettext_lazy("NO_CONSENT; request return"),
        "bad_device": gettext_lazy("INCOMPATIBLE_DEVICE; request return"),
        "screened_out": gettext_lazy("FIXED_SCREENOUT or SCREENED_OUT; pay for the screening"),
        "failed_comprehension": gettext_lazy("OTHER; request return, never reject"),
        "failed_attention": gettext_lazy("FAILED_ATTENTION_CHECK; review by hand"),
        "technical_failure": gettext_lazy("OTHER; review by hand, and pay for the time"),
        "withdrawn": gettext_lazy("OTHER; request return"),
        "no_place": gettext_lazy("OTHER; request return"),
    }
    payment_platform = ProlificPayments()

    @property
    def keys_url(self) -> str:
        return settings.PROLIFIC_JWKS

    def parse(self, knock: ArrivalRequest) -> RaterArrival:
        ids = read_ids(knock.params, PARAMETERS)
        proof = self._proof(knock, ids)
        # Must not count as having heard the clips.
        preview = MADE_UP.fullmatch(ids["session"]) is not None
        person = f"preview-{ids['session']}" if preview else ids["person"]
        return RaterArrival(self.name, person, ids["study"], ids["session"], proof, preview)

    def _proof(self, knock: ArrivalRequest, ids: dict[str, str]) -> str:
        """Return "unsigned" or "signed"; raises `Invalid` for a missing or wrong signature."""
        token, mode = knock.id(TOKEN), knock.crowd.signed_links
        if mode == "off" or (mode == "optional" and not token):
            return "unsigned"
        if not token:
            raise Invalid(_("This link carries no signature."), code="unsigned")
        page = f"{knock.base_url}/s/{knock.slug}/"
        claims = signatures.read(token, key=knock.key, audience=page, now=knock.now)
        claim = claims.get("prolific")
        values = {str(name).lower(): str(value) for name, value in claim.items()} if isinstance(claim, dict) else {}
        # By the parameter names in the researcher's link.
        signed = {
            key: next((values[name.lower()] for name in PARAMETERS[key] if name.lower() in values), "") for key in ids
        }
        if claims["sub"] != ids["session"] or signed != ids:
            raise Invalid(_("The signature belongs to another link."), code="bad_signature")
        return "signed"

    def link(self, base_url: str, slug: str, crowd: Crowd) -> str:
        filled_in_by_prolific = "&".join(
            f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
        )
        return f"{base_url}/s/{slug}/?{filled_in_by_prolific}"

    def problems(self, crowd: Crowd) -> Iterator[Words]:
        if crowd.return_url and "{code}" not in crowd.return_url:
            yield _("The return URL holds no {code}: Prolific would not learn how a session ended.")
