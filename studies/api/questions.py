"""API of a study's questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from accounts.api.base import ApiView, sent
from accounts.api.paging import Paged, after, page
from accounts.api.shapes import Base, Strict, TableFile, page_of
from core.errors import Invalid
from core.text.languages import translate
from studies.api import listing
from studies.api.studies import CHANGE
from studies.clips import black_box
from studies.clips.models import Question
from studies.imports import publishing, question_lists

if TYPE_CHECKING:
    from rest_framework.request import Request


class OptionShown(Base):
    """An answer to a question; the right one has no error."""

    text = serializers.CharField()
    error = serializers.CharField(allow_blank=True)


class QuestionShown(Base):
    """A question about a passage, or a golden one, without a passage.

    The words of questions about black-box passages are empty, unless you may change the study.
    """

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    passage = serializers.CharField(source="text.name", default="")
    golden = serializers.BooleanField()
    question = serializers.CharField(source="prompt")
    options = OptionShown(many=True)

    def to_representation(self, instance: Question) -> dict[str, Any]:
        shown = dict(super().to_representation(instance))
        return shown | {"question": "", "options": []} if shown["passage"] in self.context["withheld"] else shown


class NewQuestions(Strict):
    """Lists of questions: one, or both."""

    questions = TableFile(required=False, help_text="CSV, one row a question on a passage.")
    golden = TableFile(required=False, help_text="CSV, one row a golden question.")

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if not values:
            reason = _("Choose a file: questions, golden questions, or both.")
            raise serializers.ValidationError({"questions": reason})
        return values


class QuestionsImported(Base):
    """What the lists changed."""

    added = serializers.IntegerField()
    changed = serializers.IntegerField()


class QuestionsView(ApiView):
    """A study's questions."""

    scopes = {"GET": "studies:read", "POST": "studies:write"}
    rights = {"GET": "studies.view_study", "POST": "studies.change_study"}
    parser_classes = (MultiPartParser,)

    @extend_schema(parameters=[Paged], responses=page_of(QuestionShown))
    def get(self, request: Request, slug: str) -> Response:
        """List questions in the order in which they were added."""
        query = sent(Paged, request.query_params)
        study = listing.own(request.user, slug)
        withheld = {"withheld": black_box.withheld(study, request.user)}
        rows = Question.objects.filter(study=study, pk__gt=after(query) or 0).select_related("text").order_by("pk")
        listed = list(rows[: query["limit"] + 1])
        return page(request, query, listed, lambda row: row.pk, QuestionShown(context=withheld).to_representation)

    @extend_schema(request={"multipart/form-data": NewQuestions}, responses=QuestionsImported)
    def post(self, request: Request, slug: str) -> Response:
        """Import questions on passages that a draft has: all of them, or none; each problem by list, row and column.

        A question with the same passage and words gets the answers of the list. After the launch: 409 `launched`.
        """
        study = listing.own(request.user, slug, CHANGE)
        data = sent(NewQuestions, request.data)
        files = {name: data[name].read() for name in ("questions", "golden") if name in data}
        try:
            result = question_lists.store(study=study, lists=publishing.read(publishing.Files(None, **files)))
        except question_lists.QuestionsRefused as error:
            problems = {
                " ".join(filter(None, [each.table, f"row {each.row}" if each.row else "", each.column])): translate(
                    each.reason
                )
                for each in error.problems
                if not each.warning
            }
            raise Invalid(_("Nothing was imported."), problems) from None
        return Response({"added": len(result.new), "changed": len(result.changed)})
