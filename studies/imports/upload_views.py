"""Receive clips in parts, for the script of the form that adds clips."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.uploads import direct, queries, services
from accounts.uploads.models import Upload
from core import clock
from core.errors import DomainError, Invalid
from core.text import languages
from core.web import client_input
from core.web.middleware import connecting
from studies.clips.models import ClipImport
from studies.definition.models import Study
from studies.imports import column_labels, known_texts, store_folders
from studies.imports.forms import AddClipsForm
from studies.imports.ingest import guess
from studies.imports.ingest.problems import InvalidInput
from studies.imports.ingest.table import MAX_ROWS
from studies.members.pages import own_page, signed_in
from studies.rules.roles import Capability

Answer = Callable[..., HttpResponse]
# Addresses of parts in one response; those of a bucket are valid for an hour.
AT_ONCE = 20


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
    """Return the context of the form: what this person has sent before, and what was interrupted."""
    rows = queries.of_person(signed_in(request).pk, purpose(study))
    taken = set(ClipImport.objects.filter(upload__in=rows).values_list("upload", flat=True))
    whole = [row for row in rows if row.pk not in taken and queries.is_whole(row)]
    interrupted = [row for row in rows if row.pk not in taken and row not in whole]
    key = form.data.get("upload") or (whole[0].key if whole and request.method == "GET" else "")
    sent = next((row for row in whole if row.key == key), None)
    has_clips = study.clips.exists()
    return {"form": form, "sent_before": sent, "interrupted": interrupted, "has_clips": has_clips}


def purpose(study: Study) -> str:
    """Return what uploads of this study's clips are for."""
    return f"clips of study {study.pk}"


def sending(response: HttpResponse) -> HttpResponse:
    """Allow the form's page to send parts to the store, if browsers can reach it."""
    return connecting(response, origin) if (origin := direct.origin()) else response


@require_http_methods(["GET", "POST"])
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def table(request: HttpRequest, study: Study) -> HttpResponse:
    """Propose a manifest for the files that the browser names, or those of a folder of the store; store nothing.

    GET returns the folders of the store.
    """
    if request.method == "GET":
        return JsonResponse({"folders": store_folders.folders()})
    names, chosen, tables = _named_files(request)
    source = ""
    try:
        if folder := request.POST.get("folder"):
            names, source, tables = _stored_files(folder)
        elif key := request.POST.get("upload"):
            names = [path for path, _start, _size in _own_upload(request, study, key).places()]
        found = guess.propose(names, tables, chosen, request.POST.get("layout", ""))
    except InvalidInput as error:
        raise Invalid(languages.translate(str(error))) from error
    rows = known_texts.propose(study, found.rows)
    words = {
        "columns": column_labels.columns(),
        "roles": column_labels.roles(),
        "meanings": column_labels.parts(),
    }
    return JsonResponse({**words, "source": source, **asdict(found), "rows": rows})


@require_POST
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def begin(request: HttpRequest, study: Study) -> HttpResponse:
    """Start an upload, or continue one of the same files."""
    if study.state == Study.State.CLOSED:
        raise Invalid(_("The study is closed. Reopen it before you add clips."))
    listing = _uploaded(request, "files")
    files = _announced(listing)
    row = services.begin(
        owner=signed_in(request),
        name=_name(files),
        files=files,
        now=clock.now(),
        purpose=purpose(study),
        listing=hashlib.sha256(listing).hexdigest(),
        from_browser=True,
    )
    return _state(study, row, status=201)


@require_http_methods(["GET", "DELETE"])
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def upload(request: HttpRequest, study: Study, key: str) -> HttpResponse:
    """Return the missing parts and their addresses, or discard the upload."""
    row = _own_upload(request, study, key)
    if request.method == "DELETE":
        services.discard(upload=row)
        return HttpResponse(status=204)
    return _state(study, row)


