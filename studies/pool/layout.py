"""Make items, cells and places for clips, at launch and later, and change how many ratings they want."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from random import Random

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from core import rng as random
from core.errors import Invalid
from studies.clips.models import Clip, System, Text
from studies.definition import facts
from studies.definition.definition import Definition
from studies.definition.models import Study
from studies.definition.queries import newest
from studies.pool import material
from studies.pool.models import Cell, Item, ItemClip, Pool
from studies.task_types.base import TRAPS, ItemLayout, ItemPlan, Trouble

CHUNK = 2000


class ClipsUnfit(Invalid):
    """The task type can't use the clips; `troubles` lists clips and reasons."""

    def __init__(self, troubles: Sequence[Trouble]) -> None:
        super().__init__(
            _("The clips don’t fit this task."), {"clips": " ".join(trouble.reason for trouble in troubles)}
        )
        self.troubles = troubles


def lay_out(*, study: Study, now: datetime, rng: Random | None = None) -> Counter[str]:
    """Make items and places for clips that have none; return the number of new items of each role.

    Costs a few statements for every 2,000 clips. Raises `ClipsUnfit` when the task type can't use the clips.
    """
    rng = rng or random.fresh()
    definition = _in_force(study)
    with transaction.atomic(savepoint=False):
        # References, anchors and prompts belong to the items of later clips, too.
        shared = Q(role__in=[Clip.Role.REFERENCE, Clip.Role.ANCHOR, Clip.Role.PROMPT])
        new = Clip.objects.filter(Q(items=None) | shared, study=study, withdrawn_at=None).distinct()
        layout = planned(definition, new, study)
        if layout.problems:
            raise ClipsUnfit(layout.problems)
        items = _make_items(study, layout.items, definition)
        for simulated in _worlds(study):
            _make_places(study, items, definition, simulated=simulated, rng=rng)
    return Counter(plan.role for plan in layout.items)


def checked(study: Study) -> ItemLayout:
    """Return the layout of all clips for the draft's task, without writing anything."""
    return planned(study.definition, Clip.objects.filter(study=study, withdrawn_at=None), study)


def planned(definition: Definition, clips: QuerySet[Clip], study: Study) -> ItemLayout:
    """Return the task type's layout of these clips and their questions."""
    questions = material.questions_to_ask(study, clips) if definition.kind.asks else []
    return definition.kind.layout(definition.params, material.clips(clips), questions)


def _in_force(study: Study) -> Definition:
    version = newest(study)
    return study.definition if version is None else facts.frozen(version.pk).definition


def open_simulated(*, study_id: int, rng: Random | None = None) -> None:
    """Make separate places for simulated raters, once: they never take a real one."""
    rng = rng or random.fresh()
    with transaction.atomic():
        study = Study.with_previews.select_for_update(no_key=True).get(pk=study_id)
        if Cell.objects.filter(study=study, simulated=True).exists():
            return
        originals = Pool.objects.filter(cell__study=study, cell__simulated=False).select_related("cell")
        cells: dict[int, Cell] = {}
        copies = []
        for pool in originals.order_by("pk"):
            old = pool.cell
            if old.pk not in cells:
                cells[old.pk] = Cell.objects.create(
                    study=study, simulated=True, role=old.role, system_id=old.system_id, dimension=old.dimension
                )
            copies.append(
                Pool(
                    cell=cells[old.pk],
                    item_id=pool.item_id,
                    text_id=pool.text_id,
                    wanted=pool.wanted,
                    shuffle=rng.random(),
                )
            )
        Pool.objects.bulk_create(copies, batch_size=CHUNK)


def _worlds(study: Study) -> list[bool]:
    """Return the kinds of places: real ones, and simulated ones if there are any."""
    return [False, True] if Cell.objects.filter(study=study, simulated=True).exists() else [False]


def _make_items(study: Study, plans: Iterable[ItemPlan], definition: Definition) -> list[tuple[Item, ItemPlan]]:
    texts = dict(Text.objects.filter(study=study).values_list("name", "pk"))
    items = [
        (
            Item(
                study=study,
                kind=definition.task_type,
                role=plan.role,
                text_id=texts[plan.text] if plan.text else None,
            ),
            plan,
        )
        for plan in plans
    ]
    Item.objects.bulk_create([item for item, _plan in items], batch_size=CHUNK)
    ItemClip.objects.bulk_create(
        [
            ItemClip(item=item, place=place, clip_id=clip)
            for item, plan in items
            for place, clip in enumerate(plan.clips)
        ],
        batch_size=CHUNK,
    )
    return items


def _make_places(
    study: Study, items: list[tuple[Item, ItemPlan]], definition: Definition, *, simulated: bool, rng: Random
) -> None:
    if any(not plan.system for _item, plan in items):
        # An item that compares several systems belongs to none of them.
        System.objects.get_or_create(study=study, name="")
    systems = dict(System.objects.filter(study=study).values_list("name", "pk"))
    cells: dict[tuple[str, str, str], Cell] = {}
    rows = []
    for item, plan in items:
        key = (plan.role, plan.system, plan.dimension)
        if key not in cells:
            cells[key], _ = Cell.objects.get_or_create(
                study=study,
                simulated=simulated,
                role=plan.role,
                system_id=systems[plan.system],
                dimension=plan.dimension,
            )
        # Traps are drawn and never taken, so that one place keeps them in the index of open ones.
        wanted = 1 if plan.role in TRAPS else definition.protocol.ratings_wanted
        rows.append(Pool(cell=cells[key], item=item, text_id=item.text_id, wanted=wanted, shuffle=rng.random()))
    Pool.objects.bulk_create(rows, batch_size=CHUNK)


CHANGED_AT_ONCE = 500


def want(places: QuerySet[Pool], ratings: int) -> None:
    """Set how many ratings these places want, inside the caller's transaction.

    Rows are locked in the order of all writers. A place that wants nothing is in no index of places, so no batch finds
    it.
    """
    rows = places.exclude(wanted=ratings).order_by("pk")
    keys = list(rows.select_for_update(of=("self",)).values_list("pk", flat=True))
    for start in range(0, len(keys), CHANGED_AT_ONCE):
        Pool.objects.filter(pk__in=keys[start : start + CHANGED_AT_ONCE]).update(wanted=ratings)


def want_each(counts: Mapping[int, int]) -> None:
    """Set how many ratings each of these places wants; the caller has locked the rows."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, ratings in counts.items():
        places[ratings].append(place)
    for ratings, keys in places.items():
        want(Pool.objects.filter(pk__in=keys), ratings)
