"""Client of Prolific's API, version 1: submissions, decisions on them, bonuses, places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, cast

from django.utils.translation import gettext as _

from core.errors import Invalid
from raters.sources.client.transport import PlatformTransport
from raters.sources.payment_platform import (
    ID,
    NotYet,
    PaymentClient,
    PlatformRefusal,
    StudyRecord,
    SubmissionRecord,
    Unclear,
    moment,
)

# Default page size, and the size requested, which the platform may ignore.
USUAL_PAGE, ASKED_PAGE = 20, 100
SHORTEST_REASON = 100
MOST_BONUSES = 200
CATEGORIES = (
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
)
UNDER_WAY = {"reserved", "active"}


class ProlificClient(PaymentClient):
    """Client of an account's API. Payments and messages are sent once, unless Prolific ignores repeats."""

    def __init__(self, transport: PlatformTransport) -> None:
        self.transport = transport

    def submissions(self, study: str | None) -> Iterator[SubmissionRecord]:
        """Yield all submissions of one study. Raises `Invalid` without a study: the API would list the account's."""
        path = "/api/v1/submissions/"
        name, page, first, seen = checked(study), 1, 0, set[str]()
        while True:
            query = {"study": name, "page": page, "page_size": ASKED_PAGE, "ordering": "started_at"}
            try:
                answer = self.transport.ask("GET", path, repeatable=True, params=query)
            except PlatformRefusal as error:
                # Some servers answer 404 after the last page.
                if page > 1 and error.detail.get("status") == 404:
                    return
                raise
            records = [submission_record(row) for row in answer.get("results") or [] if row.get("id")]
            fresh = [each for each in records if each.id not in seen]
            if records and not fresh:
                raise Unclear(_("The platform sent the same page twice."))
            seen.update(each.id for each in fresh)
            yield from fresh
            first = first or len(records)
            if len(records) < max(USUAL_PAGE, first):
                return
            page += 1

    def account(self) -> str:
        """Return the name of the token's account; a single request, without retries."""
        answer = self.transport.ask("GET", "/api/v1/users/me/", repeatable=False)
        return str(answer.get("email") or answer.get("name") or answer.get("id") or "an account")

    def submission(self, submission: str) -> SubmissionRecord:
        """Return one submission with its bonuses."""
        return submission_record(
            self.transport.ask("GET", f"/api/v1/submissions/{checked(submission)}/", repeatable=True)
        )

    def study(self, study: str) -> StudyRecord:
        """Return a study's pay and number of places."""
        return study_record(self.transport.ask("GET", f"/api/v1/studies/{checked(study)}/", repeatable=True))

    def approve(self, submission: str) -> None:
        """Approve a submission; raises `NotYet` before the participant has submitted."""
        self._transition(submission, {"action": "APPROVE"})

    def reject(self, submission: str, *, message: str, category: str = "FAILED_CHECK") -> None:
        """Reject a submission; Prolific sends the message to the participant. Raises `Invalid` if it is too short."""
        if len(message.strip()) < SHORTEST_REASON:
            least = _("Write at least {least} characters. The participant reads this message.").format(
                least=SHORTEST_REASON
            )
            raise Invalid(least, {"message": least})
        if category not in CATEGORIES:
            raise Invalid(_("There is no such reason for a rejection."), {"category": category})
        self._transition(submission, {"action": "REJECT", "message": message.strip(), "rejection_category": category})

    def screen_out(self, submission: str, *, code: str) -> None:
        """Complete a submission with the code for screened-out people."""
        self._transition(submission, {"action": "COMPLETE", "completion_code": code})

    def _transition(self, submission: str, body: Mapping[str, Any]) -> None:
        path = f"/api/v1/submissions/{checked(submission)}/transition/"
        try:
            # Prolific ignores repeats of the same request.
            self.transport.ask("POST", path, repeatable=True, json=body)
        except PlatformRefusal as error:
            if body["action"] != "COMPLETE" and error.detail.get("status") == 400:
                now = self.submission(submission).state
                if now in UNDER_WAY:
                    raise NotYet(_("The participant has not submitted yet.")) from error
            raise

    def request_return(self, submission: str, *, message: str) -> None:
        """Ask the participant to return the submission; each call sends a message."""
        path = f"/api/v1/submissions/{checked(submission)}/request-return/"
        self.transport.ask("POST", path, repeatable=False, json={"request_return_reasons": [message]})

    def set_up_bonuses(self, study: str, amounts: Mapping[str, Decimal]) -> str:
        """Create an order of bonuses at Prolific and return its id; nothing is paid yet.

        Raises `PlatformRefusal` if Prolific computes another total.
        """
        if not 0 < len(amounts) <= MOST_BONUSES:
            raise Invalid(_("Pay 1 to {most} bonuses at a time.").format(most=MOST_BONUSES))
        lines = "".join(f"{checked(submission)},{amount:.2f}\n" for submission, amount in amounts.items())
        body = {"study_id": checked(study), "csv_bonuses": lines}
        # An unpaid order costs nothing, so sending it twice is harmless.
        answer = self.transport.ask("POST", "/api/v1/submissions/bonus-payments/", repeatable=True, json=body)
        order, understood, ours = str(answer.get("id") or ""), answer.get("amount"), sum(amounts.values()) * 100
        if not ID.fullmatch(order):
            raise PlatformRefusal(_("The platform sent no ID for these bonuses, so they can’t be paid."))
        if understood is not None and Decimal(str(understood)) != ours:
            text = _("The platform understood a sum of {theirs} hundredths instead of {ours}. Nothing was paid.")
            raise PlatformRefusal(text.format(theirs=understood, ours=int(ours)))
        return order

    def pay_bonuses(self, order: str) -> None:
        """Pay an order. Each call pays, so it is sent only once."""
        self.transport.ask("POST", f"/api/v1/bulk-bonus-payments/{checked(order)}/pay/", repeatable=False)

    def set_places(self, study: str, places: int) -> None:
        """Set a study's total number of places, which must be paid for; Prolific refuses a lower number."""
        body = {"total_available_places": places}
        self.transport.ask("PATCH", f"/api/v1/studies/{checked(study)}/", repeatable=True, json=body)

    def close(self) -> None:
        self.transport.close()


