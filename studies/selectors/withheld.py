"""What of a study's material is not published: texts and audio of systems that nobody may look into (rule D11)."""

from __future__ import annotations

from studies.models import Clip

BLACK = "black"


def texts(study_id: int) -> frozenset[str]:
    """Return the names of the texts that some black-box clip says, whoever else says them."""
    rows = Clip.objects.filter(study_id=study_id, box=BLACK, text__isnull=False)
    return frozenset(rows.values_list("text__name", flat=True).distinct())
