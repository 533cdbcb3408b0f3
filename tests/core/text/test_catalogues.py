"""The pages' own words in every language that has a catalogue: nothing is missing, and nothing says something else."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import PoFileError
from django.conf import settings
from django.core.management import call_command
from django.utils import translation

from core.text import catalogues
from core.text.catalogues import Sentence

CATALOGUES = sorted(settings.LOCALE_PATHS[0].glob("*/LC_MESSAGES/django.po"))
# Words that new readers stumbled over, and what is said instead (docs/glossary.md has the terms).
OLD = re.compile(
    r"\b(mend\w*|go(es)? on|hangs? on|by itself|broke off|suits? you today|as they came|begins? anew|taken away"
    r"|make void|nobody meets|raters meet|won't do|do instead|lets? one person in|made like this|known besides"
    r"|anew|whoever|whom|hands? in|handed in|if you like|for good|put (it|this one)? ?off|carry (it )?out|line broke"
    r"|(has|have) run out|all the same|nobody (here|knows)|lets? nobody|taken? back|as it stands|stands? under)\b",
    re.IGNORECASE,
)
FOR_RATERS_AND_EXPERTS = (
    "templates/raters/",
    "templates/judge/",
    "templates/task_types/",
    "templates/admin/raters/",
    "raters/",
    "judge/",
)
FOR_RESEARCHERS = (
    "studies/",
    "studies.",
    "platform/core",
    "platform/demo",
    "platform/quick",
    "templates/studies/",
    "templates/core/",
)
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][,;:?!]|[,;:?!][\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def found() -> dict[Sentence, list[str]]:
    """Read all of the code and the templates once."""
    return catalogues.sentences()


@pytest.fixture(params=CATALOGUES, ids=lambda path: path.parent.parent.name)
def path(request: pytest.FixtureRequest) -> Path:
    """Go through the languages."""
    catalogue: Path = request.param
    return catalogue


def test_every_language_that_pages_speak_has_a_catalogue() -> None:
    named = {translation.to_locale(code) for code in settings.CATALOGUES} - {"en"}
    assert {path.parent.parent.name for path in CATALOGUES} == named


def test_every_sentence_is_translated_and_fills_in_the_same(path: Path, found: dict[Sentence, list[str]]) -> None:
    assert list(catalogues.problems(catalogues.read(path.read_text()), found)) == []


def test_what_django_reads_is_what_the_catalogue_says(path: Path, tmp_path: Path) -> None:
    translations = catalogues.read(path.read_text())
    catalogues.write(
        catalogues.catalogue(path.parent.parent.name, {each: [] for each in translations}, translations),
        tmp_path / "new.po",
    )
    assert path.with_suffix(".mo").read_bytes() == (tmp_path / "new.mo").read_bytes(), "run: ./run manage catalogues"
    # Python's own reader, which shares nothing with what wrote the file.
    with path.with_suffix(".mo").open("rb") as file:
        read = gettext.GNUTranslations(file)
    for sentence, forms in translations.items():
        if sentence.plural:
            assert read.ngettext(sentence.text, sentence.plural, 1) == forms[0]
        elif sentence.context:
            assert read.pgettext(sentence.context, sentence.text) == forms[0]
        else:
            assert read.gettext(sentence.text) == forms[0]


def test_the_catalogue_holds_nothing_that_nobody_says(path: Path, found: dict[Sentence, list[str]]) -> None:
    assert set(catalogues.read(path.read_text())) <= set(found)


def test_chinese_is_written_with_its_own_punctuation() -> None:
    translations = catalogues.read((settings.LOCALE_PATHS[0] / "zh_Hans/LC_MESSAGES/django.po").read_text())
    wrong = {form for forms in translations.values() for form in forms if HALF_WIDTH.search(form)}
    assert wrong == set()


def test_code_marks_sentences_by_calls() -> None:
    source = """
