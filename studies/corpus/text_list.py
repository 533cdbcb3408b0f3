"""The list of a study's texts: filtered and paged, one of them opened with its versions and comments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.core.paginator import Paginator

from core import clock
from core.web import client_input
from studies import hooks
from studies.clips import black_box
from studies.corpus import queries, rules, words
from studies.corpus.coverage import coverage
from studies.corpus.differences import differences
from studies.corpus.forms import TextForm, dimension_choices
from studies.corpus.models import CorpusText, TextVersion
from studies.corpus.text_table import lines_of
from studies.definition.definition import Definition
from studies.definition.models import Study
from studies.summaries import services as summaries

ROWS = 25


def context(study: Study, sent: Mapping[str, Any], user: Any, *, may_change: bool) -> dict[str, Any]:
    """Return what the template needs: one page of texts, filters with their choices, coverage and doubtful clips."""
    filters = queries.Filters.of(sent)
    withheld = black_box.withheld(study, user)
    rows = queries.matching(study, filters, withheld=withheld)
    shown = Paginator(rows.select_related("accepted_by", "checked_by"), ROWS).get_page(sent.get("page"))
    remarks = queries.remarks([text.pk for text in shown.object_list])
    settings = queries.settings(study)
    labels = dict(dimension_choices(study))
    definition = study.definition
    edited = client_input.whole_number(str(sent.get("edit", ""))) if may_change else None
    opened = client_input.whole_number(str(sent.get("open", "")))
    texts = [
        {
            **_row(text, user, settings.cross_check, withheld, may_change=may_change),
            # Flags quote words of the text.
            "flags": [] if text.name in withheld else _flags(text, definition),
            "remarks": remarks.get(text.pk, 0),
            "dimension": labels.get(text.dimension, text.dimension),
        }
        for text in shown.object_list
    ]
    of_edited = next((text for text in shown.object_list if text.pk == edited), None)
    doubts = summaries.summary(queries.DOUBTS, study, now=clock.now())
    return {
        "filters": filters,
        "query": filters.query,
        "page": shown,
        "texts": texts,
        "counts": queries.counts(study),
        "waiting": queries.waiting([study.pk], user.pk).get(study.pk) if may_change else None,
        "usable": queries.usable(study).count(),
        "cross_check": settings.cross_check,
        "edited": edited,
        "edit_form": TextForm(study=study, text=of_edited) if of_edited else None,
        "opened": opened,
        "history": _history(shown.object_list, opened, withheld),
        "dimensions": labels.items(),
        "languages": queries.choices(study, "language"),
        "boxes": [*CorpusText.Box.choices],
        "states": CorpusText.State.choices,
        "coverage": coverage(study),
        "doubts": doubts,
    }


def with_texts(studies: Iterable[Study]) -> list[Study]:
    """Return the studies that have texts to copy."""
    keys = [study.pk for study in studies]
    return list(Study.objects.filter(pk__in=keys, corpus__isnull=False).distinct().order_by("title"))


def _row(
    text: CorpusText, user: Any, cross_check: bool, withheld: Collection[str], *, may_change: bool
) -> dict[str, Any]:
    """Return one text, with what this person may do with it."""
    is_withheld = text.name in withheld
    is_mine = text.accepted_by_id == user.pk
    return {
        "text": text,
        "is_withheld": is_withheld,
        "turns": [] if is_withheld else text.turns,
        "may_accept": may_change and text.state in {rules.DRAFT, rules.REJECTED},
        "may_check": may_change and cross_check and text.state == rules.ACCEPTED and not is_mine,
        "waits_for_another": cross_check and text.state == rules.ACCEPTED and is_mine,
        "may_reject": may_change and text.state != rules.REJECTED,
    }


def _flags(text: CorpusText, definition: Definition) -> list[str]:
    """Return what checks found when the text was drafted, and what makes it unsuitable for the study's task."""
    unfit = definition.kind.text_flags(definition.params, text.body)
    flags = [*text.flags, *({"code": code, "detail": detail} for code, detail in unfit)]
    return [words.of_flag(flag) for flag in flags]


def _history(texts: Iterable[CorpusText], opened: int | None, withheld: Collection[str]) -> dict[str, Any] | None:
    """Return the versions of the opened text, the newest first, each with its differences, and the comments."""
    text = next((each for each in texts if each.pk == opened), None)
    if text is None or text.name in withheld:
        return None
    versions = list(TextVersion.objects.filter(text=text).select_related("author").order_by("number"))
    bodies = ["", *(version.body for version in versions)]
    listed = [
        {"version": version, "words": list(differences(before, version.body)) if before else []}
        for before, version in zip(bodies, versions, strict=False)
    ]
    return {
        "versions": listed[::-1],
        # The request to a model that wrote it, if any.
        "draft": next((draft for find in hooks.text_drafts if (draft := find(text.pk))), None),
        "comments": text.comments.select_related("author"),
        "turns": lines_of(text.turns),
    }
