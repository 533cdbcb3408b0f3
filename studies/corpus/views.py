"""A study's page of texts: write, review, import and copy them, and download lists of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from accounts.users.models import User
from core import clock
from core.errors import DomainError, Invalid
from core.web import client_input
from studies import hooks
from studies.clips import black_box
from studies.corpus import boxes, lists, queries, services, text_list, text_table
from studies.corpus.forms import CorpusSettingsForm, ImportTextsForm, SplitForm, TextForm
from studies.corpus.models import CorpusText
from studies.corpus.table_preview import preview
from studies.definition.models import Study
from studies.imports.ingest import table
from studies.imports.report import shown
from studies.members import access
from studies.members.links import links_of
from studies.members.pages import Actions, acted, log_change, may_change, own_page, show, signed_in
from studies.rules.roles import Capability

# Where a researcher's session keeps the last review of a study's texts, for Undo.
LAST = "last_text_review"
REPORT_ROWS = 200
Review = Callable[[CorpusText, User, HttpRequest, int], dict[str, Any]]


def _accept(text: CorpusText, user: User, _request: HttpRequest, seen: int) -> dict[str, Any]:
    return services.accept(text=text, user=user, now=clock.now(), seen=seen)


def _check(text: CorpusText, user: User, _request: HttpRequest, seen: int) -> dict[str, Any]:
    return services.cross_check(text=text, user=user, now=clock.now(), seen=seen)


def _reject(text: CorpusText, user: User, request: HttpRequest, seen: int) -> dict[str, Any]:
    reason = request.POST.get("reason", "")
    return services.reject(text=text, user=user, reason=reason, now=clock.now(), seen=seen)


REVIEWS: dict[str, Review] = {"accept": _accept, "check": _check, "reject": _reject}


@own_page()
def texts_page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the texts; POST writes, reviews or comments on one, copies texts, or changes the settings."""
    if request.method != "POST":
        return _show_texts(request, study)
    actions: Actions = {
        "add": _add_text,
        "edit": _edit_text,
        "comment": _comment,
        "restore": _restore_version,
        "undo": _undo_review,
        "copy": _copy_texts,
        "settings": _corpus_settings,
        "box": _set_box,
        "split": _split,
        **dict.fromkeys(REVIEWS, _review),
    }
    return acted(request, study, actions) or HttpResponseRedirect(_address(request, study))


def _show_texts(request: HttpRequest, study: Study, **forms: Any) -> HttpResponse:
    """Return the page; `forms` are those that were not accepted."""
    is_editor = may_change(study, request.user)
    last = request.session.get(LAST)
    others = access.visible(request.user, Capability.SEE_STUDY).exclude(pk=study.pk) if is_editor else []
    context = {
        **text_list.context(study, request.GET, request.user, may_change=is_editor),
        "last": last if is_editor and last and last["study"] == study.pk else None,
        "add_form": TextForm(study=study),
        "settings_form": CorpusSettingsForm.of(queries.settings(study)),
        "import_form": ImportTextsForm(),
        "split_form": SplitForm(auto_id="split_%s"),
        "other_studies": text_list.with_texts(others) if is_editor else [],
        "text_links": links_of(study, request, hooks.text_links),
        "columns": text_table.COLUMNS,
        "pattern": lists.PATTERN,
        **forms,
    }
    return show(request, study, "studies/corpus/texts.html", _("Texts"), context)


def _text(request: HttpRequest, study: Study) -> CorpusText:
    pk = client_input.whole_number(request.POST.get("text", ""))
    return queries.text(study, pk if pk is not None else 0)


def _add_text(request: HttpRequest, study: Study) -> HttpResponse:
    form = TextForm(request.POST, study=study)
    if form.is_valid():
        try:
            name = form.cleaned_data["name"]
            text = services.add(study=study, name=name, values=form.values, author=signed_in(request), now=clock.now())
        except Invalid as error:
            for field, problem in error.problems.items():
                form.add_error(field, problem)
        else:
            messages.success(request, _("The text {name} was added as a draft.").format(name=text.name))
            return HttpResponseRedirect(f"{reverse('studies:texts', args=[study.slug])}#text-{text.pk}")
    return _show_texts(request, study, add_form=form)


