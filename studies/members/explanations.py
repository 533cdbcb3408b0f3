"""A sentence about each role, for the pages that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from studies.rules.roles import Role

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as Words

EXPLANATIONS: Final[dict[Role, Words]] = {
    Role.OWNER: _("Does everything: also closes the study, pays, manages members and hands the study over."),
    Role.EDITOR: _(
        "Changes settings and clips, launches and pauses, works with experts, results and exports. "
        "Sees payments, but doesn’t decide on them."
    ),
    Role.VIEWER: _(
        "Sees settings, clips, progress, answers and results. Changes nothing, and never sees platform IDs."
    ),
    Role.BLINDED: _("Works like an editor, but sees no answers or scores until the study is closed."),
    Role.PAYER: _("Sees and makes payments, with platform IDs. Sees no settings, answers or scores."),
}
