"""Recruitment, questionnaire and checks, in sentences and tables for the methods section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from analysis.data import rare
from analysis.sections.participants import CheckCount, Participants
from analysis.sections.parts import any_of, enumerated, listed, paragraph
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from core.text.numbers import whole
from raters.people import rules as people_rules
from raters.sessions import screening
from raters.sessions.first_languages import SPOKEN
from raters.sessions.screening import device
from raters.sessions.screening.base import Check
from raters.sessions.stimuli import beeps
from studies.definition.settings.questionnaire import AGE, DEVICE, GENDER, LANGUAGES, NOT_SAID, SKIPPED

if TYPE_CHECKING:
    from studies.definition.definition import Definition
    from studies.definition.settings.recruitment import Recruitment
    from studies.definition.settings.screening import ScreeningSettings

About = dict[str, dict[str, int]]
QUESTIONS: dict[str, Promise] = {
    GENDER: gettext_lazy("Gender"),
    AGE: gettext_lazy("Age"),
    LANGUAGES: gettext_lazy("First language"),
    DEVICE: gettext_lazy("Listened with"),
}
LABELS: dict[str, Promise] = {
    "woman": gettext_lazy("woman"),
    "man": gettext_lazy("man"),
    "loudspeakers": gettext_lazy("loudspeakers"),
    "other": gettext_lazy("something else"),
    "non_binary": gettext_lazy("non-binary"),
    "self_described": gettext_lazy("described in their own words"),
    "over_ear": gettext_lazy("headphones"),
    "in_ear": gettext_lazy("earphones"),
    "built_in": gettext_lazy("the device’s own loudspeaker"),
    NOT_SAID: gettext_lazy("preferred not to say"),
    SKIPPED: gettext_lazy("left out"),
    rare.RARE: gettext_lazy("all others"),
}
# Raters choose these below “Chinese” in their list.
SINITIC: dict[str, Promise] = {"zh": gettext_lazy("Mandarin Chinese"), "yue": gettext_lazy("Cantonese")}
FEW = 5
WOODS = "Woods, Siegel, Traer & McDermott (2017), Attention, Perception, & Psychophysics 79, 2064–2072"
MILNE = "Milne et al. (2021), Behavior Research Methods 53, 1551–1562"
SOURCES = {"antiphase": WOODS, "huggins": MILNE}
BEEPS = {"groups": device.GROUPS, "fewest": beeps.FEWEST, "most": beeps.MOST, "narrowest": device.NARROWEST}


def filters(recruitment: Recruitment) -> list[tuple[str, str]]:
    """Return (name, value) of each filter that is set."""
    ages = ""
    if recruitment.youngest is not None and recruitment.oldest is not None:
        ages = _("{youngest} to {oldest} years").format(youngest=recruitment.youngest, oldest=recruitment.oldest)
    elif recruitment.youngest is not None:
        ages = _("at least {n} years").format(n=recruitment.youngest)
    elif recruitment.oldest is not None:
        ages = _("at most {n} years").format(n=recruitment.oldest)
    rate, submissions = recruitment.least_acceptance, recruitment.least_submissions
    listed = [
        (_("born in"), any_of(recruitment.birth_countries)),
        (_("living in"), any_of(recruitment.residence_countries)),
        (_("first language"), any_of(recruitment.first_languages)),
        (_("age"), ages),
        (_("acceptance rate"), "" if rate is None else _("at least {n} %").format(n=f"{rate:g}")),
        (_("earlier submissions"), "" if submissions is None else _("at least {n}").format(n=whole(submissions))),
        (_("headphones"), pgettext("headphones", "asked for") if recruitment.headphones else ""),
        (_("also"), recruitment.other.rstrip(".")),
    ]
    return [(what, which) for what, which in listed if which]


def recruitment_values(recruitment: Recruitment | None, about: About) -> dict[str, Any]:
    """Return the values for the methods text on recruitment; empty ones for facts that were not recorded."""
    return {
        "recruitment": recruitment,
        "filters": enumerated([_filter(what, which) for what, which in filters(recruitment)]) if recruitment else "",
        "other_studies": listed(recruitment.not_in_studies) if recruitment else "",
        "countries": any_of(recruitment.residence_countries) if recruitment else "",
        "answers": {key: _counted(key, counts) for key, counts in about.items() if not rare.hides(counts)},
        "hidden": [key for key, counts in about.items() if rare.hides(counts)],
        "asked_age": AGE in about,
        "asked_gender": GENDER in about,
        "least": rare.LEAST,
    }


def _filter(what: str, which: str) -> str:
    return pgettext("a prescreener and its value", "{what} {which}").format(what=what, which=which)


def recruitment_tables(recruitment: Recruitment | None, about: About) -> tuple[Table, ...]:
    """Return the tables of filters and questionnaire answers, without empty ones."""
    parts = []
    rows: tuple[tuple[Cell, ...], ...] = tuple(filters(recruitment)) if recruitment else ()
    if rows:
        parts.append(Table("recruitment", _("Who was recruited"), (Column(_("Filter")), Column(_("Value"))), rows))
    answers: tuple[tuple[Cell, ...], ...] = tuple(
        (str(QUESTIONS[key]), *_row(key, code, about[key]))
        for key in QUESTIONS
        if key in about
        for code, _number in _in_order(key, about[key])
    )
    if answers:
        heads = (Column(_("Question")), Column(_("Answer")), Column(_("Raters")), Column("%", 1))
        notes = (merged_note(),) if any(rare.RARE in codes for codes in about.values()) else ()
        parts.append(Table("questionnaire", _("What raters said about themselves"), heads, answers, notes))
    return tuple(parts)


def merged_note() -> str:
    words = _("Answers of fewer than {n} raters are put together, with others where they are still too few.")
    return words.format(n=rare.LEAST)


def label_of(key: str, code: str) -> str:
    """Return an answer's label."""
    if key != LANGUAGES or code in LABELS:
        return str(LABELS.get(code, code))
    return pgettext("between the two languages of one person", " and ").join(map(language_of, code.split("|")))


