"""All models of the judge."""

from __future__ import annotations

from judge.prescreening.models import HeldClip, Hold
from judge.runs.models import Judgement, JudgeRun

__all__ = ["HeldClip", "Hold", "JudgeRun", "Judgement"]
