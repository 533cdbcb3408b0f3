"""Receive an archive of clips from a browser in parts: in the bucket if there is one, else on this server."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.uploads import queries as uploads_queries
from accounts.uploads import services as uploads_services
from core import rng
from core.errors import Conflict, Invalid, NotFound
from core.files import storage, stores
from studies.clips.models import ClipUpload
from studies.definition.models import Study

if TYPE_CHECKING:
    from accounts.users.models import User

# Signed addresses in one response; they are valid for an hour.
AT_ONCE = 20


def upload(*, study_id: int, owner_id: int, key: str) -> ClipUpload:
    """Return this person's upload to this study; raises `NotFound`."""
    rows = ClipUpload.objects.select_related("parts")
    result = rows.filter(study_id=study_id, owner_id=owner_id, key=key).first()
    if result is None:
        raise NotFound(_("There is no such upload."))
    return result


def bucket_of_browsers() -> str:
    """Return the name of the store that browsers send parts to; empty if that is this server."""
    name, first = next(iter(stores.members().items()))
    return name if settings.S3_PUBLIC_ENDPOINT and hasattr(first, "begin_parts") else ""


def origin() -> str:
    """Return the origin that browsers send parts to; empty if that is this server."""
    parts = urlsplit(settings.S3_PUBLIC_ENDPOINT)
    return f"{parts.scheme}://{parts.netloc}" if bucket_of_browsers() else ""


def store_of(row: ClipUpload) -> Any:
    """Return the bucket of an upload; None if the settings no longer contain it."""
    return stores.members().get(row.store)


def missing(row: ClipUpload) -> list[int]:
    """Return the numbers of the parts that are missing or have the wrong size."""
    if row.file:
        return []
    if row.parts is not None:
        return uploads_queries.missing(row.parts)
    store = store_of(row)
    sizes = {number: size for number, (size, _tag) in store.parts(row.target, row.multipart).items()} if store else {}
    if not sizes and is_joined(row):
        return []
    return [number for number in range(1, row.part_count + 1) if sizes.get(number) != row.size_of(number)]


def is_joined(row: ClipUpload) -> bool:
    """Return whether the bucket has already joined the parts, although its answer was lost."""
    store = store_of(row)
    try:
        return bool(row.multipart and store and store.size(row.target) == row.bytes)
    except FileNotFoundError:
        return False


def state(row: ClipUpload) -> dict[str, Any]:
    """Return the state for the page's script: how many parts were received, and where to send the next ones."""
    lacking = missing(row)
    return {
        "key": row.key,
        "bytes": row.bytes,
        "part_bytes": row.part_bytes,
        "parts": row.part_count,
        "missing": len(lacking),
        "is_whole": bool(row.file),
        "is_direct": bool(row.multipart),
        "next": [{"number": number, "url": _address(row, number)} for number in lacking[:AT_ONCE]],
    }


def _address(row: ClipUpload, number: int) -> str:
    if not row.multipart:
        return reverse("studies:upload_part", args=[row.study.slug, row.key, number])
    address: str = store_of(row).part_address(
        row.target, row.multipart, number, row.size_of(number), settings.S3_PUBLIC_ENDPOINT
    )
    return address


MIB = 1 << 20
PART_BYTES = uploads_services.PART_BYTES
# No bucket takes more parts than this for one object.
MOST_PARTS = 10_000
LIFETIME = timedelta(hours=24)


