"""Tables of what is asked."""

from __future__ import annotations

from studies.audit.models import AcceptedFinding, AppliedRepair, ClipAudit, RepairPreview, StudyAudit
from studies.clips.models import Clip, ClipFigures, ClipImport, ClipUpload, Question, System, Text
from studies.corpus.models import CorpusSettings, CorpusText, TextComment, TextVersion
from studies.decisions.models import ExpertClip, ExpertInvite, StudyExpert
from studies.definition.models import SavedPreset, Study, StudyVersion
from studies.drafting.models import Draft, DraftDecision, DraftPrompt, DraftQuestion, DraftRun
from studies.members.models import Member, MemberInvite
from studies.pool.models import Cell, Item, ItemClip, Pool
from studies.spot_checks.models import SpotClip, SpotDecision, SpotItem, SpotTurn
from studies.summaries.models import Summary

__all__ = [
    "AcceptedFinding",
    "AppliedRepair",
    "Cell",
    "Clip",
    "ClipAudit",
    "ClipFigures",
    "ClipImport",
    "ClipUpload",
    "CorpusSettings",
    "CorpusText",
    "Draft",
    "DraftDecision",
    "DraftPrompt",
    "DraftQuestion",
    "DraftRun",
    "ExpertClip",
    "ExpertInvite",
    "Item",
    "ItemClip",
    "Member",
    "MemberInvite",
    "Pool",
    "Question",
    "RepairPreview",
    "SavedPreset",
    "SpotClip",
    "SpotDecision",
    "SpotItem",
    "SpotTurn",
    "Study",
    "StudyAudit",
    "StudyExpert",
    "StudyVersion",
    "Summary",
    "System",
    "Text",
    "TextComment",
    "TextVersion",
]
