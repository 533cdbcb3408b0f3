"""What a person would do next in a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from raters.pilots import queries
from raters.rating import monitor
from studies.clips import figures
from studies.corpus import queries as corpus
from studies.launch import pilots
from workspace import tabs

if TYPE_CHECKING:
    from studies.definition.models import Study


@dataclass(frozen=True, slots=True)
class NextStep:
    """What a person would do next in a study: a sentence, and the button to it."""

    sentence: str
    label: str
    url: str


def next_step(study: Study, user: Any) -> NextStep:
    """Return what comes next in this state, among the pages that this person may open."""
    urls = {section.name: reverse(section.url_name, args=[study.slug]) for section in tabs.sections(study, user)}
    if "results" not in urls:
        return NextStep(gettext("You pay the raters of this study."), gettext("Open payments"), urls["payments"])
    if study.pilot_of_id is not None:
        return _of_pilot(study, urls)
    if study.state == study.State.PILOT:
        pilot = pilots.running([study.pk])[study.pk]
        finished = queries.finished([pilot.pk]).get(pilot.pk, 0)
        sentence = gettext("Pilot {number}: {finished} of {wanted} raters have finished. End it before you launch.")
        return NextStep(
            sentence.format(number=pilot.pilot_number, finished=finished, wanted=pilot.pilot_raters),
            gettext("Watch the pilot"),
            reverse("workspace:overview", args=[pilot.slug]),
        )
    if study.is_draft and not figures.total(study.pk):
        return _before_clips(study, urls)
    if study.is_draft:
        sentence = gettext("See whether anything is missing, try the study out, then launch it.")
        return NextStep(sentence, gettext("Check & launch"), urls["launch"])
    if study.state == study.State.PAUSED:
        sentence = gettext("The study is paused: nobody can start until you resume it.")
        return NextStep(sentence, gettext("Resume or close"), urls["launch"])
    if study.state == study.State.CLOSED:
        return NextStep(
            gettext("The study is closed: all answers are in."), gettext("See the results"), urls["results"]
        )
    if not monitor.sessions_of(study.pk, False).exists():
        sentence = gettext("The study is live, and no rater has come yet. Give raters its link.")
        return NextStep(sentence, gettext("Recruit raters"), urls["recruit"])
    return NextStep(gettext("The study is live: raters start through its link."), gettext("Watch"), urls["live"])


def _before_clips(study: Study, urls: dict[str, str]) -> NextStep:
    texts = corpus.usable(study).count()
    counts = corpus.counts(study)
    if not texts and (number := counts.total - counts.rejected):
        sentence = ngettext(
            "{number} text is on its way: none is ready to be spoken yet.",
            "{number} texts are on their way: none is ready to be spoken yet.",
            number,
        )
        url = reverse("studies:texts", args=[study.slug])
        return NextStep(sentence.format(number=number), gettext("Open texts"), url)
    if not texts:
        sentence = gettext("The study has no clips yet. If they are still to be made, start with Clips → Texts.")
        return NextStep(sentence, gettext("Add clips"), urls["clips"])
    sentence = ngettext(
        "{number} text is ready to be synthesized and recorded. Then add the clips.",
        "{number} texts are ready to be synthesized and recorded. Then add the clips.",
        texts,
    )
    return NextStep(sentence.format(number=texts), gettext("Add clips"), urls["clips"])


def _of_pilot(pilot: Study, urls: dict[str, str]) -> NextStep:
    if pilot.state == pilot.State.CLOSED:
        return NextStep(
            gettext("This pilot has ended: its answers are in."), gettext("See the results"), urls["results"]
        )
    sentence = ngettext(
        "Give raters the pilot’s own link. It ends after {number} finished rater.",
        "Give raters the pilot’s own link. It ends after {number} finished raters.",
        pilot.pilot_raters or 0,
    )
    return NextStep(sentence.format(number=pilot.pilot_raters), gettext("Open the link"), urls["recruit"])
