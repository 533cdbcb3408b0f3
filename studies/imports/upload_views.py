"""Receive an archive of clips in parts, for the script of the form that adds clips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from core import clock
from core.errors import DomainError, Invalid
from core.text import languages
from core.web import client_input
from core.web.middleware import connecting
from studies.clips.models import ClipUpload
from studies.definition.models import Study
from studies.imports import known_texts, store_folders, uploads
from studies.imports.forms import AddClipsForm
from studies.imports.ingest import guess
from studies.imports.ingest.manifest import COLUMNS, ROLES
from studies.imports.ingest.problems import InvalidInput
from studies.imports.ingest.table import MAX_ROWS
from studies.members.pages import own_page, signed_in
from studies.rules.roles import Capability

Answer = Callable[..., HttpResponse]


def errors_as_json(view: Answer) -> Answer:
    """Turn errors into JSON, which the script shows on the page."""

    @wraps(view)
    def wrapped(*args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(*args, **kwargs)
        except DomainError as error:
            return JsonResponse({"error": error.code, "message": error.message}, status=error.status)
        except OSError:
            message = _("The file store does not answer at the moment.")
            return JsonResponse({"error": "store", "message": message}, status=503)

    return wrapped


def form_context(request: HttpRequest, study: Study, form: AddClipsForm) -> dict[str, Any]:
    """Return the context of the form: an archive that was uploaded before, and the limit for small ones."""
    key = form.data.get("upload", "")
    sent = ClipUpload.objects.filter(study=study, owner=signed_in(request), key=key).exclude(file="").first()
    return {"form": form, "sent_before": sent, "small": uploads.PART_BYTES}


def sending(response: HttpResponse) -> HttpResponse:
    """Allow the form's page to send parts to the store, if browsers can reach it."""
    return connecting(response, origin) if (origin := uploads.origin()) else response


@require_http_methods(["GET", "POST"])
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def table(request: HttpRequest, study: Study) -> HttpResponse:
    """Propose a manifest for the files that the browser names, or those of a folder of the store; store nothing.

    GET returns the folders of the store.
    """
    if request.method == "GET":
        return JsonResponse({"folders": store_folders.folders()})
    names, chosen, content = _named_files(request)
    source = ""
    try:
        if folder := request.POST.get("folder"):
            names, source, content = _stored_files(folder)
        found = guess.propose(names, content, chosen, request.POST.get("layout", ""))
    except InvalidInput as error:
        raise Invalid(languages.translate(str(error))) from error
    rows = known_texts.propose(study, found.rows)
    return JsonResponse({"columns": COLUMNS, "roles": ROLES, "source": source, **asdict(found), "rows": rows})


@require_POST
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def begin(request: HttpRequest, study: Study) -> HttpResponse:
    """Start an upload."""
    name, size = _announced(request)
    row = uploads.begin(study=study, owner=signed_in(request), name=name, size=size, now=clock.now())
    return _state(row, status=201)


@require_http_methods(["GET", "DELETE"])
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def upload(request: HttpRequest, study: Study, key: str) -> HttpResponse:
    """Return the missing parts and their addresses, or discard the upload."""
    row = _own_upload(request, study, key)
    if request.method == "DELETE":
        uploads.discard(upload=row)
        return HttpResponse(status=204)
    return _state(row)


@require_http_methods(["PUT"])
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def part(request: HttpRequest, study: Study, key: str, number: int) -> HttpResponse:
    """Receive one part, if parts are sent to this server."""
    row = _own_upload(request, study, key)
    uploads.put_part(upload=row, number=number, content=request.read(row.part_bytes + 1))
    return HttpResponse(status=204)


@require_POST
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def whole(request: HttpRequest, study: Study, key: str) -> HttpResponse:
    """Join the parts into one file."""
    row = _own_upload(request, study, key)
    uploads.finish(upload=row)
    return _state(row)


def _own_upload(request: HttpRequest, study: Study, key: str) -> ClipUpload:
    return uploads.upload(study_id=study.pk, owner_id=signed_in(request).pk, key=key)


def _state(row: ClipUpload, status: int = 200) -> HttpResponse:
    url = reverse("studies:upload", args=[row.study.slug, row.key])
    return JsonResponse({**uploads.state(row), "url": url}, status=status)


def _named_files(request: HttpRequest) -> tuple[list[str], dict[str, str], bytes | None]:
    """Return the names of the files, the columns chosen for those of the table, and the table's content."""
    files, table = request.FILES.get("files"), request.FILES.get("table")
    for each in (files, table):
        if each is not None and (problem := client_input.too_large(each.size)):
            raise Invalid(problem)
    try:
        names = client_input.json_value(files.read() if files is not None else b"[]")
        chosen = client_input.json_object(request.POST.get("chosen", "{}"))
    except ValueError:
        raise Invalid(_("The request could not be read.")) from None
    if not isinstance(names, list) or not all(isinstance(each, str) for each in (*names, *chosen.values())):
        raise Invalid(_("The request could not be read."))
    if len(names) > MAX_ROWS:
        text = _("These are {number} files. Import at most {limit} at once, for example a folder at a time.")
        raise Invalid(text.format(number=len(names), limit=MAX_ROWS))
    return names, chosen, table.read() if table is not None else None


def _stored_files(name: str) -> tuple[list[str], str, bytes | None]:
    """Return the names of the files in a folder of the store, its table's name, and the table's content."""
    folder = store_folders.StoreFolder(name)
    table = folder.table()
    return folder.names, table, folder.read(table) if table else None


def _announced(request: HttpRequest) -> tuple[str, int]:
    """Return the name and size of the file that the script will send."""
    try:
        announcement = client_input.json_value(request.body)
        name, size = announcement["name"], announcement["bytes"]
    except (ValueError, TypeError, KeyError):
        name = size = None
    if not isinstance(name, str) or not isinstance(size, int) or isinstance(size, bool):
        raise Invalid(_("The request could not be read."))
    if not name.lower().endswith(".zip"):
        raise Invalid(_("This file’s name should end in %(endings)s.") % {"endings": ".zip"})
    return name, size