def language_of(code: str) -> str:
    """Return a language’s name, or its code if unknown."""
    primary = code.partition("-")[0]
    return str(SINITIC.get(primary) or SPOKEN.get(code) or SPOKEN.get(primary) or code)


def _row(key: str, code: str, counts: dict[str, int]) -> tuple[Cell, ...]:
    """Return an answer, its number of raters and percentage; no numbers if all answers were too rare to print."""
    if rare.hides(counts):
        return _("fewer than {n} answered").format(n=rare.LEAST), None, None
    return label_of(key, code), counts[code], 100 * counts[code] / sum(counts.values())


def _counted(key: str, counts: dict[str, int]) -> str:
    """Return the answers with their numbers of raters in one phrase; of many languages, the rarest are merged."""
    answers = _in_order(key, counts)
    few = answers[:FEW] if key == LANGUAGES and len(answers) > FEW + 1 else answers
    phrases = [_answer(label_of(key, code), raters) for code, raters in few]
    if rest := answers[len(few) :]:
        phrases.append(_answer(_("others"), sum(raters for _code, raters in rest)))
    return listed(phrases)


def _answer(label: str, raters: int) -> str:
    return _("{answer} ({n})").format(answer=label, n=whole(raters))


def _in_order(key: str, counts: dict[str, int]) -> list[tuple[str, int]]:
    """Order ages from young to old and other answers by number; rare and missing ones come last."""
    last = (rare.RARE, NOT_SAID, SKIPPED)
    places = {code: last.index(code) + 1 if code in last else 0 for code in counts}
    return sorted(counts.items(), key=lambda item: (places[item[0]], 0 if key == AGE else -item[1], item[0]))


def about_of(participants: Participants | Refusal) -> About:
    """Return the answers to the questionnaire in an analysis's results, with rare ones merged."""
    if isinstance(participants, Refusal):
        return {}
    return {key: rare.merged(counts) for key, counts in participants.about.items()}


def first_checks(definition: Definition) -> list[Check]:
    """Return the checks that are set before the first clip."""
    return [*screening.checks_of(definition, "checks"), *screening.checks_of(definition, "practice")]


