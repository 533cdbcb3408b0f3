"""A form field for each declared setting: what goes out comes back, and what can't be stands beside its field."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from pydantic import Field

from core.registry import Registry
from core.spec import Spec
from studies import hooks, task_types
from studies.definition import presets
from studies.definition.form_fields import LinesField, fields_of
from studies.hooks import CrowdSource
from studies.imports.forms import AddClipsForm
from studies.launch import drafting, states
from studies.launch.settings_forms import GROUPS, SettingsForm, models_of, settings_form
from studies.models import Study
from tests.researchers import as_sent
from tests.studies.imports.helpers import draft
from tests.world import make_study

pytestmark = pytest.mark.django_db


class Every(Spec):
    """One setting of each kind that a definition may declare."""

    count: int = Field(3, ge=1, le=9, description="How many.")
    share: float = Field(0.5, gt=0, le=1)
    limit: int | None = Field(None, ge=1)
    level: float | None = None
    on: bool = True
    name: str = Field("a", min_length=1, max_length=20)
    page: str = Field("", max_length=20_000)
    plain: str = ""
    mode: Literal["slow", "fast"] = "slow"
    rate: Literal[8000, 16000] = 8000
    maybe: Literal[1, 2] | None = None
    lines: tuple[str, ...] = ()
    several: tuple[Literal["a", "b", "c"], ...] = ()


def every() -> dict[str, forms.Field]:
    return dict(fields_of(Every, "x"))


def settings_of(study: Study, **changes: str | None) -> SettingsForm:
    form_class = settings_form(study.draft["task_type"])
    data = as_sent(form_class(study=study))
    for name, value in changes.items():
        if value is None:
            data.pop(name)
        else:
            data[name] = value
    return form_class(data, study=study)


def fingerprints(form: SettingsForm) -> dict[str, str]:
    return {dotted: drafting.fingerprint(value) for dotted, value in form.values.items()}


def wrong_in(form: SettingsForm) -> dict[str, str]:
    """Return what the page would say of a form that was sent."""
    _accepted, problems = drafting.possible(form.study, form.changes(fingerprints(form)))
    assert all(len(each) == 1 for each in form.errors.values())
    return problems | {name.replace("__", "."): str(each[0]) for name, each in form.errors.items()}


@pytest.fixture
def study(now: datetime) -> Study:
    return states.create_study(slug="voices", title="Voices", preset="att", owner=None, changes={}, now=now)


def test_each_kind_of_setting_has_its_kind_of_field() -> None:
    kinds = {name.removeprefix("x__"): type(field).__name__ for name, field in every().items()}
    assert kinds == {
        **{"count": "IntegerField", "share": "NumberField", "limit": "IntegerField", "level": "NumberField"},
        **{"on": "BooleanField", "name": "CharField", "page": "PageField", "plain": "CharField"},
        **{"mode": "TypedChoiceField", "rate": "TypedChoiceField", "maybe": "TypedChoiceField", "lines": "LinesField"},
        "several": "MultipleChoiceField",
    }


def test_the_declaration_gives_bounds_and_help_and_says_what_may_be_empty() -> None:
    fields = every()
    count = fields["x__count"]
    assert isinstance(count, forms.IntegerField)
    assert (count.min_value, count.max_value, count.help_text, count.label) == (1, 9, "How many.", "Count")
    empty = {name.removeprefix("x__") for name, field in fields.items() if not field.required}
    assert empty == {"limit", "level", "on", "page", "plain", "maybe", "lines", "several"}
    assert isinstance(fields["x__page"].widget, forms.Textarea)
    assert isinstance(fields["x__plain"].widget, forms.TextInput)


@pytest.mark.parametrize(
    ("name", "sent", "read"),
    [
        ("count", "4", 4),
        ("share", "0.25", 0.25),
        ("limit", "", None),
        ("limit", "7", 7),
        ("level", "-23.5", -23.5),
        ("level", "", None),
        ("on", "on", True),
        ("on", None, False),
        ("name", " b ", "b"),
        ("page", "one\r\n\r\ntwo", "one\n\ntwo"),
        ("plain", "", ""),
        ("mode", "fast", "fast"),
        ("rate", "16000", 16000),
        ("maybe", "", None),
        ("maybe", "2", 2),
        ("lines", "one\r\n\r\n two \r\n", ["one", "two"]),
        ("lines", "", []),
    ],
)
def test_a_value_is_read_as_its_type(name: str, sent: str | None, read: Any) -> None:
    field = every()[f"x__{name}"]
    value = field.clean(field.widget.value_from_datadict({} if sent is None else {"f": sent}, {}, "f"))
    assert value == read
    assert type(value) is type(read)


def test_several_of_a_few_values_may_be_ticked_or_none() -> None:
    field = every()["x__several"]
    assert field.clean(["a", "c"]) == ["a", "c"]
    assert field.clean([]) == []
    with pytest.raises(forms.ValidationError):
        field.clean(["d"])


def test_a_type_without_a_field_is_refused_at_once() -> None:
    class Nested(Spec):
        inner: dict[str, int] = {}

    with pytest.raises(TypeError, match="inner"):
        dict(fields_of(Nested, "x"))


@pytest.mark.parametrize("task_type", sorted(task_types.by_name()))
def test_every_setting_of_every_task_type_has_a_field(task_type: str) -> None:
    form = settings_form(task_type)
    declared = {f"{group}__{name}" for group, model in models_of(task_type) for name in model.model_fields}
    assert declared == set(form.base_fields)
    assert set(form.groups) == set(GROUPS)


@pytest.mark.parametrize("task_type", sorted(task_types.by_name()))
def test_every_choice_of_every_task_type_is_named_in_words(task_type: str) -> None:
    fields = settings_form(task_type).base_fields
    choices = {name: field.choices for name, field in fields.items() if isinstance(field, forms.TypedChoiceField)}
    assert choices
    bare = {name for name, pairs in choices.items() if any(value and str(value) == label for value, label in pairs)}
    assert bare == {"audio__sample_rate"}


@pytest.mark.parametrize("preset", sorted(presets.by_name()))
def test_an_untouched_form_changes_nothing(preset: str, now: datetime) -> None:
    study = states.create_study(slug="voices", title="Voices", preset=preset, owner=None, changes={}, now=now)
    form = settings_of(study)
    assert form.is_valid(), form.errors
    assert form.changes(fingerprints(form)) == {}


def test_changed_values_reach_the_draft(study: Study) -> None:
    form = settings_of(
        study,
        protocol__ratings_wanted="4",
        protocol__human_share="0.2",
        task__reason_required=None,
        task__option_order="counterbalanced",
        audio__sample_rate="16000",
        audio__loudness="",
        texts__good_reasons="first\nsecond",
    )
    assert form.is_valid(), form.errors
    changes = form.changes(fingerprints(form))
    assert len(changes) == 7
    definition = states.tried(study=study, changes=changes)
    assert definition.protocol.ratings_wanted == 4
    assert definition.protocol.human_share == 0.2
    assert definition.params.reason_required is False
    assert definition.params.option_order == "counterbalanced"
    assert definition.audio.sample_rate == 16000
    assert definition.audio.loudness is None
    assert definition.texts.good_reasons == ("first", "second")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("protocol__ratings_wanted", "0"),
        ("protocol__ratings_wanted", "many"),
        ("protocol__ratings_wanted", ""),
        ("protocol__human_share", "1.5"),
        ("protocol__playback", "maybe"),
        ("audio__max_seconds", "0"),
        ("audio__sample_rate", "11025"),
        ("texts__language", "English, please"),
        ("texts__good_reasons", "\n".join(["a reason"] * 21)),
        ("crowd__return_url", "http://example.org/{code}"),
        ("task__question", ""),
        ("task__reason_graphemes", "-1"),
    ],
)
def test_what_cannot_be_stands_beside_its_field(study: Study, name: str, value: str) -> None:
    assert list(wrong_in(settings_of(study, **{name: value}))) == [name.replace("__", ".")]


def test_all_mistakes_are_told_at_once(study: Study) -> None:
    form = settings_of(study, protocol__ratings_wanted="x", texts__language="?", task__reason_graphemes="501")
    assert set(wrong_in(form)) == {"protocol.ratings_wanted", "texts.language", "task.reason_graphemes"}


def test_a_rule_about_two_settings_is_told_beside_the_one_that_was_changed(study: Study) -> None:
    problems = wrong_in(settings_of(study, protocol__human_traps_right="3"))
    assert list(problems) == ["protocol.human_traps_right"]
    assert "no batch could ever be valid" in problems["protocol.human_traps_right"]
    both = settings_of(study, protocol__human_traps_right="3", protocol__human_traps="3")
    assert wrong_in(both) == {}


def test_audio_is_locked_after_the_launch(now: datetime) -> None:
    form = settings_of(make_study(now=now), audio__loudness="-30")
    assert form.is_valid(), form.errors
    assert form.fields["audio__loudness"].disabled
    assert form.changes(fingerprints(form)) == {}


def test_the_crowd_source_is_chosen_among_those_known(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "crowd_sources", Registry())
    hooks.crowd_sources.register(CrowdSource("prolific", "Prolific"))
    assert settings_of(study).is_valid()
    assert "crowd__source" in settings_of(study, crowd__source="pigeon").errors


def test_a_closed_platform_stays_a_choice_of_the_studies_that_have_it(now: datetime) -> None:
    studies = {source: make_study(now=now, launch=False, crowd__source=source) for source in ("mturk", "open")}
    choices = {
        source: [name for name, _label in settings_of(study).fields["crowd__source"].choices]
        for source, study in studies.items()
    }
    assert "mturk" in choices["mturk"]
    assert "mturk" not in choices["open"]
    assert settings_of(studies["mturk"]).is_valid()
    assert "crowd__source" in settings_of(studies["open"], crowd__source="mturk").errors


def test_lines_are_shown_one_below_the_other() -> None:
    assert LinesField().prepare_value(["one", "two"]) == "one\ntwo"
    assert LinesField().prepare_value("as typed") == "as typed"


def upload(name: str, content: bytes = b"x") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_clips_need_an_archive_which_may_hold_their_manifest() -> None:
    assert set(AddClipsForm({}, {}, study=Study(draft=draft())).errors) == {"archive"}
    assert AddClipsForm(
        {}, {"archive": upload("Clips.ZIP"), "manifest": upload("m.csv")}, study=Study(draft=draft())
    ).is_valid()
    wrong = AddClipsForm({}, {"archive": upload("c.rar"), "manifest": upload("m.xlsx")}, study=Study(draft=draft()))
    assert set(wrong.errors) == {"archive", "manifest"}


def test_an_archive_over_the_limit_is_refused(settings: Any) -> None:
    settings.UPLOAD_LIMIT_MB = 0
    form = AddClipsForm({}, {"archive": upload("c.zip"), "manifest": upload("m.csv")}, study=Study(draft=draft()))
    assert "larger than 0 MB" in str(form.errors["archive"])
