"""Write and restore backups: the rows of every table at one moment, and every stored file, in one file.

The file is a TAR archive that any PostgreSQL or SQLite database and any store can be filled from: `tables/NAME.jsonl`,
one JSON list a row, `files/NAME`, and at its end `manifest.json` with the rows' number and the SHA-256 of each part.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

from core.database.paging import paged
from core.errors import Invalid
from core.operations.starting import missing_migrations
from core.paths import PROGRAM

FORMAT = 1
CHUNK = 2000
# Sessions, and rows that a running server creates by itself.
LEFT_OUT = {"sessions.session", "core.count"}
# Folder of the erasure list, with which restored data are compared.
ERASURES = "erasures"
Say = Callable[[str], object]
Parts = dict[str, tarfile.TarInfo]


def tables() -> list[type[models.Model]]:
    """Return every table that a backup contains, join tables included."""
    managed = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    return [model for model in managed if model._meta.label_lower not in LEFT_OUT and not model._meta.proxy]


def write(path: Path, *, version: str, now: datetime, say: Say) -> dict[str, Any]:
    """Write a backup while the server runs, and return the manifest; never overwrite a file."""
    manifest: dict[str, Any] = {"format": FORMAT, "version": version, "at": now.isoformat(), "tables": {}, "files": {}}
    # Its owner's alone from the first byte: it holds what people wrote.
    with (
        os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target,
        tarfile.open(fileobj=target, mode="w") as archive,
    ):
        with snapshot():
            manifest["migrations"] = applied()
            for model in tables():
                with tempfile.TemporaryFile() as file:
                    rows, digest = dump(model, file)
                    add(archive, f"tables/{model._meta.label_lower}.jsonl", file)
                manifest["tables"][model._meta.label_lower] = {
                    "columns": [field.attname for field in columns(model)], "rows": rows, "sha256": digest,
                }  # fmt: skip
        say(f"{sum(table['rows'] for table in manifest['tables'].values())} rows of {len(manifest['tables'])} tables")
        for number, name in enumerate(stored(), 1):
            try:
                source = default_storage.open(name, "rb")
            except FileNotFoundError:
                # Deleted since it was listed, as old exports are: no row needs it.
                continue
            with source as file, tempfile.TemporaryFile() as copy:
                manifest["files"][name] = {"sha256": copied(file, copy), "bytes": copy.tell()}
                add(archive, f"files/{name}", copy)
            if number % 200 == 0:
                say(f"{number} files")
        say(f"{len(manifest['files'])} files")
        add(archive, "manifest.json", io.BytesIO(json.dumps(manifest, indent=1).encode()))
    return manifest


def read(path: Path, *, say: Say) -> dict[str, Any]:
    """Fill an empty database and store from a backup, completely or not at all, and return the manifest.

    Raises `Invalid` when a hash differs, the release differs, or somebody's data are here already.
    """
    with tarfile.open(path) as archive:
        parts = {part.name: part for part in archive}
        manifest = checked(archive, parts, say)
        placed: list[str] = []
        try:
            for name in manifest["files"]:
                content = archive.extractfile(parts[f"files/{name}"])
                assert content is not None
                if default_storage.exists(name) and is_of_list(name):
                    continue
                if default_storage.exists(name):
                    raise Invalid(f"The store has a file {name} already; restore into an empty one.")
                placed.append(default_storage.save(name, File(content)))
            with transaction.atomic():
                fill(archive, parts, manifest)
        except BaseException:
            for name in placed:
                default_storage.delete(name)
            raise
    say(f"{sum(table['rows'] for table in manifest['tables'].values())} rows and {len(manifest['files'])} files")
    return manifest


def is_of_list(name: str) -> bool:
    """Return whether a file belongs to the list of erasures, which outlives the database."""
    return name.startswith(f"{ERASURES}/")


def take_list(path: Path) -> int:
    """Add the erasures that another backup knows of, even a damaged one, to this server's list; return how many."""
    added = 0
    with tarfile.open(path) as archive:
        for part in archive:
            name = part.name.removeprefix("files/")
            if part.isfile() and is_of_list(name) and not default_storage.exists(name):
                content = archive.extractfile(part)
                assert content is not None
                default_storage.save(name, File(content))
                added += 1
    return added