def qualification(definition: Definition | None, participants: Participants | Refusal, *, is_simulated: bool) -> str:
    """Return the checks before the first clip in a phrase: those set, otherwise those with results."""
    names = [str(check.label) for check in first_checks(definition)] if definition else []
    if not names and not isinstance(participants, Refusal):
        names = [check.label for check in participants.checks if not check.later]
    if not names:
        return _("no check before the first clip")
    words = _("set: {checks}; simulated raters went through none") if is_simulated else _("checks: {checks}")
    return words.format(checks=listed(names))


def screening_paragraph(
    definition: Definition | None, participants: Participants | Refusal, *, is_simulated: bool = False
) -> str:
    """Return the paragraph on playback and checks: the settings, and the checks' results."""
    if definition is None:
        return paragraph("screening")
    settings = definition.screening
    people = None if isinstance(participants, Refusal) else participants
    counts = {(count.name, count.later): count for count in (people.checks if people else ())}
    listed_checks = first_checks(definition)
    has_changed = bool(people and people.screening_changed)
    kinds = [check.kind for check in settings.fair]
    return paragraph(
        "screening",
        definition=definition,
        protocol=definition.protocol,
        screening=settings,
        checks=[_check(check, definition, counts.get((check.name, False))) for check in listed_checks],
        simulated_checks=listed([str(check.label) for check in listed_checks]) if is_simulated else "",
        is_none=not has_changed and all(later for _name, later in counts),
        again={} if is_simulated else _again(definition, counts),
        has_changed=has_changed,
        sources=enumerated([SOURCES[check.name] for check in listed_checks if check.name in SOURCES]),
        beeps=BEEPS,
        languages=_languages(settings),
        fair=settings.fair,
        instructions=kinds.count("instruction"),
        nonsense=kinds.count("nonsense"),
        short_study=people_rules.SHORT_STUDY,
        attention=people.attention if people else None,
    )


def _check(check: Check, definition: Definition, count: CheckCount | None) -> dict[str, Any]:
    return {
        "name": check.name,
        "label": str(check.label),
        "can_fail": check.name != "volume" and (check.name != "training" or bool(definition.screening.training_right)),
        "tries": check.tries(definition),
        "ends": check.mode(definition) == "screen_out",
        "failed": whole(count.failed) if count else "",
        "decided": whole(count.decided) if count else "",
    }


def _again(definition: Definition, counts: dict[tuple[str, bool], CheckCount]) -> dict[str, Any]:
    """Return values on rechecks between batches, with headphone results; setting the volume can't be failed."""
    minutes, checks = definition.screening.recheck_minutes, screening.rechecks_of(definition)
    if minutes is None:
        return {}
    audible_checks = [check for check in checks if check.name != "volume"]
    late = [row for check in audible_checks if (row := counts.get((check.name, True)))]
    return {
        "minutes": minutes,
        "volume": len(audible_checks) < len(checks),
        "headphones": bool(audible_checks),
        "failed": whole(sum(row.failed for row in late)),
        "decided": whole(sum(row.decided for row in late)),
    }


def _languages(settings: ScreeningSettings) -> str:
    names = [name or language_of(code) for code, name in settings.accepted.items()]
    score = _("a score of at least {least} in {name}")
    return any_of([*names, *(score.format(least=f"{each.least:g}", name=each.name) for each in settings.certified)])


def check_tables(participants: Participants) -> tuple[Table, ...]:
    """Return the table of check results; none without checks."""
    if not participants.checks:
        return ()
    rows = tuple(
        (count.label, _("between batches") if count.later else _("before the first clip"),
         count.decided, count.passed, count.failed, count.left)
        for count in participants.checks
    )  # fmt: skip
    heads = (_("Check"), _("When"), _("Decided"), _("Passed"), _("Failed"), _("Left by it"))
    notes = (
        _(
            "Numbers are sessions; checks between batches are counted each time. Checks of erased people are not "
            "included."
        ),
    )
    return (Table("screening", _("Checks"), tuple(map(Column, heads)), rows, notes),)
