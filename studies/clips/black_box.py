"""Access to the words of black-box texts: the one rule for pages, API and files (rule D11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studies import hooks
from studies.clips.models import Clip, Question
from studies.members import access
from studies.rules.roles import Capability

if TYPE_CHECKING:
    from studies.definition.models import Study

BLACK = "black"


def gets_words(study: Study, user: Any) -> bool:
    """True if this person (None: the shell) may read black-box words: those who may change the study."""
    return user is None or access.may(study, user, Capability.CHANGE_STUDY)


def withheld(study: Study, user: Any) -> frozenset[str]:
    """Return the names of texts for which this person gets neither words nor questions."""
    return frozenset() if gets_words(study, user) else texts(study)


def texts(study: Study) -> frozenset[str]:
    """Return the names of black-box texts and of texts of black-box clips, even if other clips also speak them.

    A pilot also has those of the study that it is a copy of, which has the corpus.
    """
    return frozenset().union(*(names(pk) for pk in _studies(study)))


def corpus(study: Study) -> frozenset[str]:
    """Return the names of texts that are black-box themselves, whatever their clips say."""
    return frozenset().union(*(hooks.withheld(pk) for pk in _studies(study)))


def names(study_id: int) -> frozenset[str]:
    """Return the same as `texts`, for this study only."""
    rows = Clip.objects.filter(study_id=study_id, box=BLACK, text__isnull=False).order_by()
    return hooks.withheld(study_id) | frozenset(rows.values_list("text__name", flat=True).distinct())


def is_black(box: object, text: object, black: frozenset[str]) -> bool:
    """True if a clip, text or draft is black-box: declared so, or its text is one of `black`."""
    return box == BLACK or text in black


def prompts(study: Study) -> frozenset[str]:
    """Return the prompts of questions about black-box texts: they may hint at the words."""
    black = texts(study)
    rows = Question.objects.filter(study=study, text__name__in=black) if black else Question.objects.none()
    return frozenset(rows.values_list("prompt", flat=True))


def _studies(study: Study) -> set[int]:
    return {study.pk, access.original(study).pk}
