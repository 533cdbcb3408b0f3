"""What the page of questions lists: passages and the golden questions, each with its questions and open forms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.web import client_input
from studies.clips.models import Question, Text
from studies.drafting import queries as drafting_queries
from studies.drafting.queries import Passage
from studies.drafting.question_forms import QuestionForm
from studies.imports import question_lists
from studies.rules.text import FEWEST, MOST

if TYPE_CHECKING:
    from studies.definition.models import Study

# In addresses and forms, instead of a passage's key.
GOLDEN = "golden"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the form that corrects it, or the message about a deleted one, which stands in its place."""

    pk: int
    question: Question | None = None
    form: QuestionForm | None = None
    message: str = ""


@dataclass(slots=True)
class Group:
    """The questions of a passage, or the golden ones, with the form for another one."""

    key: str
    name: str
    count: int
    is_withheld: bool
    is_open: bool
    rows: list[Asked] = field(default_factory=list)
    form: QuestionForm | None = None
    # To be read and heard next to a form.
    passage: Passage | None = None

    @property
    def is_golden(self) -> bool:
        return self.key == GOLDEN

    @property
    def is_full(self) -> bool:
        return not self.is_golden and self.count >= MOST

    @property
    def is_short(self) -> bool:
        return not self.is_golden and self.count < FEWEST


@dataclass(frozen=True, slots=True)
class Chosen:
    """What an address or a form asks for: a new question, one to correct, the group to open, the last deletion."""

    write: str = ""
    edit: int | None = None
    opened: str = ""
    # A form that was sent and has errors.
    sent: QuestionForm | None = None
    deleted: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, query: Mapping[str, str], deleted: Mapping[str, Any] | None) -> Chosen:
        edit = client_input.whole_number(query.get("edit", ""))
        return cls(query.get("write", ""), edit, query.get("open", ""), deleted=deleted)


def groups(
    study: Study, texts: Sequence[Text], *, withheld: Collection[str], chosen: Chosen, may_write: bool
) -> tuple[list[Group], Group]:
    """Return the passages of a page, and the golden questions."""
    asked = question_lists.by_passage(texts)
    passages = []
    for text in texts:
        group = Group(str(text.pk), text.name, len(asked[text.pk]), text.name in withheld, len(texts) == 1)
        passages.append(_filled(study, group, [] if group.is_withheld else asked[text.pk], chosen, may_write))
    golden_rows = question_lists.of_study(study, golden=True)
    golden = Group(GOLDEN, "", len(golden_rows), is_withheld=False, is_open=True)
    return passages, _filled(study, golden, golden_rows, chosen, may_write)


def _filled(study: Study, group: Group, questions: Iterable[Question], chosen: Chosen, may_write: bool) -> Group:
    """Add questions, forms and the place of a deleted question to a group."""
    for question in questions:
        form = None
        if may_write and chosen.edit == question.pk:
            key = f"edit{question.pk}"
            form = chosen.sent or QuestionForm(golden=group.is_golden, key=key, question=question)
        group.rows.append(Asked(question.pk, question, form))
    if may_write and chosen.write == group.key and not group.is_full:
        group.form = chosen.sent or QuestionForm(golden=group.is_golden, key=f"write{group.key}")
    deleted = chosen.deleted if may_write else None
    is_here = deleted is not None and str(deleted["question"]["text_id"] or GOLDEN) == group.key
    if deleted is not None and is_here:
        group.rows.append(Asked(deleted["question"]["pk"], message=deleted["message"]))
        group.rows.sort(key=lambda row: row.pk)
    has_form = group.form is not None or any(row.form for row in group.rows)
    group.is_open = group.is_open or has_form or chosen.opened == group.key
    if has_form and not group.is_golden:
        group.passage = next(iter(drafting_queries.passages(study, keys=[int(group.key)])), None)
    return group
