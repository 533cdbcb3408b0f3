"""What the contracts of import-linter leave out: they don't see imports for types."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

APPS = ("core", "accounts", "studies", "raters", "analysis", "judge", "workspace", "demo", "config", "launcher")


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph(*APPS, exclude_type_checking_imports=False, cache_dir=None)


@pytest.mark.parametrize("app", APPS)
def test_no_modules_of_an_app_import_one_another_in_a_circle_not_even_for_types(
    imports: grimp.ImportGraph, app: str
) -> None:
    modules = {app, *imports.find_descendants(app)}
    # A package of plug-ins may name itself to list them.
    order = {module: (imports.find_modules_directly_imported_by(module) & modules) - {module} for module in modules}
    try:
        TopologicalSorter(order).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))
