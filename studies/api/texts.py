"""API of a study's texts."""

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
from core import clock
from core.errors import Invalid
from core.text.languages import translate
from studies.api import listing
from studies.api.studies import CHANGE
from studies.clips import black_box
from studies.corpus import services, text_table
from studies.corpus.models import CorpusText

if TYPE_CHECKING:
    from rest_framework.request import Request


class TurnShown(Base):
    """A turn of the dialogue before a text."""

    speaker = serializers.CharField()
    text = serializers.CharField()


class TextShown(Base):
    """A text of the corpus. The words of black-box texts are empty, unless you may change the study."""

    id = serializers.IntegerField(source="pk")
    text_id = serializers.CharField(source="name")
    text = serializers.CharField(source="body")
    language = serializers.CharField()
    dimension = serializers.CharField()
    box = serializers.CharField()
    licence = serializers.CharField()
    state = serializers.ChoiceField(choices=CorpusText.State.values)
    version = serializers.IntegerField()
    style = serializers.CharField()  # type: ignore[assignment]  # fields leave the class when it is made
    turns = TurnShown(many=True)
    changed_at = serializers.DateTimeField()

    def to_representation(self, instance: CorpusText) -> dict[str, Any]:
        shown = dict(super().to_representation(instance))
        if instance.name in self.context.get("withheld", ()):
            shown |= {"text": "", "style": "", "turns": []}
        return shown


class NewTexts(Strict):
    """A table of texts."""

    table = TableFile(help_text="CSV, one row a text; existing texts get new versions.")


class TextsImported(Base):
    """What a table changed."""

    added = serializers.IntegerField()
    changed = serializers.IntegerField()


class TextsView(ApiView):
    """A study's texts."""

    scopes = {"GET": "studies:read", "POST": "studies:write"}
    rights = {"GET": "studies.view_study", "POST": "studies.change_study"}
    parser_classes = (MultiPartParser,)

    @extend_schema(parameters=[Paged], responses=page_of(TextShown))
    def get(self, request: Request, slug: str) -> Response:
        """List texts in the order in which they were added."""
        query = sent(Paged, request.query_params)
        study = listing.own(request.user, slug)
        withheld = {"withheld": black_box.withheld(study, request.user)}
        rows = CorpusText.objects.filter(study=study, pk__gt=after(query) or 0).order_by("pk")
        shown = list(rows[: query["limit"] + 1])
        return page(request, query, shown, lambda text: text.pk, TextShown(context=withheld).to_representation)

    @extend_schema(request={"multipart/form-data": NewTexts}, responses=TextsImported)
    def post(self, request: Request, slug: str) -> Response:
        """Import a table of texts: all of them, or none; each problem is named by row and column."""
        study = listing.own(request.user, slug, CHANGE)
        table = text_table.read(sent(NewTexts, request.data)["table"].read())
        problems = {
            " ".join(filter(None, [f"row {each.row}" if each.row else "", each.column])): translate(each.reason)
            for each in table.problems
            if not each.warning
        }
        if problems:
            raise Invalid(_("Nothing was imported."), problems)
        person: Any = request.user
        added, changed = services.import_rows(study=study, rows=table.rows, author=person, now=clock.now())
        return Response({"added": added, "changed": changed})
