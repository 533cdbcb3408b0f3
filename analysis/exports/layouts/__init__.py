"""Usable scores in the files and columns of other tools; docs/exports.md has the source of each format."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from analysis.exports.columns import ExportTable
from analysis.exports.layouts import audiofolder, p808, somos, voicemos, webmushra
from analysis.exports.models import Layout
from analysis.exports.source import Source

LAYOUTS: Mapping[str, Callable[[Source], list[ExportTable]]] = {
    Layout.VOICEMOS: voicemos.tables,
    Layout.SOMOS: somos.tables,
    Layout.WEBMUSHRA: webmushra.tables,
    Layout.P808: p808.tables,
    Layout.AUDIOFOLDER: audiofolder.tables,
}
