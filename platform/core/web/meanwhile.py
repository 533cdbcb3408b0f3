"""Forms that don't overwrite what another person saved while they were open."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    Base = forms.BaseForm
else:
    Base = object


class MeanwhileMixin(Base):
    """Compare three values of each field: shown, stored now and sent. Its `initial` must be the stored values.

    The page sends `seen` back in a hidden input. What only another person changed stays as they saved it; what both
    changed is a problem that names their value. Sending the form again then keeps the sender's own.
    """

    @property
    def seen(self) -> str:
        """Fingerprints of the stored values by field, as JSON."""
        return json.dumps({name: _fingerprint(self._stored(name)) for name in self.fields})

    def clean(self) -> dict[str, Any]:
        """Keep what only others changed, and refuse what both changed."""
        super().clean()
        for name, fingerprint in _parsed(self.data.get("seen", "")).items():
            if name not in self.cleaned_data or _fingerprint(self._stored(name)) == fingerprint:
                continue
            sent = _fingerprint(self.cleaned_data[name])
            if sent == fingerprint:
                self.cleaned_data[name] = self._stored(name)
            elif sent != _fingerprint(self._stored(name)):
                text = _(
                    "Another person saved this meanwhile: “{value}”. Save again to keep yours, or copy theirs first."
                )
                self.add_error(name, text.format(value=_text(self._stored(name))))
        return self.cleaned_data

    def _stored(self, name: str) -> Any:
        return self.get_initial_for_field(self.fields[name], name)


def _parsed(seen: str) -> dict[str, str]:
    try:
        values = json.loads(seen)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def _text(value: Any) -> str:
    lines = "\n".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value or "")
    return lines.replace("\r\n", "\n").strip()


def _fingerprint(value: Any) -> str:
    return hashlib.sha256(_text(value).encode()).hexdigest()[:12]
