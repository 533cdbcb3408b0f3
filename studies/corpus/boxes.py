"""Set the box of several texts at once: of chosen ones, or by a random split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from core.database.references import parts
from core.errors import Invalid
from core.rng import seeded
from studies import hooks
from studies.clips.models import Clip
from studies.corpus import rules
from studies.corpus.models import CorpusText
from studies.definition.models import Study


@transaction.atomic
def set_box(*, study: Study, texts: Collection[int], box: str, now: datetime) -> int:
    """Set the box of these texts of a study ("": none), and return how many had another; raises `Invalid`.

    As after an edit, clips of accepted texts in a draft get the box if they have none.
    """
    if box not in {"", *CorpusText.Box.values}:
        raise Invalid(_("Choose white box, black box or none."))
    if not texts:
        raise Invalid(_("Choose at least one text."))
    rows = CorpusText.objects.select_for_update().filter(study=study).exclude(box=box)
    changed = [text for some in parts(texts) for text in rows.filter(pk__in=some)]
    names = [text.name for text in changed if text.state in {rules.ACCEPTED, rules.CHECKED}]
    for some in parts([text.pk for text in changed]):
        CorpusText.objects.filter(pk__in=some).update(box=box, changed_at=now)
    if box and study.is_draft:
        clips = Clip.objects.filter(study=study, box="")
        if sum(clips.filter(text__name__in=some).update(box=box) for some in parts(names)):
            hooks.tell_clips_changed(study, now)
    return len(changed)


def drawn_black(study: Study, *, percent: int, seed: int) -> tuple[list[int], list[int]]:
    """Return the texts drawn for the black box, `percent` of each dimension (half a text rounds up), and the others.

    Rejected texts are in neither. The same texts and seed give the same split, whatever other dimensions contain.
    """
    by_dimension: defaultdict[str, list[int]] = defaultdict(list)
    rows = CorpusText.objects.filter(study=study).exclude(state=rules.REJECTED).order_by("name")
    for pk, dimension in rows.values_list("pk", "dimension"):
        by_dimension[dimension].append(pk)
    black = {
        pk
        for dimension, texts in by_dimension.items()
        for pk in seeded(seed, dimension).sample(texts, (len(texts) * percent + 50) // 100)
    }
    return sorted(black), sorted(pk for texts in by_dimension.values() for pk in texts if pk not in black)


@transaction.atomic
def split(*, study: Study, percent: int, seed: int, now: datetime) -> tuple[int, int]:
    """Draw texts for the black box, set all others to white box, and return the numbers of both."""
    black, white = drawn_black(study, percent=percent, seed=seed)
    for texts, box in ((black, CorpusText.Box.BLACK), (white, CorpusText.Box.WHITE)):
        if texts:
            set_box(study=study, texts=texts, box=box, now=now)
    return len(black), len(white)