def checked(archive: tarfile.TarFile, parts: Parts, say: Say) -> dict[str, Any]:
    """Return the manifest once every part has the hash that it names, and this database can take it."""
    try:
        manifest: dict[str, Any] = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]
    except KeyError as error:
        raise Invalid("There is no manifest.json in it: the backup was cut off, or it is another file.") from error
    if missing := missing_migrations():
        raise Invalid(
            f"The tables are missing: {missing} migrations of this release are not applied to the database. "
            f"Run '{PROGRAM} manage migrate' first, then restore again."
        )
    if manifest["format"] != FORMAT or manifest["migrations"] != applied():
        raise Invalid(f"It was made by Earshot {manifest['version']}, with other tables; restore it there.")
    wanted = {f"tables/{name}.jsonl": table["sha256"] for name, table in manifest["tables"].items()}
    wanted |= {f"files/{name}": file["sha256"] for name, file in manifest["files"].items()}
    for name, digest in wanted.items():
        part = archive.extractfile(parts[name]) if name in parts else None
        if part is None or copied(part, None) != digest:
            raise Invalid(f"{name} has another hash than when it was written: the backup is damaged.")
    say(f"{len(wanted)} parts have the expected hashes")
    held = [model._meta.verbose_name_plural for model in tables() if is_in_use(model)]
    if held:
        raise Invalid(f"This database has {', '.join(map(str, held))} already; restore into an empty one.")
    return manifest


def is_in_use(model: type[models.Model]) -> bool:
    """True if a table has rows that no migration made."""
    return model._meta.app_label in {"studies", "raters", "analysis", "judge"} and model._base_manager.exists()


def fill(archive: tarfile.TarFile, parts: Parts, manifest: dict[str, Any]) -> None:
    """Replace the rows that migrations made; check foreign keys at the end."""
    models_by_name = {model._meta.label_lower: model for model in tables()}
    with connection.constraint_checks_disabled():
        for model in reversed(list(models_by_name.values())):
            model._base_manager.all()._raw_delete(using=connection.alias)
        for name, table in manifest["tables"].items():
            part = archive.extractfile(parts[f"tables/{name}.jsonl"])
            assert part is not None
            load(models_by_name[name], table["columns"], part)
            if models_by_name[name]._base_manager.count() != table["rows"]:
                raise Invalid(f"{name} does not have the {table['rows']} rows that the backup lists.")
    connection.check_constraints()
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(models_by_name.values())):
            cursor.execute(statement)


@contextmanager
def snapshot() -> Iterator[None]:
    """Read the tables as they are now, whatever others write meanwhile, and without blocking them."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    with connection.cursor() as cursor:
        # Django's transactions on SQLite take the write lock at once.
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def dump(model: type[models.Model], file: IO[bytes]) -> tuple[int, str]:
    """Write a table's rows, in the order of their keys; return how many, and their hash."""
    digest, count = hashlib.sha256(), 0
    names = [field.attname for field in columns(model)]
    for row in paged(model._base_manager.values("pk", *names), "pk"):
        values = [row[name] for name in names]
        line = json.dumps(values, default=plain, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        digest.update(line)
        file.write(line)
        count += 1
    return count, digest.hexdigest()


def load(model: type[models.Model], names: list[str], lines: IO[bytes]) -> None:
    """Insert a table's rows as they were, without the side effects of saving them."""
    fields = {field.attname: field for field in columns(model)}

    def rows() -> Iterator[models.Model]:
        for line in lines:
            values = zip(names, json.loads(line), strict=True)
            yield model(**{name: revived(fields[name], value) for name, value in values})

    batch: list[models.Model] = []
    for row in rows():
        batch.append(row)
        if len(batch) == CHUNK:
            model._base_manager.bulk_create(batch)
            batch = []
    model._base_manager.bulk_create(batch)


def columns(model: type[models.Model]) -> list[Any]:
    """Return the fields that are columns of the table."""
    return [field for field in model._meta.concrete_fields if not getattr(field, "generated", False)]


def plain(value: object) -> object:
    """Return a value as JSON has it, without losing a microsecond."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    return str(value)


def revived(field: Any, value: Any) -> Any:
    """Return what `plain` made of a value as the field wants it."""
    if value is None or isinstance(field, models.JSONField):
        return value
    if isinstance(field, models.BinaryField):
        return base64.b64decode(value)
    target = field.target_field if field.is_relation else field
    return target.to_python(value)


def applied() -> list[list[str]]:
    """Return which migrations made the tables."""
    return sorted([app, name] for app, name in MigrationRecorder(connection).applied_migrations())


def stored(folder: str = "") -> Iterator[str]:
    """Yield the name of every stored file."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}{name}" for name in sorted(files) if name)
    for name in sorted(folders):
        if f"{folder}{name}" != "health":
            yield from stored(f"{folder}{name}/")


def copied(source: Any, target: IO[bytes] | None) -> str:
    """Copy to `target`, if there is one, and return the hash."""
    digest = hashlib.sha256()
    while block := source.read(1 << 20):
        digest.update(block)
        if target is not None:
            target.write(block)
    return digest.hexdigest()


def add(archive: tarfile.TarFile, name: str, content: IO[bytes]) -> None:
    """Add a file to the archive."""
    part = tarfile.TarInfo(name)
    part.size, part.mode = content.seek(0, io.SEEK_END), 0o600
    content.seek(0)
    archive.addfile(part, content)
