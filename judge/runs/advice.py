"""Advice on clips that could not be scored, and explanations of warnings."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

OTHER = _("Try again with a new run; when it fails again, listen to the clip.")
AGAIN = _("Export the clip again from its source, and import it under a new name.")
ADVICE = {
    "undecodable": _("The judge takes WAV, FLAC, AIFF, Ogg and MP3. Export the clip as one of them."),
    "too_short": _("The model needs a tenth of a second. Such a clip tells raters little, too."),
    "too_long": _(
        "The model hears 30 seconds. Raters can still hear the clip; its system is judged by its other clips."
    ),
    "silent": _("There is nothing to hear in it. Withdraw the clip, or export it again."),
    "non_finite": AGAIN,
    "unsupported_layout": _("One or two channels at 4 to 192 kHz are taken. Export the clip with fewer channels."),
    "corrupt": AGAIN,
    "too_large": _("The judge takes smaller files. Export the clip as FLAC, or raise --max-mb there."),
    "failed": _("The judge itself fails on this clip. Start a new run; its log says more."),
    "out_of_memory": _("The device is too small for this clip. Start a new run when it has less to do."),
    "timed_out": _("The judge answered others and not this one. Start a new run when it has less to do."),
    "missing": _("The file is missing from the store. Check for a full disk or an emptied bucket."),
}
WARNINGS = {
    "language": _("The profile isn’t made for the clip’s language."),
    "low_label_mass": _(
        "The judge mostly wanted to say something else than the labels: wrong prompt, profile or adapter."
    ),
    "beyond_full_scale": _("Samples go beyond full scale; they were left as they are."),
    "narrowband": _("Below 16 kHz: the upper part of the spectrum is empty, which a judge may take for a machine’s."),
    "downmixed": _("Two channels were averaged into one."),
    "length_unknown": _("The file doesn’t say how long it is, so a cut can’t be seen."),
    "trailing_bytes": _("More follows the sound than the file accounts for."),
}
