"""The spot check before a launch: did the synthesis succeed, could several takes be the same voice (rule E2)?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Conflict, Invalid
from studies.decisions import experts
from studies.decisions.experts import CardClip
from studies.decisions.holding import Turns
from studies.decisions.kinds import Kind
from studies.definition.models import Study
from studies.rules.spot_checks import CODES, OTHER, outcome_of
from studies.spot_checks import sample
from studies.spot_checks.models import SpotClip, SpotDecision, SpotItem, SpotTurn

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

    from accounts.users.models import User


class SpotKind(Kind):
    """As many experts as the study wants check each item; if they differ, another one decides."""

    name, address = "spot_check", "spot-check"
    template = "studies/spot_checks/desk.html"
    title = gettext_lazy("Check clips")
    about = gettext_lazy("Did the synthesis succeed? Could these be the same voice? Before the study is launched.")
    items, decisions, holding = SpotItem, SpotDecision, Turns(SpotTurn)
    of_study, code = "item__study", "code"
    must_play = True

    def is_on(self, study: Study) -> bool:
        return study.is_draft and study.definition.spot_check.mode != "off"

    def prepare(self, study: Study) -> None:
        fill(study=study)

    def scope(self, study_id: int) -> QuerySet[SpotItem]:
        """Return the decided items, and those with all clips still in the study."""
        lacks = SpotClip.objects.filter(item=OuterRef("pk")).filter(Q(clip=None) | Q(clip__withdrawn_at__isnull=False))
        return SpotItem.objects.filter(study_id=study_id).filter(Q(state=SpotItem.State.DONE) | ~Exists(lacks))

    def order(self, study: Study) -> tuple[str, ...]:
        # Success before consistency, each in random order.
        return ("-kind", "order", "pk")

    def clips(self, items: Sequence[SpotItem]) -> dict[int, list[CardClip]]:
        return experts.card_clips(SpotClip.objects.filter(item__in=items, clip__isnull=False), "item_id")

    def shown(self, items: Sequence[SpotItem]) -> dict[int, dict[str, Any]]:
        return {item.pk: {"kind": item.kind} for item in items}

    def record(self, item: SpotItem, valid: Sequence[SpotDecision]) -> dict[str, Any]:
        is_disputed = item.state == SpotItem.State.DISPUTED
        return {
            "kind": item.kind,
            "clips": [about["sha256"] for about in item.clips.order_by("place").values_list("about", flat=True)],
            "decisions": [each.pk for each in sorted(valid, key=lambda each: each.code)] if is_disputed else [],
        }

    def expect_open(self, study: Study) -> None:
        study.refresh_from_db(fields=["state", "draft"])
        if not self.is_on(study):
            raise Conflict(_("The spot check is closed: the study was launched, or has no spot check."), code="over")

    def check(self, user: User, item: SpotItem, sent: Any) -> None:
        if sent.decision not in CODES[item.kind]:
            raise Invalid(_("Choose one of the answers."), {"decision": _("Unknown.")})
        if sent.decision == OTHER and not sent.note.strip():
            raise Invalid(_("Describe in the note what is wrong."), {"note": _("Write what is wrong.")})
        if not self.scope(item.study_id).filter(pk=item.pk).exists():
            raise Conflict(_("This clip has been withdrawn. Here is the next one."), code="withdrawn")

    def columns(self, item: SpotItem, sent: Any, valid: Sequence[SpotDecision]) -> dict[str, Any]:
        return {"code": sent.decision, "adjudicates": item.state == SpotItem.State.DISPUTED}

    def wanted(self, item: SpotItem, valid: Sequence[SpotDecision]) -> int:
        return item.wanted

    def outcome(self, decision: SpotDecision) -> str:
        return outcome_of(decision.code)

    def settles(self, decision: SpotDecision) -> bool:
        return decision.adjudicates

    def follow(
        self,
        item: SpotItem,
        state: str,
        outcome: str,
        valid: Sequence[SpotDecision],
        *,
        by: User,
        now: datetime,
    ) -> None:
        item.state, item.outcome = "open" if state == "half" else state, outcome
        item.given = sum(not decision.adjudicates for decision in valid)
        item.save(update_fields=["state", "outcome", "given"])

    def context(self, study: Study) -> dict[str, Any]:
        return {"forms": [(kind, list(enumerate(options, start=1))) for kind, options in FORMS.items()]}


SPOT_CHECK = SpotKind()


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """An answer: its code, what its button says, and what that means."""

    code: str
    label: Words
    hint: Words = ""


# The answers of each form, in the order of their keys.
FORMS = {
    "success": [
        AnswerOption("ok", gettext_lazy("In order"), gettext_lazy("none of the defects below")),
        AnswerOption("quality_defect", gettext_lazy("Quality defect"), gettext_lazy("heavy noise, jitter, distortion")),
        AnswerOption("incomplete", gettext_lazy("Incomplete"), gettext_lazy("cut off, very short, or silent")),
        AnswerOption("wrong_language", gettext_lazy("Wrong language"), gettext_lazy("not that of the text")),
        AnswerOption("mixed_voice", gettext_lazy("Mixed voices"), gettext_lazy("the voice changes in the clip")),
        AnswerOption("unintelligible", gettext_lazy("Unintelligible"), gettext_lazy("words can’t be made out")),
        AnswerOption("wrong_words", gettext_lazy("Wrong words"), gettext_lazy("not what the text says")),
        AnswerOption("other", gettext_lazy("Something else"), gettext_lazy("describe it in the note")),
    ],
    "consistency": [
        AnswerOption("yes", gettext_lazy("Yes"), gettext_lazy("they could be one voice")),
        AnswerOption("no", gettext_lazy("No"), gettext_lazy("timbre, language or prosody differ")),
        AnswerOption("cannot_tell", gettext_lazy("Cannot tell")),
    ],
}
LABELS = {option.code: option.label for options in FORMS.values() for option in options}


def fill(*, study: Study) -> int:
    """Draw the missing items of the sample, and return their number."""
    if not SPOT_CHECK.is_on(study):
        return 0
    wanted = study.definition.spot_check.experts
    untouched = SpotItem.objects.filter(study=study, given=0).exclude(wanted=wanted)
    if untouched.exists():
        untouched.update(wanted=wanted)
    return _draw(study, wanted) if sample.missing(study) else 0


@transaction.atomic
def _draw(study: Study, wanted: int) -> int:
    # Locked, since two parallel calls would draw twice.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    new = sample.missing(study)
    items = SpotItem.objects.bulk_create(
        (
            SpotItem(
                study=study,
                system_id=unit.system,
                kind=unit.kind,
                order=unit.order,
                is_replacement=unit.is_replacement,
                wanted=wanted,
            )
            for unit in new
        ),
        batch_size=200,
    )
    SpotClip.objects.bulk_create(
        (
            SpotClip(item=item, place=place, clip_id=clip, about=about)
            for item, unit in zip(items, new, strict=True)
            for place, (clip, about) in enumerate(zip(unit.clips, unit.about, strict=True))
        ),
        batch_size=200,
    )
    return len(items)
