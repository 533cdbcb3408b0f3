"""Status of the configured judge, requested with a short time-out for pages."""

from __future__ import annotations

from typing import Literal, NamedTuple

from django.utils.translation import gettext as _

from core.errors import Conflict
from judge.client import configured
from judge.client.transport import BRIEF
from judge.problems import Misconfigured, Unavailable
from judge.runs.queries import trained_on
from judge.schemas import ModelInfo

# Not set up; not answering; set up wrongly; answering.
State = Literal["none", "down", "wrong", "there"]


class JudgeStatus(NamedTuple):
    """The judge's status; `seen` counts the study's clips in its training data."""

    state: State
    trouble: str = ""
    info: ModelInfo | None = None
    seen: int = 0
    usual: str = ""


def judge_status(study_id: int) -> JudgeStatus:
    """Ask the judge for its status; errors are returned, not raised."""
    if not configured.is_configured():
        return JudgeStatus(
            "none",
            _(
                "No judge is set up. Everything else works without one; scores of a judge on another machine, DNSMOS "
                "and any other metric can be imported."
            ),
        )
    try:
        client = configured.judge(BRIEF)
    except Misconfigured as trouble:
        return JudgeStatus("wrong", str(trouble))
    try:
        info = client.info()
    except Unavailable as trouble:
        return JudgeStatus("down", trouble.message)
    except Misconfigured as trouble:
        return JudgeStatus("wrong", str(trouble))
    finally:
        client.close()
    return JudgeStatus("there", "", info, trained_on(study_id, info.training), configured.usual_profile())


def profile_for(profile: str) -> str:
    """Return the given or default profile for a new run; raises `Conflict` without a judge."""
    if not configured.is_configured():
        raise Conflict(_("No judge is set up, so nothing can be started."), code="no_judge")
    return profile or configured.usual_profile()
