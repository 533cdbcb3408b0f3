from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RatersConfig(AppConfig):
    name = "raters"

    def ready(self) -> None:
        self.join_jobs()
        self.join_server()
        self.join_sources()
        self.join_studies()

    def join_jobs(self) -> None:
        """Register the hooks by which lower packages call higher ones."""
        from raters.experts import overviews, queue_filling
        from raters.payments import overview, payment_lists, reconciling
        from raters.rating import hooks, worth_a_look
        from raters.sessions import balance, rechecks
        from studies.summaries import services as summaries

        hooks.between_batches.register(rechecks.begin)
        hooks.newly_usable.register(queue_filling.take_up_new)
        for kind in (overviews.REVIEWS, overviews.CODES, balance.BALANCE, overview.OVERVIEW, worth_a_look.LISTED):
            summaries.kinds.register(kind)
        hooks.minutes_told.register(reconciling.minutes_told)
        hooks.pay_settled.register(payment_lists.is_settled)

    def join_server(self) -> None:
        """Register this app's periodic chores, diagnoses and stored files with the server."""
        from core import hooks
        from raters.experts import queue_filling, review_flags
        from raters.payments import platform_studies
        from raters.pilots import services as pilots
        from raters.previews import copies, dry_runs
        from raters.privacy import erasing, ledger, retention
        from raters.rating import batches, monitor
        from raters.rating.rules import codes
        from raters.sources import signatures

        hooks.table_diagnoses.register(hooks.Diagnosis("raters", monitor.examine))
        for chore in (
            batches.expire_idle,
            queue_filling.fill_due,
            review_flags.compare_all,
            signatures.refresh_old,
            platform_studies.queue_due,
            retention.delete_due_ids,
            copies.end_old,
            dry_runs.delete_outdated,
            pilots.end_full,
        ):
            hooks.chores.register(chore)
        hooks.declared_words.register(codes.words)
        hooks.after_restore.register(erasing.erase_again)
        hooks.stored_files.register(ledger.stored_files)

    def join_sources(self) -> None:
        """Offer the crowd sources to studies, and add the payment platforms to the system's diagnoses."""
        from core import hooks
        from raters import sources
        from studies import hooks as study_hooks

        for source in sources.offered():
            study_hooks.crowd_sources.register(
                study_hooks.CrowdSource(
                    source.name,
                    source.label,
                    source.codes,
                    source.fee_percent,
                    return_url=source.return_url,
                    pays=source.payment_platform is not None,
                    knows_people=not source.by_browser,
                    is_closed=source.is_closed,
                )
            )
        for platform in sources.payment_platforms().values():
            hooks.diagnoses.register(hooks.Diagnosis(platform.name, platform.examine))

    def join_studies(self) -> None:
        """Add this app's launch checks, links and panels to study pages."""
        from raters.people import links
        from raters.previews import dry_run_views
        from raters.sessions import balance, launch_checks
        from studies import hooks
        from studies.rules.roles import Capability

        scores, payments = Capability.SEE_SCORES, Capability.SEE_PAYMENTS
        for check in launch_checks.CHECKS:
            hooks.launch_checks.register(check)
        hooks.study_panels.register(
            hooks.StudyPanel(
                _("Dry run"),
                dry_run_views.panel,
                order=40,
                of_draft=True,
                is_used=dry_run_views.has_run,
                purpose=_("A program answers as raters would, to test the study and its results."),
            )
        )
        hooks.study_panels.register(hooks.StudyPanel(_("The raters’ link"), links.panel, order=10, of_launched=True))
        hooks.study_panels.register(hooks.StudyPanel(_("Participants"), balance.panel, order=30, of_launched=True))
        hooks.study_actions.register(
            hooks.StudyLink(_("Preview as a rater"), "previews:start", needs=Capability.SEE_STUDY)
        )
        hooks.study_links.register(
            hooks.StudyLink(
                _("Expert review"), "experts:review_overview", needs=scores, order=200, tab="results", settings="review"
            )
        )
        hooks.study_links.register(
            hooks.StudyLink(
                _("Codes in reasons"),
                "experts:coding_overview",
                needs=scores,
                order=210,
                tab="results",
                settings="coding",
            )
        )
        hooks.study_links.register(hooks.StudyLink(_("Payments"), "paying:overview", needs=payments, order=220))
