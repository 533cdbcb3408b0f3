"""An S3 bucket whose errors are those of files: a file that is missing, or a store that does not answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from threading import BoundedSemaphore
from typing import Any, NamedTuple

from boto3.s3.transfer import TransferConfig  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from django.conf import settings
from s3transfer.exceptions import RetriesExceededError  # type: ignore[import-untyped]
from storages.backends.s3 import S3Storage

from core.errors import StoreAway
from core.files.stores import FileEntry

# A rater's page waits for this, so a slow store must fail soon.
WAIT_TO_CONNECT, WAIT_TO_READ = 3, 20
HOUR = 3600
# At most half of a process's threads wait for a store, so that a hanging store doesn't stop pages that need none; other
# requests get 503. Seconds to wait for a turn; a working store takes less.
TURNS, TURN = BoundedSemaphore(max(2, settings.WEB_THREADS // 2)), 0.25
MISSING = {"404", "NoSuchKey", "NotFound", "NoSuchUpload"}


def config(**options: Any) -> Any:
    """Return how every client of a bucket behaves."""
    return Config(
        signature_version="s3v4",
        connect_timeout=WAIT_TO_CONNECT,
        read_timeout=WAIT_TO_READ,
        retries={"max_attempts": 2, "mode": "standard"},
        # Some stores don't support the newer checksums; we have our own hashes.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        **options,
    )


class S3(S3Storage):  # type: ignore[misc]  # django-storages has no types
    """The bucket of django-storages, but it fetches a file when it is opened, and with short timeouts."""

    def __init__(self, **options: Any) -> None:
        style = options.get("addressing_style", "path")
        ours = {
            "client_config": config(s3={"addressing_style": style}),
            "transfer_config": TransferConfig(num_download_attempts=2),
        }
        super().__init__(**{**ours, **options})
        self._signing: tuple[str, Any] | None = None

    def _open(self, name: str, mode: str = "rb") -> Any:
        with answering(name):
            file = super()._open(name, mode)
            if "r" in mode:
                # Now, not at the first read: an opened file must be complete.
                file.open()
        return file

    def _save(self, name: str, content: Any) -> str:
        with answering(name):
            return str(super()._save(name, content))

    def exists(self, name: str) -> bool:
        with answering(name):
            return bool(super().exists(name))

    def delete(self, name: str) -> None:
        with answering(name):
            super().delete(name)

    def size(self, name: str) -> int:
        with answering(name):
            return int(super().size(name))

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with answering(name):
            folders, files = super().listdir(name)
        return folders, files

    def everything(self) -> Iterator[FileEntry]:
        """Yield every object: one request for a thousand of them."""
        with answering(""):
            for entry in self.bucket.objects.all():
                at: datetime = entry.last_modified
                yield FileEntry(entry.key, entry.size, at)

    def unfinished(self) -> Iterator[Unfinished]:
        """Yield multipart uploads that the bucket still waits for."""
        with answering(""):
            for page in self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self.bucket_name):
                for upload in page.get("Uploads", ()):
                    yield Unfinished(self, upload["Key"], upload["UploadId"], upload["Initiated"])

    def begin_parts(self, name: str) -> str:
        """Start a multipart upload and return its id in the bucket."""
        parameters = {"Bucket": self.bucket_name, "Key": name, **self.object_parameters}
        with answering(name):
            return str(self._client.create_multipart_upload(**parameters)["UploadId"])

    def part_address(self, name: str, upload: str, number: int, size: int, endpoint: str) -> str:
        """Return a signed URL for uploading this one part, of exactly this size, within an hour."""
        part = {
            "Bucket": self.bucket_name,
            "Key": name,
            "UploadId": upload,
            "PartNumber": number,
            "ContentLength": size,
        }
        return str(self._outside(endpoint).generate_presigned_url("upload_part", part, ExpiresIn=HOUR))

    def parts(self, name: str, upload: str) -> dict[int, tuple[int, str]]:
        """Return {number: (bytes, tag)} of the uploaded parts; empty when the bucket no longer has the upload."""
        pages = self._client.get_paginator("list_parts").paginate(Bucket=self.bucket_name, Key=name, UploadId=upload)
        with suppress(FileNotFoundError), answering(name):
            return {
                part["PartNumber"]: (part["Size"], part["ETag"]) for page in pages for part in page.get("Parts", ())
            }
        return {}

    def finish_parts(self, name: str, upload: str, tags: dict[int, str]) -> int:
        """Make one object of the parts, and return how many bytes it has."""
        listed = [{"PartNumber": number, "ETag": tag} for number, tag in sorted(tags.items())]
        where = {"Bucket": self.bucket_name, "Key": name}
        with answering(name):
            self._client.complete_multipart_upload(**where, UploadId=upload, MultipartUpload={"Parts": listed})
            return int(self._client.head_object(**where)["ContentLength"])

    def drop_parts(self, name: str, upload: str) -> None:
        """Abort an upload and delete its parts."""
        with suppress(FileNotFoundError), answering(name):
            self._client.abort_multipart_upload(Bucket=self.bucket_name, Key=name, UploadId=upload)

    @property
    def _client(self) -> Any:
        return self.connection.meta.client

    def _outside(self, endpoint: str) -> Any:
        """Return a client that signs URLs with the address that browsers use; it sends nothing itself."""
        if self._signing is None or self._signing[0] != endpoint:
            options = {"region_name": self.region_name, "config": self.client_config}
            self._signing = endpoint, self._create_session().client("s3", endpoint_url=endpoint, **options)
        return self._signing[1]


@contextmanager
def answering(name: str) -> Iterator[None]:
    """Wait for a turn, and turn the errors of a bucket into `FileNotFoundError`, or `StoreAway` for everything else."""
    if not TURNS.acquire(timeout=TURN):
        raise StoreAway("Too many requests wait for the store.")
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] in MISSING:
            raise FileNotFoundError(name) from error
        raise StoreAway(str(error)) from error
    # A stall in the middle of an object raises none of botocore's own errors.
    except (BotoCoreError, RetriesExceededError) as error:
        raise StoreAway(str(error)) from error
    finally:
        TURNS.release()


class Unfinished(NamedTuple):
    """A multipart upload that was never completed."""

    store: S3
    name: str
    upload: str
    at: datetime
    # 0: unknown, as it would need a request for each part.
    bytes: int = 0

    def discard(self) -> None:
        self.store.drop_parts(self.name, self.upload)