def begin(*, study: Study, owner: User, name: str, size: int, now: datetime) -> ClipUpload:
    """Start the upload of an archive; raise `Invalid` if it is too large, `Conflict` if too many are in progress."""
    if not 0 < size <= settings.UPLOAD_LIMIT_MB * MIB:
        text = _("Send an archive of at most {limit} MB.").format(limit=settings.UPLOAD_LIMIT_MB)
        raise Invalid(text, {"bytes": text})
    if study.state == Study.State.CLOSED:
        raise Invalid(_("The study is closed. Reopen it before you add clips."))
    about: dict[str, Any] = {"study": study, "owner": owner, "name": name[-255:], "bytes": size, "created_at": now}
    store = bucket_of_browsers()
    if not store:
        with transaction.atomic():
            whole = uploads_services.begin(owner=owner, name=name[-255:], size=size, sha256="", now=now)
            return ClipUpload.objects.create(key=rng.token(), part_bytes=whole.part_bytes, parts=whole, **about)
    if ClipUpload.objects.filter(owner=owner, file="").exclude(multipart="").count() >= uploads_services.AT_ONCE:
        words = _("{number} uploads are in progress. Delete those that you no longer need.").format(
            number=uploads_services.AT_ONCE
        )
        raise Conflict(words, code="too_many_uploads")
    bucket: Any = stores.members()[store]
    target = storage.opaque("uploads")
    multipart = bucket.begin_parts(target)
    try:
        return ClipUpload.objects.create(
            key=rng.token(),
            part_bytes=max(PART_BYTES, -(-size // MOST_PARTS)),
            store=store,
            target=target,
            multipart=multipart,
            **about,
        )
    except BaseException:
        bucket.drop_parts(target, multipart)
        raise


def put_part(*, upload: ClipUpload, number: int, content: bytes) -> None:
    """Store a part that was sent to this server; a part that is sent again replaces the earlier one."""
    if upload.parts is None:
        raise Conflict(_("This upload goes directly to the store."), code="direct")
    uploads_services.put_part(upload=upload.parts, number=number, content=content)


def finish(*, upload: ClipUpload) -> None:
    """Join the parts into one file; raise `Conflict` if some are missing or have the wrong size. May be repeated."""
    if upload.file:
        return
    if lacking := missing(upload):
        raise Conflict(_("Parts of the upload are missing."), code="upload_incomplete", missing=lacking[:20])
    file = _joined_in_bucket(upload) if upload.multipart else _joined_here(upload)
    if not ClipUpload.objects.filter(pk=upload.pk, file="").update(file=file, parts=None, multipart=""):
        # Another request finished or discarded it at the same moment.
        # In a bucket, an import may already use the file under this name.
        if file != upload.target and not ClipUpload.objects.filter(pk=upload.pk, file=file).exists():
            storage.discard(file)
        return
    stored_parts, upload.file, upload.parts, upload.multipart = upload.parts, file, None, ""
    if stored_parts is not None:
        uploads_services.discard(upload=stored_parts)


def take(*, upload: ClipUpload) -> str:
    """Return the complete file to the first caller, and delete the upload; raise `Conflict` if it isn't complete."""
    with transaction.atomic():
        row = ClipUpload.objects.select_for_update(no_key=True).filter(pk=upload.pk).exclude(file="").first()
        if row is None:
            raise Conflict(_("The upload is not complete. Send the archive again."), code="upload_incomplete")
        row.delete()
    return row.file


def discard(*, upload: ClipUpload) -> None:
    """Discard an upload with its files."""
    row = ClipUpload.objects.select_related("parts").filter(pk=upload.pk).first()
    if row is None:
        return
    if row.multipart and (holder := store_of(row)) is not None:
        holder.drop_parts(row.target, row.multipart)
    # If it was taken meanwhile, the file belongs to an import.
    if not ClipUpload.objects.filter(pk=row.pk).delete()[0]:
        return
    for name in {row.file, row.target}:
        storage.discard(name)
    if row.parts is not None:
        uploads_services.discard(upload=row.parts)


def discard_old(*, now: datetime) -> None:
    """Discard uploads that were not finished within a day."""
    for row in ClipUpload.objects.filter(created_at__lt=now - LIFETIME)[:20]:
        discard(upload=row)


def _joined_here(upload: ClipUpload) -> str:
    if upload.parts is None:
        raise Conflict(_("The upload was discarded. Send the archive again."), code="upload_incomplete")
    with uploads_queries.assembled(upload.parts) as whole:
        return storage.put("uploads", whole)


def _joined_in_bucket(upload: ClipUpload) -> str:
    bucket = store_of(upload)
    if bucket is None:
        raise Conflict(_("The store has changed. Send the archive again."), code="upload_incomplete")
    if is_joined(upload):
        return upload.target
    received: Mapping[int, tuple[int, str]] = bucket.parts(upload.target, upload.multipart)
    size = bucket.finish_parts(
        upload.target, upload.multipart, {number: tag for number, (_size, tag) in received.items()}
    )
    if size != upload.bytes:
        discard(upload=upload)
        raise Conflict(_("The archive has another size than announced. Send it again."), code="upload_damaged")
    return upload.target
