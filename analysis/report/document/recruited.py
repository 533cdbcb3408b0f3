"""Who was meant to take part, and who they said they are: sentences for the methods, and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import translation

from analysis.report.papers.table import Cell, Column, Table
from raters.spoken import SPOKEN
from studies.presets.questionnaire import AGE, DEVICE, GENDER, LANGUAGES, NOT_SAID, SKIPPED

if TYPE_CHECKING:
    from studies.presets.recruitment import Recruitment

About = dict[str, dict[str, int]]
QUESTIONS = {GENDER: "Gender", AGE: "Age", LANGUAGES: "First language", DEVICE: "Listened with"}
LABELS = {
    "non_binary": "non-binary",
    "self_described": "described in their own words",
    "over_ear": "headphones",
    "in_ear": "earphones",
    "built_in": "the device’s own loudspeaker",
    NOT_SAID: "preferred not to say",
    SKIPPED: "left out",
}
FEW = 5


def filters(recruitment: Recruitment) -> list[tuple[str, str]]:
    """Return (what, which) of each filter that was set."""
    ages = ""
    if recruitment.youngest is not None and recruitment.oldest is not None:
        ages = f"{recruitment.youngest} to {recruitment.oldest} years"
    elif recruitment.youngest is not None:
        ages = f"at least {recruitment.youngest} years"
    elif recruitment.oldest is not None:
        ages = f"at most {recruitment.oldest} years"
    rate, submissions = recruitment.least_acceptance, recruitment.least_submissions
    listed = [
        ("born in", _any_of(recruitment.birth_countries)),
        ("living in", _any_of(recruitment.residence_countries)),
        ("first language", _any_of(recruitment.first_languages)),
        ("age", ages),
        ("acceptance rate", "" if rate is None else f"at least {rate:g} %"),
        ("earlier submissions", "" if submissions is None else f"at least {submissions:,}"),
        ("headphones", "asked for" if recruitment.headphones else ""),
        ("also", recruitment.other.rstrip(".")),
    ]
    return [(what, which) for what, which in listed if which]


def left_out(recruitment: Recruitment) -> str:
    """Return in a sentence who was left out for what they did before; empty when nobody was."""
    said = [f"had rated in {', '.join(recruitment.not_in_studies)}"] if recruitment.not_in_studies else []
    for what, days in (
        ("clips", recruitment.same_clip_days),
        ("texts", recruitment.same_text_days),
        ("voices", recruitment.same_voice_days),
    ):
        said += [f"had heard one of its {what} in another study here within {days} days"] if days else []
    return f"People who {', or who '.join(said)} were left out as they arrived. " if said else ""


def who(recruitment: Recruitment | None, about: About) -> str:
    """Return where raters lived, their languages, ages and genders, with blanks for what nobody recorded."""
    countries = _any_of(recruitment.residence_countries) if recruitment else ""
    said = f"Raters lived in {countries or '[state the countries]'}, "
    languages = "[state the languages and the share of native speakers]"
    said += f"their first languages were {_counted(about, LANGUAGES) or languages}, "
    answers = [_counted(about, key) for key in (AGE, GENDER)]
    if not any(answers):
        return said + "their age and gender were [state them or that they were not asked]."
    age, gender = (answer or f"[state the {key}s]" for key, answer in zip((AGE, GENDER), answers, strict=True))
    return said + f"their ages in years {age}, and their genders {gender}, as they said themselves."


def tables(recruitment: Recruitment | None, about: About) -> tuple[Table, ...]:
    """Return the filters, and the answers to the questionnaire; none of what there is nothing of."""
    found = []
    rows: tuple[tuple[Cell, ...], ...] = tuple(filters(recruitment)) if recruitment else ()
    if rows:
        found.append(Table("recruitment", "Who was recruited", (Column("Filter"), Column("Value")), rows))
    said: tuple[tuple[Cell, ...], ...] = tuple(
        (QUESTIONS[key], label_of(key, code), raters, 100 * raters / sum(about[key].values()))
        for key in QUESTIONS
        if key in about
        for code, raters in _in_order(key, about[key])
    )
    if said:
        heads = (Column("Question"), Column("Answer"), Column("Raters"), Column("%", 1))
        found.append(Table("questionnaire", "What raters said about themselves", heads, said))
    return tuple(found)


def label_of(key: str, code: str) -> str:
    """Return an answer in words."""
    if key != LANGUAGES or code in LABELS:
        return LABELS.get(code, code)
    with translation.override("en"):
        return " and ".join(str(SPOKEN.get(part, part)) for part in code.split("|"))


def _counted(about: About, key: str) -> str:
    """Return the answers with how many gave each, the rarest put together; empty when nobody was asked."""
    if key not in about:
        return ""
    answers = _in_order(key, about[key])
    said = [f"{label_of(key, code)} ({raters:,})" for code, raters in answers]
    if key == LANGUAGES and len(said) > FEW + 1:
        said = [*said[:FEW], f"others ({sum(raters for _code, raters in answers[FEW:]):,})"]
    return ", ".join(said)


def _in_order(key: str, counts: dict[str, int]) -> list[tuple[str, int]]:
    """Return ages from young to old and the rest from many to few, what was not said last."""
    unsaid = {NOT_SAID, SKIPPED}
    return sorted(counts.items(), key=lambda item: (item[0] in unsaid, 0 if key == AGE else -item[1], item[0]))


def _any_of(names: tuple[str, ...]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def about_of(participants: dict[str, Any]) -> About:
    """Return the answers to the questionnaire in an analysis's results; analyses of earlier releases have none."""
    found: About = participants.get("about", {})
    return found
