"""Delete a study with its pilots and previews: every row that refers to them, then their own files.

Who may, and what must be finished before, is in `raters.deletion`.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.api import creations
from core import hooks
from core.database.references import delete_with_references
from core.errors import Conflict
from studies.clips.stored import discard_unnamed, root_of
from studies.definition.models import Study
from studies.launch import states


def lock(study: Study) -> list[int]:
    """Lock a study that may be deleted; return its key, and those of its pilots and previews. Raises `Conflict`."""
    if study.pilot_of_id is not None:
        raise Conflict(_("Delete the pilot on the overview of its study."), code="is_pilot")
    states.lock(study)
    otherwise = _("Only a draft or a closed study can be deleted. Close the study first.")
    states.expect(study, states.State.DRAFT, states.State.CLOSED, otherwise=otherwise)
    family = Study.with_previews.filter(Q(pk=study.pk) | Q(pilot_of=study) | Q(preview_of=study))
    return list(family.values_list("pk", flat=True))


def delete(study: Study, keys: Collection[int]) -> None:
    """Delete these rows of `lock`, inside the caller's transaction; then the files that no other study needs."""
    root, names = root_of(study), [file.name for key in keys for file in hooks.named_files(key)]
    delete_with_references(Study, keys)
    creations.forget_made(study.slug)
    transaction.on_commit(lambda: discard_unnamed(names, root=root))