def _edit_text(request: HttpRequest, study: Study) -> HttpResponse:
    text = _text(request, study)
    form = TextForm(request.POST, study=study, text=text)
    if form.is_valid():
        is_changed = services.edit(
            text=text, values=form.values, author=signed_in(request), now=clock.now(), seen=_seen(request)
        )
        if not is_changed:
            messages.info(request, _("Nothing was changed."))
        return HttpResponseRedirect(_address(request, study, text.pk))
    return _show_texts(request, study, edited=text.pk, edit_form=form)


def _comment(request: HttpRequest, study: Study) -> HttpResponse:
    text = _text(request, study)
    services.comment(text=text, author=signed_in(request), body=request.POST.get("comment", ""), now=clock.now())
    return HttpResponseRedirect(_address(request, study, text.pk, opened=True))


def _restore_version(request: HttpRequest, study: Study) -> HttpResponse:
    text = _text(request, study)
    number = client_input.whole_number(request.POST.get("number", "")) or 0
    services.restore(text=text, number=number, author=signed_in(request), now=clock.now())
    return HttpResponseRedirect(_address(request, study, text.pk))


def _review(request: HttpRequest, study: Study) -> HttpResponse:
    do, text = request.POST["do"], _text(request, study)
    try:
        change = REVIEWS[do](text, signed_in(request), request, _seen(request))
    except DomainError as error:
        messages.error(request, error.message)
        return HttpResponseRedirect(_address(request, study, text.pk))
    said = {
        "accept": _("{name} was accepted."),
        "check": _("{name} was cross-checked."),
        "reject": _("{name} was rejected."),
    }
    message = said[do].format(name=text.name)
    request.session[LAST] = {"study": study.pk, "message": message, "change": change}
    return HttpResponseRedirect(_address(request, study, text.pk))


def _undo_review(request: HttpRequest, study: Study) -> HttpResponse:
    last = request.session.pop(LAST, None)
    if not last or last["study"] != study.pk:
        messages.info(request, _("There is no review to undo."))
        return HttpResponseRedirect(_address(request, study))
    text = services.undo(study=study, change=last["change"], now=clock.now())
    messages.success(request, _("The review of {name} was undone.").format(name=text.name))
    return HttpResponseRedirect(_address(request, study, text.pk))


def _copy_texts(request: HttpRequest, study: Study) -> HttpResponse:
    pk = client_input.whole_number(request.POST.get("study", "")) or 0
    source = access.visible(request.user, Capability.SEE_STUDY).exclude(pk=study.pk).filter(pk=pk).first()
    if source is None:
        raise Invalid(_("Choose the study to copy from."))
    copied, skipped = services.copy(
        study=study,
        source=source,
        author=signed_in(request),
        now=clock.now(),
        withheld=black_box.withheld(source, request.user),
    )
    message = ngettext("{number} text was copied.", "{number} texts were copied.", copied).format(number=copied)
    if skipped:
        more = ngettext(
            "{number} was left out, because this study has its id already.",
            "{number} were left out, because this study has their ids already.",
            skipped,
        )
        message = f"{message} {more.format(number=skipped)}"
    messages.success(request, message)
    return redirect("studies:texts", study.slug)


def _set_box(request: HttpRequest, study: Study) -> HttpResponse:
    box = request.POST.get("box", "")
    if "all" in request.POST:
        filters = queries.Filters.of(request.GET)
        chosen = list(queries.matching(study, filters).values_list("pk", flat=True))
    else:
        sent = (client_input.whole_number(pk) for pk in request.POST.getlist("chosen"))
        chosen = [pk for pk in sent if pk is not None]
    number = boxes.set_box(study=study, texts=chosen, box=box, now=clock.now())
    said = {
        "white": ngettext("{number} text is white box now.", "{number} texts are white box now.", number),
        "black": ngettext("{number} text is black box now.", "{number} texts are black box now.", number),
        "": ngettext("{number} text has no box now.", "{number} texts have no box now.", number),
    }
    message = said[box].format(number=number)
    if number:
        log_change(request, study, message)
    messages.success(request, message if number else _("The chosen texts have this box already."))
    return HttpResponseRedirect(_address(request, study).replace("#top", "#review"))