def checked(name: str | None) -> str:
    """Return an id that is safe in a URL; raises `Invalid` if it is missing or malformed."""
    if not isinstance(name, str) or not ID.fullmatch(name):
        raise Invalid(_("This is not a valid ID of the platform."))
    return name


def submission_record(row: Mapping[str, Any]) -> SubmissionRecord:
    """Parse a submission in either of the API's two formats."""
    bonuses = row.get("bonus_payments")
    return SubmissionRecord(
        id=str(row.get("id") or ""),
        person=str(row.get("participant_id") or row.get("participant") or ""),
        state=state_of(str(row.get("status") or "")),
        code=str(row.get("study_code") or row.get("entered_code") or ""),
        started_at=moment(row.get("started_at")),
        completed_at=moment(row.get("completed_at")),
        return_asked_at=moment(row.get("return_requested")),
        bonus=None if bonuses is None else sum((Decimal(str(each)) / 100 for each in bonuses), Decimal(0)),
    )


def study_record(row: Mapping[str, Any]) -> StudyRecord:
    """Parse a study; its reward is in hundredths."""
    reward = row.get("reward")
    return StudyRecord(
        status=str(row.get("status") or "")[:30],
        reward=None if reward is None else Decimal(str(reward)) / 100,
        currency=str(row.get("presentment_currency_tag") or row.get("currency_code") or "")[:3].upper(),
        minutes=cast("int | None", row.get("estimated_completion_time")),
        places=cast("int | None", row.get("total_available_places")),
    )


def state_of(word: str) -> str:
    """Normalize Prolific's names of states, such as AWAITING REVIEW or TIMED-OUT."""
    return word.strip().lower().replace(" ", "_").replace("-", "_")
