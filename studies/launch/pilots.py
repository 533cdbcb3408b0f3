"""Pilots: a draft is tried with a few real people in a copy; its data never mix with the study's."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from itertools import count
from random import Random

from django.db import transaction
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid, NotFound
from studies.definition.models import Study
from studies.definition.parsing import parse
from studies.launch import copies, states

State = Study.State
USUAL_RATERS, MOST_RATERS = 5, 500
# Of the open link: anyone who has it, without ids of a platform and without a way back to one.
OPEN_LINK = {"source": "open", "return_url": ""}
LONGEST_SLUG = 60


@transaction.atomic
def start(*, study: Study, raters: int, now: datetime, is_open: bool = False, rng: Random | None = None) -> Study:
    """Open a copy of the draft to this many people, with a link and completion codes of its own.

    `is_open`: the link needs no ids of a crowd platform, wherever the study's own raters come from. Raises `Invalid`,
    or `Conflict` if a launch would be refused.
    """
    if not 1 <= raters <= MOST_RATERS:
        text = _("A pilot takes 1 to {most} raters.").format(most=MOST_RATERS)
        raise Invalid(text, {"raters": text})
    states.lock(study)
    states.refuse_while_pilot(study)
    states.refuse_archived(study)
    states.expect(study, State.DRAFT, otherwise=_("Only a draft can have a pilot."))
    states.refuse_blocked(study)
    number = 1 + max((pilot.pilot_number or 0 for pilot in of_study(study)), default=0)
    definition = states.with_new_codes(parse(states.with_rate(study)))
    if is_open:
        definition = definition.model_copy(update={"crowd": definition.crowd.model_copy(update=OPEN_LINK)})
    draft = definition.model_dump(mode="json")
    pilot = copies.make_pilot(
        study=study, slug=_free_slug(study.slug, number), draft=draft, number=number, raters=raters, now=now, rng=rng
    )
    study.state = State.PILOT
    study.save(update_fields=["state"])
    return pilot


def end(*, study: Study) -> Study:
    """End the running pilot of a study; raises `Conflict` if there is none."""
    pilot = running([study.pk]).get(study.pk)
    if pilot is None:
        raise Conflict(_("No pilot of this study is running."), code="no_pilot")
    states.close(study=pilot)
    study.refresh_from_db(fields=["state"])
    return pilot


def of_study(study: Study) -> list[Study]:
    """Return a study's pilots, newest first."""
    return list(Study.objects.filter(pilot_of=study).select_related("pilot_of").order_by("-pilot_number"))


def of_studies(studies: Collection[int]) -> list[Study]:
    """Return the pilots of these studies."""
    return list(Study.objects.filter(pilot_of__in=studies).select_related("pilot_of").order_by("pk"))


def running(studies: Collection[int] | None = None) -> dict[int, Study]:
    """Return {study: its running pilot}, for these studies or all; one SELECT."""
    rows = Study.objects.filter(pilot_of__isnull=False, state__in=[State.LIVE, State.PAUSED])
    if studies is not None:
        rows = rows.filter(pilot_of__in=studies)
    return {pilot.pilot_of_id: pilot for pilot in rows.order_by("pk") if pilot.pilot_of_id is not None}


def get(study: Study, number: int) -> Study:
    """Return one pilot of a study; raises `NotFound`."""
    pilot = Study.objects.filter(pilot_of=study, pilot_number=number).first()
    if pilot is None:
        raise NotFound(_("There is no such pilot."))
    return pilot


def _free_slug(slug: str, number: int) -> str:
    for again in count(1):
        end = f"-pilot-{number}" if again == 1 else f"-pilot-{number}-{again}"
        name = slug[: LONGEST_SLUG - len(end)].rstrip("-") + end
        if not Study.with_previews.filter(slug=name).exists():
            return name
    raise AssertionError