from x import gettext as _
plain = _("One {n}.")
long = gettext_lazy("Two " "parts.")
both = ngettext("{n} clip", "{n} clips", n)
meant = pgettext("verb", "Answer")
pure = say("Please write at least {least}.", least=3)
computed = _(name)
other = translate("no")
"""
    assert set(catalogues.in_code(source)) == {
        Sentence("One {n}."),
        Sentence("Two parts."),
        Sentence("{n} clip", "{n} clips"),
        Sentence("Answer", context="verb"),
        Sentence("Please write at least {least}."),
    }


def test_templates_mark_sentences_by_tags() -> None:
    source = """{% load i18n %}<p title="{% translate 'It’s "here"' %}">{% translate "Begin" as word %}
{% blocktranslate count n=n %}{{ n }} clip{% plural %}{{ n }} clips{% endblocktranslate %}
{% blocktranslate trimmed %}
  Two
  lines of {{ name }}
{% endblocktranslate %}
{% translate "Answer" context "verb" %}<b>not this</b>"""
    assert set(catalogues.in_template(source)) == {
        Sentence('It’s "here"'),
        Sentence("Begin"),
        Sentence("%(n)s clip", "%(n)s clips"),
        Sentence("Two lines of %(name)s"),
        Sentence("Answer", context="verb"),
    }


def test_settings_and_codes_are_found_though_no_call_marks_them(found: dict[Sentence, list[str]]) -> None:
    assert {
        Sentence("Usable ratings wanted for each test clip."),
        Sentence("Prolongation"),
    } <= set(found)


@pytest.mark.parametrize(
    ("sentence", "forms", "problem"),
    [
        (Sentence("{n} of {all}"), None, "not translated"),
        (Sentence("{n} of {all}"), ("{n} 个",), "other placeholders"),
        (Sentence("%(n)s clip", "%(n)s clips"), ("一段音频",), "other placeholders"),
        (Sentence("One clip", "%(n)s clips"), ("%(n)s 段音频",), None),
        (Sentence("{n} of {all}"), ("{all} 中的 {n}",), None),
    ],
)
def test_a_bad_translation_is_a_problem(sentence: Sentence, forms: tuple[str, ...] | None, problem: str | None) -> None:
    problems = list(catalogues.problems({} if forms is None else {sentence: forms}, [sentence]))
    assert [each.partition(":")[0] for each in problems] == ([] if problem is None else [problem])


def awkward() -> Iterator[tuple[Sentence, tuple[str, ...]]]:
    yield Sentence('A "quote", a \\ and\na line'), ("一行\n两行\t“引号”",)
    yield Sentence("{n} clip", "{n} clips"), ("{n} 段",)
    yield Sentence("Answer", context="verb"), ("作答",)


def test_a_catalogue_is_read_as_it_was_written(tmp_path: Path) -> None:
    translations = dict(awkward())
    untranslated = Sentence("Not yet, {name}")
    places = {sentence: ["b.py", "a.html"] for sentence in (*translations, untranslated)}
    catalogues.write(catalogues.catalogue("zh_Hans", places, translations), tmp_path / "django.po")
    written = (tmp_path / "django.po").read_text()
    assert catalogues.read(written) == translations
    assert '#: a.html\n#: b.py\nmsgid "Not yet, {name}"\nmsgstr ""\n' in written
    assert "Plural-Forms: nplurals=1; plural=0;" in written
    with pytest.raises(PoFileError):
        catalogues.read(written.replace("msgctxt", "msgodd"))


def test_the_command_begins_a_language_keeps_what_is_said_and_compiles(tmp_path: Path, settings: object) -> None:
    settings.ROOT, settings.LOCALE_PATHS = tmp_path, [tmp_path / "locale"]  # type: ignore[attr-defined]
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/page.html").write_text('{% load i18n %}{% translate "Begin" %}')
    call_command("catalogues", add="de", verbosity=0)
    file = tmp_path / "locale/de/LC_MESSAGES/django.po"
    assert 'msgid "Begin"\nmsgstr ""' in file.read_text()
    file.write_text(file.read_text().replace('msgid "Begin"\nmsgstr ""', 'msgid "Begin"\nmsgstr "Anfangen"'))
    call_command("catalogues", verbosity=0)
    with file.with_suffix(".mo").open("rb") as compiled:
        assert gettext.GNUTranslations(compiled).gettext("Begin") == "Anfangen"


@pytest.mark.parametrize("readers", [FOR_RATERS_AND_EXPERTS, FOR_RESEARCHERS], ids=["raters", "researchers"])
def test_readers_find_no_old_fashioned_phrase(readers: tuple[str, ...], found: dict[Sentence, list[str]]) -> None:
    theirs = [one for one, places in found.items() if any(place.startswith(readers) for place in places)]
    assert len(theirs) > 400
    assert [one.text for one in theirs if OLD.search(one.text)] == []