def _split(request: HttpRequest, study: Study) -> HttpResponse:
    form = SplitForm(request.POST, auto_id="split_%s")
    if not form.is_valid():
        return _show_texts(request, study, split_form=form)
    black, white = boxes.split(study=study, **form.cleaned_data, now=clock.now())
    message = _(
        "{percent} % of the texts of each dimension were drawn (seed {seed}): {black} are black box, {white} white box."
    ).format(**form.cleaned_data, black=black, white=white)
    log_change(request, study, message)
    messages.success(request, message)
    return HttpResponseRedirect(f"{reverse('studies:texts', args=[study.slug])}#review")


def _corpus_settings(request: HttpRequest, study: Study) -> HttpResponse:
    form = CorpusSettingsForm(request.POST)
    if not form.is_valid():
        return _show_texts(request, study, settings_form=form)
    services.save_settings(study=study, **form.cleaned_data)
    messages.success(request, _("The settings were saved."))
    return redirect("studies:texts", study.slug)


@own_page()
def texts_import(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what a table of texts would change; a second POST, with the table in it, applies it."""
    if request.method != "POST":
        return redirect("studies:texts", study.slug)
    form = ImportTextsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _show_texts(request, study, import_form=form)
    sent = form.sent
    read = text_table.read(sent)
    refused = [problem for problem in read.problems if not problem.warning]
    if not refused and "confirm" in request.POST:
        name = request.POST.get("file", "")[:100]
        note = _("Imported from {file}").format(file=name)
        added, changed = services.import_rows(
            study=study, rows=read.rows, author=signed_in(request), now=clock.now(), note=note
        )
        message = _("{added} texts were added and {changed} changed.").format(added=added, changed=changed)
        messages.success(request, message)
        log_change(request, study, message)
        return redirect("studies:texts", study.slug)
    chosen = form.cleaned_data.get("table")
    context = {
        "problems": shown(problem.as_dict() for problem in read.problems[:REPORT_ROWS]),
        "refusals": len(refused),
        "preview": None if refused else preview(study, read.rows),
        "content": "" if refused else table.decode(sent, text_table.KIND)[0],
        "file": chosen.name if chosen else "",
    }
    return show(request, study, "studies/corpus/texts_import.html", _("Texts"), context)


@require_GET
@own_page()
def texts_list(request: HttpRequest, study: Study) -> HttpResponse:
    """Return texts as CSV: all, those to be spoken, or a manifest of the clips to come."""
    kind = request.GET.get("list", "texts")
    # Lists for synthesis hold the words of black-box texts.
    if kind != "texts" and not access.may(study, request.user, Capability.CHANGE_STUDY):
        raise PermissionDenied
    try:
        if kind == "speaking":
            content = lists.for_speaking(queries.usable(study))
        elif kind == "manifest":
            systems = lists.systems_of(request.GET.get("systems", ""))
            pattern = request.GET.get("pattern", "").strip() or lists.PATTERN
            content = lists.manifest(list(queries.usable(study)), systems, pattern)
        else:
            kind, withheld = "texts", black_box.withheld(study, request.user)
            rows = queries.matching(study, queries.Filters.of(request.GET), withheld=withheld)
            content = lists.all_texts(rows, withheld)
    except Invalid as error:
        messages.error(request, error.message)
        return HttpResponseRedirect(f"{reverse('studies:texts', args=[study.slug])}#lists")
    response = HttpResponse("\ufeff" + content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{kind}.csv"'
    return response


def _seen(request: HttpRequest) -> int:
    return client_input.whole_number(request.POST.get("seen", "")) or 0


def _address(request: HttpRequest, study: Study, text: int | None = None, *, opened: bool = False) -> str:
    """Return the address of the list as it was filtered, at one text."""
    number = client_input.whole_number(request.GET.get("page", "")) or 1
    more = f"&open={text}" if opened else ""
    anchor = f"text-{text}" if text is not None else "top"
    query = queries.Filters.of(request.GET).query
    return f"{reverse('studies:texts', args=[study.slug])}?{query}page={number}{more}#{anchor}"
