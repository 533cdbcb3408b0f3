from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StudiesConfig(AppConfig):
    name = "studies"

    def ready(self) -> None:
        from core import hooks as core_hooks
        from studies import hooks
        from studies.audit import before_launch as audit_before_launch
        from studies.audit import measuring, overview, previewing
        from studies.clips import figures as clip_figures
        from studies.clips import passages
        from studies.clips import queries as clips_queries
        from studies.corpus import before_launch as corpus_before_launch
        from studies.corpus import queries as corpus_queries
        from studies.corpus import words as corpus_words
        from studies.drafting import queries as drafting_queries
        from studies.drafting import targets
        from studies.drafting import words as drafting_words
        from studies.imports import requests as import_requests
        from studies.launch import launch_list, plan, screening_checks, settings_forms
        from studies.spot_checks import before_launch
        from studies.spot_checks import pages as spot_check_pages
        from studies.summaries import services as summaries

        # Registers the system checks.
        import_module("studies.launch.system_checks")
        hooks.clips_changed.register(clip_figures.keep)
        hooks.clips_changed.register(summaries.outdate)
        hooks.clips_changed.register(measuring.request)
        hooks.launch_checks.register(screening_checks.findings)
        hooks.launch_checks.register(before_launch.findings)
        hooks.study_panels.register(
            hooks.StudyPanel(
                _("Spot check"),
                spot_check_pages.panel,
                order=20,
                is_used=spot_check_pages.is_on,
                purpose=_("Experts listen to a few clips and find failed syntheses."),
            )
        )
        hooks.launch_checks.register(audit_before_launch.findings)
        core_hooks.diagnoses.register(core_hooks.Diagnosis("drafting", targets.examine))
        corpus_words.FLAGS.update(drafting_words.TEXT_FLAGS)
        hooks.text_links.register(hooks.StudyLink(_("Draft with a language model"), "drafting:home"))
        hooks.text_drafts.register(drafting_queries.draft_of)
        hooks.launch_checks.register(corpus_before_launch.findings)
        hooks.text_lookups.register(corpus_queries.facts)
        hooks.withheld_texts.register(corpus_queries.black)
        core_hooks.declared_words.register(settings_forms.words)
        core_hooks.stored_files.register(clips_queries.files)
        core_hooks.stored_files.register(previewing.files)
        core_hooks.stored_kinds.register(previewing.KIND)
        for kind in clips_queries.KINDS:
            core_hooks.stored_kinds.register(kind)
        core_hooks.chores.register(import_requests.let_go)
        hooks.erasures.register(hooks.ErasureHook(summaries.forget, lambda study: None))
        summaries.kinds.register(launch_list.SUMMARY)
        summaries.kinds.register(plan.SUMMARY)
        summaries.kinds.register(overview.SUMMARY)
        summaries.kinds.register(passages.SUMMARY)
        summaries.kinds.register(corpus_queries.DOUBTS)
