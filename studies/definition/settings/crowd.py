"""Where raters come from, which completion codes they get, and where they are sent back to."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from core.spec import Spec, labels

PARAMETER = r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$"
OPTIONAL_PARAMETER = r"^([A-Za-z][A-Za-z0-9_.-]{0,63})?$"
# The setting that holds each outcome's code.
CODES = {
    "complete": "completion_code",
    "declined": "declined_code",
    "bad_device": "bad_device_code",
    "screened_out": "screened_out_code",
    "failed_comprehension": "failed_comprehension_code",
    "failed_attention": "failed_attention_code",
    "technical_failure": "technical_failure_code",
    "withdrawn": "withdrawn_code",
    "no_place": "no_place_code",
}
FILLED_IN = ("{code}", "{outcome}", "{person}", "{study}", "{session}")


def _code(description: str) -> str:
    return Field("", max_length=64, description=description)


class Crowd(Spec):
    """Where raters come from and how they are sent back."""

    source: str = Field(
        "prolific",
        title="Where raters come from",
        description="Prolific: raters are recruited and paid there. Open link: anyone with the link can take part, "
        "without a name. Personal invitations: each person gets a link. Another platform: any that adds ids of raters "
        "to the link.",
    )
    signed_links: Literal["off", "optional", "required"] = Field(
        "off",
        json_schema_extra=labels(off="Off", optional="Optional", required="Required"),
        description="Prolific alone: whether links carry Prolific’s signature (its “secure URL parameters”). "
        "Optional: a signature must be valid if there is one. Required: links without a signature are rejected.",
    )
    person_parameter: str = Field(
        "",
        pattern=OPTIONAL_PARAMETER,
        description="Another platform alone: the link’s parameter that names the person; empty: each session is "
        "a person.",
    )
    study_parameter: str = Field(
        "",
        pattern=OPTIONAL_PARAMETER,
        description="Another platform alone: the link’s parameter that names the platform’s own study; empty: none.",
    )
    session_parameter: str = Field(
        "session",
        pattern=PARAMETER,
        description="Another platform alone: the link’s parameter that names the platform’s session or assignment.",
    )
    one_per_browser: bool = Field(
        True,
        description="Open link alone: one session a browser. Without it, each start counts as a new person, "
        "as on a shared machine in a lab.",
    )
    sessions_per_person: int = Field(
        1, ge=1, le=100, description="How many sessions one person may complete; nobody hears a clip twice."
    )
    unfinished: Literal["resume", "fresh"] = Field(
        "resume",
        title="Unfinished sessions",
        json_schema_extra=labels(resume="Continue", fresh="Start a new session"),
        description="What happens when somebody with an unfinished session comes with a new submission: the session "
        "continues under the new one, or it ends, and a new session starts with clips not heard yet.",
    )
    completion_code: str = _code("Code for raters who finish.")
    declined_code: str = _code("Code for raters who don’t consent.")
    bad_device_code: str = _code("Code for raters whose device isn’t suitable.")
    screened_out_code: str = _code(
        "Code for raters who are screened out by the first checks; they are paid for these minutes."
    )
    failed_comprehension_code: str = _code("Code for raters who fail the questions on the instructions.")
    failed_attention_code: str = _code("Code for raters who fail fair attention checks.")
    technical_failure_code: str = _code("Code for raters with a technical problem.")
    withdrawn_code: str = _code("Code for raters who leave early.")
    no_place_code: str = _code("Code for raters who can’t start because every place is taken.")
    return_url: str = Field(
        # That of the source above: a study that names another one changes both.
        "https://app.prolific.com/submissions/complete?cc={code}",
        max_length=500,
        description="Where the last page leads; {code}, {outcome}, {person}, {study} and {session} stand for the code, "
        "the outcome and the platform’s ids. Without {code} or {outcome}, only those who are to be paid are led there. "
        "Empty: only the code is shown.",
    )

    identity_days: int = Field(
        180,
        ge=1,
        le=3650,
        description="How many days after the study was closed the platform’s ids of its people are deleted; "
        "answers stay, and nobody can be paid or found by name any more.",
    )

    @field_validator("return_url")
    @classmethod
    def leads_to_a_safe_address(cls, url: str) -> str:
        parts = urlsplit(url)
        if url and (parts.scheme != "https" or not parts.hostname):
            raise ValueError("write an address that begins with https://")
        # The researcher fixes the host; nothing in a rater's link may change it.
        if {"{", "}", "@"} & set(parts.netloc):
            raise ValueError("write the host as it is, without anything to fill in")
        rest = url
        for each in FILLED_IN:
            rest = rest.replace(each, "")
        if "{" in rest or "}" in rest:
            raise ValueError(f"only {', '.join(FILLED_IN)} are filled in")
        return url

    def code(self, outcome: str) -> str:
        """Return the code that belongs to a session's outcome; empty when the study has set none."""
        return str(getattr(self, CODES[outcome])) if outcome in CODES else ""
