"""Make a form field for each pydantic field, with its type, bounds and description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen, MinLen
from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel
from pydantic.fields import FieldInfo

# Texts that may be longer than this get a text area.
ONE_LINE = 500
# In a list, a text of this length takes the whole width.
LONG = 300
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


class ListWidget(forms.Widget):
    """The inputs of each model in a list, all with one name; what a browser sends is cut into models again."""

    def __init__(self, inputs: Mapping[str, forms.Field]) -> None:
        super().__init__()
        self.inputs = inputs

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        blocks = [self._block(name, each, str(number)) for number, each in enumerate(value or [], start=1)]
        blank = {key: field.initial for key, field in self.inputs.items()}
        context = {"name": name, "blocks": blocks, "blank": self._block(name, blank, "new")}
        return mark_safe(render_to_string("studies/launch/_design_list.html", context))  # noqa: S308

    def _block(self, name: str, values: Mapping[str, Any], number: str) -> list[dict[str, Any]]:
        rows = []
        for key, field in self.inputs.items():
            described = {"id": f"id_{name}-{number}-{key}", "aria-describedby": f"{name}-{key}-help {name}-problem"}
            rows.append(
                {
                    "id": described["id"],
                    "key": key,
                    "label": field.label,
                    "help": field.help_text,
                    "is_wide": isinstance(field, LinesField) or getattr(field, "max_length", None) == LONG,
                    "html": field.widget.render(name, _sent(field, values.get(key)), described),
                }
            )
        return rows

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[dict[str, str]]:
        sent = data.getlist(name) if hasattr(data, "getlist") else data.get(name, [])
        size = len(self.inputs)
        return [
            dict(zip(self.inputs, sent[start : start + size], strict=True))
            for start in range(0, len(sent) - len(sent) % size, size)
        ]


class ListField(forms.Field):
    """A list of declared models. One without any text is left out, which is how it is removed without scripts."""

    def __init__(self, model: type[BaseModel], **options: Any) -> None:
        self.inputs = {name: field_of(name, info) for name, info in model.model_fields.items()}
        for name, info in model.model_fields.items():
            self.inputs[name].widget.attrs.pop("cols", None)
            self.inputs[name].initial = info.get_default() if not info.is_required() else ""
        super().__init__(widget=ListWidget(self.inputs), **options)

    def to_python(self, value: Any) -> list[dict[str, Any]]:
        return [self._clean(each) for each in value or [] if self._is_filled(each)]

    def _is_filled(self, raw: Mapping[str, Any]) -> bool:
        chosen = (forms.ChoiceField, forms.FloatField)
        return any(str(raw[name] or "").strip() for name, field in self.inputs.items() if not isinstance(field, chosen))

    def _clean(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        values = {}
        for name, field in self.inputs.items():
            try:
                values[name] = field.clean(raw[name])
            except forms.ValidationError as error:
                problem = _("{name}: {problem}").format(name=field.label, problem=" ".join(error.messages))
                raise forms.ValidationError(problem) from error
        return values

    def sent(self, value: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the values as a browser would send them."""
        return [_sent(field, each[name]) for each in value for name, field in self.inputs.items()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(list(initial or []) != self.to_python(data))


def _sent(field: forms.Field, value: Any) -> str:
    """Return a value as text; a whole number without decimals."""
    prepared = field.prepare_value(value)
    return "" if prepared is None else f"{prepared:g}" if isinstance(prepared, float) else str(prepared)


def model_of(info: FieldInfo) -> type[BaseModel] | None:
    """Return the model in a list of models; None for other settings."""
    kind, _optional = _without_none(info.annotation)
    inner = get_args(kind)[0] if get_origin(kind) is tuple else None
    return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None


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
    model = model_of(info)
    if model is not None:
        return ListField(model, **{**options, "required": bool(info.get_default())})
    if origin is tuple and _is_text(get_args(kind)[0]) and get_args(kind)[1:] == (...,):
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


def _is_text(kind: Any) -> bool:
    return kind is str or (get_origin(kind) is Annotated and get_args(kind)[0] is str)


def _bound(info: FieldInfo, kind: type, attribute: str) -> Any:
    return next((getattr(entry, attribute) for entry in info.metadata if isinstance(entry, kind)), None)
