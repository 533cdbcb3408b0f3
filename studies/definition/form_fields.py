"""Make a form field for each pydantic field, with its type, bounds and description."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen, MinLen
from django import forms
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel
from pydantic.fields import FieldInfo

# Texts that may be longer than this get a text area.
ONE_LINE = 500
SHORT = {"cjk", "url"}


class LinesField(forms.CharField):
    """A list of sentences, one a line; empty lines are ignored."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> Any:
        return [line.strip() for line in str(super().to_python(value) or "").splitlines() if line.strip()]

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, (list, tuple)) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(list(initial or []) != self.to_python(data))


class PageField(forms.CharField):
    """A text of several lines, with \
 as the line ending instead of the browser's \\r\
."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool((initial or "") != self.to_python(data))


class NumberField(forms.FloatField):
    """A number that the browser doesn't round."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, widget=forms.NumberInput(attrs={"step": "any"}))


def fields_of(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, forms.Field]]:
    """Yield (form field's name, form field) for each field of a declared model."""
    for name, info in model.model_fields.items():
        yield key(prefix, name), field_of(name, info)


def key(group: str, name: str) -> str:
    """Return the form field's name of a dotted setting."""
    return f"{group}__{name}"


def label_of(name: str, info: FieldInfo | None = None) -> str:
    """Return the label of a setting: its title, or the words of its name."""
    if info is not None and info.title:
        return info.title
    words = name.capitalize().split("_")
    return " ".join(word.upper() if word in SHORT else word for word in words)


def field_of(name: str, info: FieldInfo) -> forms.Field:
    """Return the form field of one declared field; raises `TypeError` for a type that has none."""
    kind, optional = _without_none(info.annotation)
    options: dict[str, Any] = {
        "label": _(label_of(name, info)),
        "help_text": _(info.description) if info.description else "",
        "required": not optional,
    }
    origin = get_origin(kind)
    if origin is Literal:
        return _choice(kind, options, optional, labels_of(info))
    if origin is tuple and get_args(kind) == (str, ...):
        return LinesField(**{**options, "required": bool(_bound(info, MinLen, "min_length"))}, strip=False)
    if origin is tuple and get_origin(get_args(kind)[0]) is Literal and get_args(kind)[1:] == (...,):
        return _several(get_args(kind)[0], options)
    bounds = {"min_value": _bound(info, Ge, "ge"), "max_value": _bound(info, Le, "le")}
    if kind is bool:
        return forms.BooleanField(**{**options, "required": False})
    if kind is int:
        return forms.IntegerField(**options, **bounds)
    if kind is float:
        return NumberField(**options, **bounds)
    if kind is str:
        return _text(info, options, optional)
    raise TypeError(f"The setting {name!r} is declared as {info.annotation!r}, which no form field can show.")


def _text(info: FieldInfo, options: dict[str, Any], optional: bool) -> forms.Field:
    longest = _bound(info, MaxLen, "max_length")
    options["required"] = bool(_bound(info, MinLen, "min_length"))
    if optional:
        options["empty_value"] = None
    if longest is not None and longest > ONE_LINE:
        lines = 3 if longest <= 2_000 else 10
        # The browser's limit counts line breaks twice, so long texts are only measured here.
        return PageField(**options, widget=forms.Textarea(attrs={"rows": lines}))
    return forms.CharField(**options, max_length=longest)


def labels_of(info: FieldInfo) -> dict[str, str]:
    """Return {value: what forms show for it} of a setting with a few values; empty where they show the value."""
    extra = info.json_schema_extra
    labels: Any = extra.get("labels") if isinstance(extra, dict) else None
    return labels or {}


def _choice(kind: Any, options: dict[str, Any], optional: bool, labels: dict[str, str]) -> forms.Field:
    values = get_args(kind)
    names = {value: str(value) for value in values}
    choices: list[tuple[Any, Any]] = [
        (value, _(labels[name]) if name in labels else name) for value, name in names.items()
    ]
    if optional:
        choices.insert(0, ("", "—"))
    known = {str(value): value for value in values}
    return forms.TypedChoiceField(**options, choices=choices, coerce=lambda value: known[str(value)], empty_value=None)


def _several(kind: Any, options: dict[str, Any]) -> forms.Field:
    choices = [(str(value), str(value)) for value in get_args(kind)]
    # An unticked box is a valid answer.
    options["required"] = False
    return forms.MultipleChoiceField(**options, choices=choices, widget=forms.CheckboxSelectMultiple)


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if get_origin(annotation) in (Union, UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
        if len(kinds) == 1 and len(kinds) < len(get_args(annotation)):
            return kinds[0], True
    return annotation, False


def _bound(info: FieldInfo, kind: type, attribute: str) -> Any:
    return next((getattr(entry, attribute) for entry in info.metadata if isinstance(entry, kind)), None)
