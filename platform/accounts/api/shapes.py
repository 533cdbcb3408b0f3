"""Fields of requests and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from core.web import client_input

if TYPE_CHECKING:
    Base = serializers.Serializer[Any]
else:
    Base = serializers.Serializer


class Strict(Base):
    """A request's body or query; unknown fields are errors."""

    def to_internal_value(self, data: Any) -> Any:
        values = super().to_internal_value(data)
        strangers = [name for name in data if name not in self.fields] if hasattr(data, "keys") else []
        if strangers:
            known = ", ".join(self.fields)
            raise serializers.ValidationError(
                {str(name): [_("Unknown here; known are: {known}.").format(known=known)] for name in strangers}
            )
        return values


class TableFile(serializers.FileField):
    """A table that is read as a whole."""

    def to_internal_value(self, data: Any) -> Any:
        file = super().to_internal_value(data)
        if problem := client_input.too_large(file.size):
            raise serializers.ValidationError(problem)
        return file


class Query(Strict):
    """The part of an address after the question mark."""


class FieldError(Base):
    """One error, with the field or row it is about."""

    field = serializers.CharField(required=False, help_text="Dotted name of the field; empty: the request as a whole.")
    table = serializers.CharField(required=False, help_text="Which list of an import the row is in.")
    row = serializers.IntegerField(required=False)
    file = serializers.CharField(required=False)
    column = serializers.CharField(required=False)
    message = serializers.CharField()


class Refusal(Base):
    """The format of every error."""

    code = serializers.CharField(help_text="A stable name for programs.")
    message = serializers.CharField(help_text="A sentence for people.")
    errors = FieldError(many=True)  # type: ignore[assignment]  # fields leave the class when it is made


class JobState(Base):
    """A background job: poll `url` until `state` is done or failed."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=["queued", "running", "done", "failed"])
    percent = serializers.IntegerField(min_value=0, max_value=100)
    error = serializers.CharField(allow_blank=True, help_text="Why it failed; empty otherwise.")
    url = serializers.CharField(help_text="Where to ask how far it is.")


def page_of(row: type[Base]) -> Any:
    """Return the shape of a page of a list of `row`."""
    return inline_serializer(
        f"{row.__name__}Page",
        {
            "results": row(many=True),
            "next": serializers.CharField(
                allow_null=True, help_text="Address of the next page; null: this is the last."
            ),
        },
    )


def job_fields(job: Any, url: str) -> dict[str, Any]:
    """Return the fields of `JobState`."""
    return {"id": job.pk, "state": job.state, "percent": job.percent, "error": job.error, "url": url}