@require_http_methods(["PUT"])
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def part(request: HttpRequest, study: Study, key: str, number: int) -> HttpResponse:
    """Receive one part, if parts are sent to this server."""
    row = _own_upload(request, study, key)
    services.put_part(upload=row, number=number, content=request.read(row.part_bytes + 1))
    return HttpResponse(status=204)


@require_POST
@own_page(looking=Capability.CHANGE_STUDY)
@errors_as_json
def whole(request: HttpRequest, study: Study, key: str) -> HttpResponse:
    """Finish an upload of which all parts were sent."""
    row = _own_upload(request, study, key)
    services.finish(upload=row)
    return _state(study, row)


def _own_upload(request: HttpRequest, study: Study, key: str) -> Upload:
    return queries.upload(signed_in(request).pk, key, purpose(study))


def _state(study: Study, row: Upload, status: int = 200) -> HttpResponse:
    """Return the state for the page's script: how many parts are missing, and where to send the next ones."""
    lacking = queries.missing(row)
    known = {
        "key": row.key,
        "url": reverse("studies:upload", args=[study.slug, row.key]),
        "bytes": row.bytes,
        "part_bytes": row.part_bytes,
        "parts": row.part_count,
        "missing": len(lacking),
        "is_whole": queries.is_whole(row),
        "is_direct": bool(row.target),
        "next": [{"number": number, "url": _address(study, row, number)} for number in lacking[:AT_ONCE]],
    }
    return JsonResponse(known, status=status)


def _address(study: Study, row: Upload, number: int) -> str:
    return (
        direct.address(row, number)
        if row.target
        else reverse("studies:upload_part", args=[study.slug, row.key, number])
    )


def _uploaded(request: HttpRequest, name: str) -> bytes:
    """Return the content of a small file that the script sends."""
    return next(iter(_all_uploaded(request, name)), b"")


def _all_uploaded(request: HttpRequest, name: str) -> list[bytes]:
    files = request.FILES.getlist(name)
    if problem := client_input.too_large(sum(file.size or 0 for file in files)):
        raise Invalid(problem)
    return [file.read() for file in files]


def _named_files(request: HttpRequest) -> tuple[list[str], dict[str, str], list[bytes]]:
    """Return the names of the files, the columns chosen for those of the tables, and the tables' contents."""
    tables = _all_uploaded(request, "table")
    try:
        names = client_input.json_value(_uploaded(request, "files") or b"[]")
        chosen = client_input.json_object(request.POST.get("chosen", "{}"))
    except ValueError:
        raise Invalid(_("The request could not be read.")) from None
    if not isinstance(names, list) or not all(isinstance(each, str) for each in (*names, *chosen.values())):
        raise Invalid(_("The request could not be read."))
    if len(names) > MAX_ROWS:
        text = _("These are {number} files. Import at most {limit} at once, for example a folder at a time.")
        raise Invalid(text.format(number=len(names), limit=MAX_ROWS))
    return names, chosen, tables


def _stored_files(name: str) -> tuple[list[str], str, list[bytes]]:
    """Return the names of the files in a folder of the store, its table's name, and the table's content."""
    folder = store_folders.StoreFolder(name)
    table = folder.table()
    return folder.names, table, [folder.read(table)] if table else []


def _announced(listing: bytes) -> list[tuple[str, int]]:
    """Return path and bytes of the files that the script will send; it adds when each was changed."""
    try:
        announced = client_input.json_value(listing)
        files = [(path, size) for path, size, _changed in announced]
    except (ValueError, TypeError):
        files = []
    if not files or not all(isinstance(path, str) and type(size) is int and size >= 0 for path, size in files):
        raise Invalid(_("The request could not be read."))
    return files


def _name(files: list[tuple[str, int]]) -> str:
    """Return a name for several files: that of the folder they are in, or of the first one."""
    folders = {path.split("/")[0] for path, _size in files if "/" in path}
    [*others, name] = sorted(folders) or [files[0][0]]
    return name if not others else f"{others[0]} …"
