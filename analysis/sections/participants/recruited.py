"""Who was meant to take part, and who they said they are: sentences for the methods, and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from analysis.data import rare
from analysis.plots.charts import whole
from analysis.sections.participants import Participants
from analysis.sections.prose import any_of, enumerated, listed
from analysis.sections.shared import Refusal
from analysis.sections.tables import Cell, Column, Table
from raters.sessions.first_languages import SPOKEN
from studies.definition.settings.questionnaire import AGE, DEVICE, GENDER, LANGUAGES, NOT_SAID, SKIPPED

if TYPE_CHECKING:
    from studies.definition.settings.recruitment import Recruitment

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
FEW = 5


def filters(recruitment: Recruitment) -> list[tuple[str, str]]:
    """Return (what, which) of each filter that was set."""
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


def values(recruitment: Recruitment | None, about: About) -> dict[str, Any]:
    """Return what the methods text says of recruiting, with nothing for what nobody recorded."""
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


def tables(recruitment: Recruitment | None, about: About) -> tuple[Table, ...]:
    """Return the filters and the answers to the questionnaire; empty tables are left out."""
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
    """Return an answer in words."""
    if key != LANGUAGES or code in LABELS:
        return str(LABELS.get(code, code))
    return pgettext("between the two languages of one person", " and ").join(map(language_of, code.split("|")))


def language_of(code: str) -> str:
    """Return a language’s name, or its code where none is known."""
    known = SPOKEN.get(code) or SPOKEN.get(code.partition("-")[0])
    return str(known or code)


def _row(key: str, code: str, counts: dict[str, int]) -> tuple[Cell, ...]:
    """Return an answer, how many gave it, and what share that is; no numbers where all were too rare to be printed."""
    if rare.hides(counts):
        return _("fewer than {n} answered").format(n=rare.LEAST), None, None
    return label_of(key, code), counts[code], 100 * counts[code] / sum(counts.values())


def _counted(key: str, counts: dict[str, int]) -> str:
    """Return the answers with how many gave each, the rarest put together."""
    answers = _in_order(key, counts)
    few = answers[:FEW] if key == LANGUAGES and len(answers) > FEW + 1 else answers
    phrases = [_answer(label_of(key, code), raters) for code, raters in few]
    if rest := answers[len(few) :]:
        phrases.append(_answer(_("others"), sum(raters for _code, raters in rest)))
    return listed(phrases)


def _answer(label: str, raters: int) -> str:
    return _("{answer} ({n})").format(answer=label, n=whole(raters))


def _in_order(key: str, counts: dict[str, int]) -> list[tuple[str, int]]:
    """Return ages from young to old and the rest from many to few; rare ones and what was not said last."""
    last = (rare.RARE, NOT_SAID, SKIPPED)
    places = {code: last.index(code) + 1 if code in last else 0 for code in counts}
    return sorted(counts.items(), key=lambda item: (places[item[0]], 0 if key == AGE else -item[1], item[0]))


def about_of(participants: Participants | Refusal) -> About:
    """Return the answers to the questionnaire in an analysis's results, rare ones put together."""
    if isinstance(participants, Refusal):
        return {}
    return {key: rare.merged(counts) for key, counts in participants.about.items()}
