"""An account at the stand-in, and its rules."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from raters.sources.client.prolific import CATEGORIES

BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DECIDABLE = {"AWAITING REVIEW"}
# The state that each action gives a submission; a second action is ignored.
ENDS = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}
# States of places that end without a submission.
LEAVES = ("RETURNED", "TIMED-OUT")


class ApiError(Exception):
    """An error response of the API."""

    def __init__(self, status: int, detail: str, title: str = "Bad request") -> None:
        super().__init__(detail)
        self.status, self.detail, self.title = status, detail, title


@dataclass
class FakeSubmission:
    """One participant's place."""

    id: str
    study: str
    participant: str
    status: str = "ACTIVE"
    code: str | None = None
    started_at: datetime = BEGAN
    completed_at: datetime | None = None
    return_requested: datetime | None = None
    # In hundredths, as in Prolific's API.
    bonuses: list[int] = field(default_factory=list)
    # Messages to the participant: reasons of a rejection, requests to return.
    messages: list[str] = field(default_factory=list)

    def short(self) -> dict[str, Any]:
        """Return the fields of the list of submissions, which has no bonuses."""
        return {
            "id": self.id,
            "participant_id": self.participant,
            "status": self.status,
            "started_at": text(self.started_at),
            "completed_at": text(self.completed_at),
            "has_siblings": False,
            "study_code": self.code,
            "return_requested": text(self.return_requested),
        }

    def whole(self) -> dict[str, Any]:
        """Return the fields of a single submission."""
        return {
            "id": self.id,
            "participant": self.participant,
            "study_id": self.study,
            "status": self.status,
            "started_at": text(self.started_at),
            "completed_at": text(self.completed_at),
            "entered_code": self.code,
            "bonus_payments": list(self.bonuses),
            "return_requested": text(self.return_requested),
        }

    def hand_in(self, code: str | None, minutes: float = 12.0) -> None:
        """Submit with a code after some minutes."""
        self.status, self.code = "AWAITING REVIEW", code
        self.completed_at = self.started_at + timedelta(minutes=minutes)

    def leave(self, status: str) -> None:
        """Return the place or let it time out."""
        if status not in LEAVES:
            raise ApiError(400, "Say RETURNED or TIMED-OUT.")
        if self.status not in {"ACTIVE", "AWAITING REVIEW"}:
            raise ApiError(400, f"A submission that is {self.status} can't be {status}.")
        self.status = status


@dataclass
class FakeStudy:
    """A study set up at the stand-in."""

    id: str
    reward: int = 300
    currency: str = "GBP"
    minutes: int = 12
    places: int = 20
    screened_out_code: str = ""

    def whole(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "status": "ACTIVE",
            "reward": self.reward,
            "presentment_currency_tag": self.currency,
            "estimated_completion_time": self.minutes,
            "total_available_places": self.places,
        }


class Account:
    """Studies, submissions, and bonuses; `paid` lists every payment of an order."""

    def __init__(self) -> None:
        self.studies: dict[str, FakeStudy] = {}
        self.submissions: dict[str, FakeSubmission] = {}
        self.orders: dict[str, dict[str, int]] = {}
        self.paid: list[str] = []

    def add(self, submission: FakeSubmission) -> FakeSubmission:
        self.submissions[submission.id] = submission
        return submission

    def study(self, name: str) -> FakeStudy:
        if name not in self.studies:
            raise ApiError(404, "Not found.", "Not found")
        return self.studies[name]

    def submission(self, name: str) -> FakeSubmission:
        if name not in self.submissions:
            raise ApiError(404, "Not found.", "Not found")
        return self.submissions[name]

    def of_study(self, name: str) -> list[FakeSubmission]:
        """Return a study's submissions in the order they began."""
        submissions = [each for each in self.submissions.values() if each.study == name]
        return sorted(submissions, key=lambda each: (each.started_at, each.id))

    def transition(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Approve, reject, or screen out by a code."""
        submission, action = self.submission(name), body.get("action")
        if action == "COMPLETE":
            self._screen_out(submission, str(body.get("completion_code") or ""))
            return submission.whole()
        if action not in ENDS:
            raise ApiError(400, "action: is not a valid choice.")
        if action == "REJECT":
            if len(str(body.get("message") or "")) < 100:
                raise ApiError(400, "message: Ensure this field has at least 100 characters.")
            if body.get("rejection_category") not in CATEGORIES:
                raise ApiError(400, "rejection_category: is not a valid choice.")
        if submission.status == ENDS[action]:
            return submission.whole()
        if submission.status not in DECIDABLE:
            raise ApiError(400, f"Submission can't be moved from {submission.status} to {ENDS[action]}.")
        submission.status = ENDS[action]
        submission.messages += [str(body["message"])] if action == "REJECT" else []
        return submission.whole()

    def _screen_out(self, submission: FakeSubmission, code: str) -> None:
        known = self.study(submission.study).screened_out_code
        if not code or code != known:
            raise ApiError(400, "completion_code: does not match a code of the study's researcher.")
        if submission.status not in {"ACTIVE", "AWAITING REVIEW", "SCREENED OUT"}:
            raise ApiError(400, f"Submission can't be moved from {submission.status} to SCREENED OUT.")
        submission.status = "SCREENED OUT"

    def request_return(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        submission, reasons = self.submission(name), body.get("request_return_reasons")
        if not isinstance(reasons, list) or not reasons:
            raise ApiError(400, "request_return_reasons: This field is required.")
        if submission.status not in {"ACTIVE", "AWAITING REVIEW"}:
            raise ApiError(400, f"A return can't be requested of a submission that is {submission.status}.")
        submission.return_requested = datetime.now(UTC)
        submission.messages += map(str, reasons)
        return submission.whole()

    def set_up_bonuses(self, body: dict[str, Any]) -> dict[str, Any]:
        """Store the amounts of a bonus order; nothing is paid."""
        study = self.study(str(body.get("study_id")))
        amounts: dict[str, int] = {}
        for line in str(body.get("csv_bonuses") or "").strip().splitlines():
            name, _comma, amount = line.partition(",")
            submission = self.submissions.get(name)
            if submission is None or submission.study != study.id:
                raise ApiError(400, f"These ids have not taken part in the study: {name}")
            try:
                amounts[name] = int(Decimal(amount) * 100)
            except InvalidOperation as error:
                raise ApiError(400, f"csv_bonuses: {amount!r} is no amount.") from error
        if not amounts:
            raise ApiError(400, "csv_bonuses: This field is required.")
        order = secrets.token_hex(12)
        self.orders[order] = amounts
        total = sum(amounts.values())
        return {"id": order, "study": study.id, "amount": total, "fees": total // 3, "total_amount": total * 4 // 3}

    def pay(self, order: str) -> None:
        """Pay an order, again at each call, as the real one does."""
        if order not in self.orders:
            raise ApiError(404, "Not found.", "Not found")
        self.paid.append(order)
        for name, hundredths in self.orders[order].items():
            self.submissions[name].bonuses.append(hundredths)

    def patch(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Change a study's number of places."""
        study, places = self.study(name), body.get("total_available_places")
        if not isinstance(places, int) or places < study.places:
            raise ApiError(400, "total_available_places: can only be increased.")
        study.places = places
        return study.whole()


def text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")
