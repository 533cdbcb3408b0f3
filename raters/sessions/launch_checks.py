"""Launch checks about raters: sources, languages, attention checks, recruitment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _

from core.text import languages
from raters import sources
from raters.people import links
from raters.people import rules as people_rules
from raters.rating.skipping import failing
from raters.sessions.screening.language import LANGUAGES
from studies.definition import queries as definition_queries
from studies.definition.question_lists import in_language
from studies.definition.settings import attention
from studies.hooks import LaunchFinding

if TYPE_CHECKING:
    from raters.sources.base import RaterSource
    from studies.definition.models import Study
    from studies.definition.settings.crowd import Crowd


def check_source(study: Study) -> Iterator[LaunchFinding]:
    """Yield problems of the study's crowd source."""
    crowd = study.definition.crowd
    if crowd.source in sources.all_sources():
        source = sources.get(crowd.source)
        for problem in source.problems(crowd):
            yield LaunchFinding("warning", str(problem), place="design")
        for problem in foreign_return(source, crowd):
            yield LaunchFinding("warning", problem, setting="crowd.return_url")


def check_address(study: Study) -> Iterator[LaunchFinding]:
    """Warn before the launch if only this machine can open the rater link; later, the page of the link says so."""
    if study.is_draft and links.is_local():
        text = _(
            "The study’s link will start with {address}, which only this machine can open. Before you invite others, "
            "ask the administrator of this server to set its address."
        )
        yield LaunchFinding("warning", text.format(address=settings.BASE_URL), for_admins=links.how_to_set_address())


def foreign_return(source: RaterSource, crowd: Crowd) -> Iterator[str]:
    """Yield a warning if the return URL belongs to another platform."""
    text = _("The return URL is {platform}'s, but raters come from elsewhere: change or empty it.")
    for other in sources.offered():
        if (
            source.leads_back
            and other.name != source.name
            and other.return_url
            and crowd.return_url == other.return_url
        ):
            yield text.format(platform=other.label)


def check_playing(study: Study) -> Iterator[LaunchFinding]:
    """Yield clips that several raters could not play."""
    text = _("{people} raters could not play {file}, and skipped it. Listen to it; withdraw or replace it if it fails.")
    for clip in failing(study.pk):
        yield LaunchFinding("warning", text.format(people=clip.people, file=clip.file), place="clips")


def check_languages(study: Study) -> Iterator[LaunchFinding]:
    """Warn if a first language is listed only because it is accepted, which reveals it to raters."""
    screening = study.definition.screening
    unusual = [code for code in screening.accepted if code not in LANGUAGES]
    if screening.language != "off" and unusual:
        text = _("First languages beyond the usual list ({codes}) are offered only where they are accepted, which "
                 "tells raters what is wanted.")  # fmt: skip
        yield LaunchFinding("warning", text.format(codes=", ".join(unusual)), place="design")


def check_attention(study: Study) -> Iterator[LaunchFinding]:
    """Warn of too few attention checks for a rejection; block nonsense items that name an answer of their scale."""
    definition = study.definition
    for language in definition.languages if definition.screening.attention else ():
        with languages.speaking(language):
            scale = [languages.translate(label) for label in attention.AGREEMENT]
        for fair in in_language(definition, language).screening.fair:
            if fair.kind == "nonsense":
                yield from (
                    LaunchFinding("blocking", problem, place="design") for problem in attention.obeyed(fair, scale)
                )
    number = definition.screening.fair_asked(definition.protocol.batches_per_session)
    needed = people_rules.failures_needed(definition.payment.minutes)
    if 0 < number < needed:
        text = _("Attention checks asked in a session: {asked}. {platform} allows a rejection only after {needed} were "
                 "failed, or 1 where the study is told to take less than {minutes} minutes.")  # fmt: skip
        # Prolific's rule, which Earshot applies to all platforms.
        platform = sources.payment_platforms().get(definition.crowd.source)
        name = platform.name if platform else "Earshot"
        minutes = people_rules.SHORT_STUDY
        yield LaunchFinding(
            "warning", text.format(asked=number, platform=name, needed=needed, minutes=minutes), place="design"
        )


def check_recruitment(study: Study) -> Iterator[LaunchFinding]:
    """Warn of studies under "not in studies" that don't exist."""
    unknown = definition_queries.unknown(study.definition.recruitment.not_in_studies)
    if unknown:
        text = _("Raters of these studies are to be left out, and there are no such studies: {names}.")
        yield LaunchFinding("warning", text.format(names=", ".join(unknown)), place="design")


CHECKS = (check_address, check_source, check_recruitment, check_playing, check_languages, check_attention)
