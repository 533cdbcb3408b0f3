"""What the walks over every page share: addresses that are no pages, and a look at the page of every first check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from raters.models import CheckResult

if TYPE_CHECKING:
    from tests.browser.looking import Walk

NOT_PAGES = {
    "healthz": "for machines",
    "raters:current": "JSON",
    "raters:played": "JSON",
    "raters:failed": "JSON",
    "raters:answers": "JSON",
    "raters:audio": "audio",
    "raters:check_sound": "audio",
    "raters:rate": "leads on",
    "analysis:figures": "a part of the study's page",
    "workspace:live_figures": "a part of the study's page",
    "workspace:raise_ratings": "leads on",
    "workspace:start_pilot": "leads on",
    "workspace:end_pilot": "leads on",
    "workspace:delete_pilot": "leads on",
    "workspace:archive": "leads on",
    "workspace:delete": "leads on",
    "analysis:dry_run_results": "looked at in test_preview",
    "studies:design_save": "JSON",
    "studies:design_estimate": "JSON",
    "analysis:export_download": "a file",
    "analysis:analysis_again": "leads on",
    "analysis:analysis_json": "a file",
    "analysis:look_json": "a file",
    "analysis:analysis_plot": "a picture",
    "analysis:report_html": "a file",
    "analysis:report_pdf": "a file",
    "analysis:report_tables": "a file",
    "livez": "for machines",
    "raters:proxy_check": "for the doctor",
    "metrics": "for machines",
    "styleguide": "for developers",
    "sign_in": "looked at with the admin",
    "workspace:delete_preset": "leads on",
    "readyz": "for machines",
    "analysis:machines_against": "a part of the page of machines",
    "analysis:machines_dnsmos_progress": "a part of the page of machines",
    "analysis:machines_dnsmos": "leads on",
    "analysis:machines_second_look": "leads on",
    "analysis:machines_import": "the page of machines again",
    "analysis:machines_figures": "a file",
    "analysis:machines_clips": "a file",
}


def look_at_checks(walk: Walk) -> None:
    """Look at the page of every check, and at what it says of a form that was sent empty."""
    page = walk.page
    page.wait_for_url("**/check/")
    while page.url.endswith("/check/"):
        walk.look("raters:check")
        result = CheckResult.objects.get(passed=None)
        if result.name != "volume":
            page.locator("form[method=post]").last.evaluate("form => form.submit()")
            expect(page.locator(".problem:visible").or_(page.locator("#status:has-text(' ')")).first).to_be_visible()
            walk.look("raters:check")
        if result.name == "training":
            result.answers, result.telling = [[{"right": True, "human": True}]], True
            result.save()
            page.reload()
            walk.look("raters:check")
        CheckResult.objects.filter(pk=result.pk).update(passed=True)
        page.goto(page.url)
