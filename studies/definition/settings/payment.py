"""What raters are paid, as the researcher plans it; the platform's own study says what it pays by itself."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import Field

from core.spec import Spec, labels

# The setting that holds the pay of each outcome that is paid a fixed sum instead of the session's pay.
FIXED_RATES = {"screened_out": "screened_out_rate", "no_place": "no_place_rate"}


def money(amount: float) -> Decimal:
    """Return an amount as whole hundredths."""
    return Decimal(str(amount)).quantize(Decimal("0.01"))


class PaymentSettings(Spec):
    """What raters are paid; it belongs to the study and not to its versions, and holds at once."""

    currency: str = Field("GBP", pattern=r"^[A-Z]{3}$", description="Currency of all amounts, such as GBP, USD or CNY.")
    per: Literal["session", "clip"] = Field(
        "session",
        title="Paid by",
        json_schema_extra=labels(session="for a session", clip="for a clip"),
        description="By clip, what is more than the platform’s own reward is paid as a bonus.",
    )
    rate: float | None = Field(
        None,
        ge=0,
        le=100_000,
        title="Pay",
        description="What a rater is paid for a complete session, or for each answered clip. Enter 0 if the study is "
        "not paid.",
    )
    bonus_per_valid_batch: float = Field(
        0,
        ge=0,
        le=10_000,
        title="Bonus per valid batch",
        description="Added for each batch whose traps were answered rightly; 0: none.",
    )
    screened_out_rate: float | None = Field(
        None,
        ge=0,
        le=100_000,
        title="Pay after screening out",
        description="Pay for raters who are screened out by the first checks. Leave empty if there is none.",
    )
    no_place_rate: float | None = Field(
        None,
        ge=0,
        le=100_000,
        title="Pay when every place is taken",
        description="Pay for raters who can’t start because every place is taken. Leave empty if there is none: then "
        "they are asked to return their place.",
    )
    minutes: int | None = Field(
        None,
        ge=1,
        le=1440,
        title="Minutes per session",
        description="Length of a session that raters read before they consent. Leave empty to use an estimate: the "
        "duration of the clips and the usual time for an answer.",
    )
    hourly_least: float | None = Field(
        None,
        ge=0,
        le=100_000,
        title="Lowest pay per hour",
        description="Design, Check & launch and the payment page warn when the pay for an hour is less; empty: never.",
    )
    fee_percent: float | None = Field(
        None,
        ge=0,
        le=200,
        title="Platform’s fee, in percent",
        description="Added to pay and bonus in the total. Leave empty for the usual fee: 33.3 at Prolific for academic "
        "accounts (42.8 for companies; VAT comes on top), 0 for open and personal links, unknown elsewhere.",
    )

    def fixed_rate(self, outcome: str) -> float:
        """Return the fixed pay of an outcome in `FIXED_RATES`; 0 where the study pays none."""
        return getattr(self, FIXED_RATES[outcome]) or 0

    def owed(self, *, outcome: str, clips: int, valid_batches: int) -> tuple[Decimal, Decimal]:
        """Return (pay, bonus) of a session that is to be paid and ended so."""
        if outcome in FIXED_RATES:
            return money(self.fixed_rate(outcome)), Decimal(0)
        pay = money((self.rate or 0) * (clips if self.per == "clip" else 1))
        return pay, money(self.bonus_per_valid_batch * valid_batches)
