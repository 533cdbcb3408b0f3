"""What each role is expected to reach: written by hand, so that a change of the product's own table is seen here.

Every named address of the URL configuration stands in `GETS`, `POSTS` or `ELSEWHERE`.
"""

from __future__ import annotations

ROLES = {
    "root": "study change close invite review sessions scores export payments pay members",
    "owner": "study change close invite review sessions scores export payments pay members",
    "editor": "study change invite review sessions scores export payments",
    "viewer": "study sessions scores export",
    # While the study collects.
    "blinded": "study change sessions export payments",
    "payer": "sessions export payments pay",
    "expert": "review",
    "stranger": "",
    "anonymous": "",
}
PAGES = "studies:"
SHOWN = ("design", "settings", "languages", "clips", "clip", "import", "import_status", "import_report", "launch")
DESKS = ("spot_check", "review", "coding")
RESULTS = (
    "analyses",
    "analysis",
    "analysis_json",
    "analysis_plot",
    "report_html",
    "report_pdf",
    "report_tables",
    "look_json",
    "machines_figures",
    "machines_clips",
)
# What is needed to open an address.
GETS = {
    "study": {
        "admin:studies_study_change",
        "admin:studies_study_history",
        *(f"{PAGES}{name}" for name in SHOWN),
        *(f"{PAGES}{name}" for name in ("audit", "audit_status", "experts", "members", "history")),
        *(f"{PAGES}{name}" for name in ("repair", "repair_status", "repair_audio")),
        *(f"{PAGES}{name}" for name in ("texts", "texts_import", "texts_list")),
        *(f"{PAGES}{name}" for name in ("questions", "questions_import", "questions_list")),
        *(f"previews:{name}" for name in ("start", "dry_run", "dry_run_progress")),
        *(f"api:{name}" for name in ("study", "versions", "version", "clips", "clip", "texts", "imports", "import")),
        *(f"api:{name}" for name in ("questions", "audit", "cost", "simulation")),
        *(f"api:{name}" for name in ("progress", "metrics", "metric_values", "reviews")),
        *(f"api:{name}" for name in ("judge", "judge_runs", "judge_run", "judge_scores")),
        *(f"workspace:{name}" for name in ("recruit", "live", "live_figures", "keep", "duplicate")),
        *(f"analysis:{name}" for name in ("study", "figures", "hidden_scores", "planning", "plan")),
        # Scores that no listener gave.
        "analysis:dry_run_results",
        *(f"analysis:{name}" for name in ("machines", "machines_against", "machines_dnsmos_progress")),
        *(f"analysis:{name}" for name in ("metric", "metric_remove")),
        *(f"drafting:{name}" for name in ("home", "run", "progress", "download", "inspect", "decisions", "prompt")),
        "judge:judge",
        "judge:run",
        "judge:prescreening",
        "experts:spot_check_overview",
        "experts:coding_overview",
        "admin:studies_clip_audio",
        "admin:studies_clip_change",
        "admin:studies_clip_history",
        "admin:studies_question_change",
        "admin:studies_question_history",
        "admin:studies_studyversion_change",
        "admin:studies_studyversion_history",
        "admin:raters_invite_change",
        "admin:raters_invite_history",
    },
    "change": {f"{PAGES}upload"},
    "scores": {
        *(f"api:{name}" for name in ("results", "ratings", "analyses", "analysis", "analysis_results")),
        "api:analysis_document",
        *(f"analysis:{name}" for name in RESULTS),
        "experts:review_overview",
        *(f"admin:raters_{row}_{page}" for row in ("batch", "answer", "verdict") for page in ("change", "history")),
    },
    "sessions": {
        "api:sessions",
        *(f"admin:raters_{row}_{page}" for row in ("session", "erasure") for page in ("change", "history")),
    },
    "export": {
        *(f"api:{name}" for name in ("exports", "export")),
        *(f"analysis:{name}" for name in ("export", "export_detail")),
    },
    # The download is the owner's: it has scores.
    "export study scores": {"api:download", "analysis:export_download"},
    "payments": {"paying:overview", "paying:listed"},
    "review": {*(f"experts:{desk}{page}" for desk in DESKS for page in ("", "_current"))},
}
# What is needed to send to an address.
POSTS = {
    # A preview is a copy of one's own, and changes nothing.
    "study": {"api:validate", "previews:start"},
    "change": {
        *(f"{PAGES}{name}" for name in ("design", "design_save", "design_estimate", "save_preset")),
        *(f"{PAGES}{name}" for name in ("set_value", "save_facts")),
        *(f"{PAGES}{name}" for name in ("languages", "clips", "import", "move", "uploads", "upload_whole")),
        f"{PAGES}audit",
        f"{PAGES}repair",
        f"{PAGES}clip",
        f"{PAGES}clip_table",
        f"{PAGES}clip_labels",
        f"{PAGES}copy_traps",
        "previews:dry_run",
        "previews:dry_run_delete",
        *(f"{PAGES}{name}" for name in ("texts", "texts_import", "questions", "questions_import")),
        *(f"api:{name}" for name in ("questions", "audit", "simulations")),
        *(f"api:{name}" for name in ("launch", "publish", "pause", "resume", "withdraw", "restore", "imports")),
        "api:duplicate",
        "api:judge_runs",
        "api:cancel_judge_run",
        "api:texts",
        *(f"analysis:{name}" for name in ("planning", "machines_import", "machines_dnsmos", "metric")),
        "analysis:metric_remove",
        "studies:settings",
        "judge:judge",
        "judge:cancel",
        "judge:hold",
        "judge:undo",
        "experts:spot_check_overview",
        "workspace:raise_ratings",
        "workspace:start_pilot",
        "workspace:end_pilot",
        "workspace:duplicate",
        *(f"drafting:{name}" for name in ("home", "run", "inspect", "decisions", "prompt")),
    },
    "close": {
        "api:close",
        "api:reopen",
        "api:archive",
        "api:unarchive",
        "workspace:delete_pilot",
        "workspace:archive",
        "workspace:delete",
    },
    "change scores": {
        "api:analyses",
        "analysis:analyses",
        "analysis:analysis_again",
        "analysis:machines_second_look",
        "experts:review_overview",
    },
    "invite": {f"{PAGES}experts"},
    "members": {f"{PAGES}members"},
    # Without the payment table, which `test_leaks` tries.
    "export study": {"api:exports", "analysis:export"},
    "pay": {
        *(f"paying:{name}" for name in ("link", "unlink", "read", "upload", "decide", "prepare")),
        *(f"paying:{name}" for name in ("take_off", "put_on", "confirm", "drop", "go_on", "resolve")),
    },
    "review": {f"experts:{desk}_{page}" for desk in DESKS for page in ("decide", "undo", "skip")},
}
PUTS = {"change": {f"{PAGES}upload_part"}}
PATCHES = {"change": {"api:study"}}
# Not about one study, or with rows of every study that somebody sees: what is in them is tested by itself.
ELSEWHERE = {
    "home",
    "livez",
    "readyz",
    "healthz",
    "metrics",
    "status",
    "sign_in",
    "styleguide",
    *(f"api:{name}" for name in ("me", "uploads", "upload", "upload_part", "openapi", "docs", "presets", "studies")),
    "api:docs_swagger-ui.css",
    "api:docs_swagger-ui-bundle.js",
    "api:nowhere",
    "workspace:home",
    "workspace:new",
    "workspace:delete_preset",
    "workspace:overview",
    "members:invitation",
    "paying:hook",
    # Of a preview's own user alone, whatever their role: `tests.raters.previews` tries others.
    "previews:phone",
    "previews:step",
    # A clip comes by a key that one person was given, and to nobody else.
    *(f"experts:{name}" for name in ("index", "sign_in", "sign_out", "invitation", "audio")),
    *(f"admin:{name}" for name in ("index", "login", "logout", "password_change", "password_change_done")),
    *(f"admin:{name}" for name in ("autocomplete", "jsi18n", "view_on_site", "app_list")),
    # Lists, and pages that add a row, which filter by study; deleting is refused to all once a study is live.
    *(
        f"admin:{row}_{page}"
        for row in (
            "studies_study",
            "studies_clip",
            "studies_question",
            "studies_studyversion",
            "raters_session",
            "raters_batch",
            "raters_answer",
            "raters_verdict",
            "raters_invite",
            "raters_erasure",
        )
        for page in ("changelist", "add", "delete")
    ),
    # A person's own tokens, and for superusers people and groups.
    *(
        f"admin:{row}_{page}"
        for row in ("accounts_apitoken", "accounts_user", "auth_group")
        for page in ("changelist", "add", "delete", "change", "history")
    ),
    "admin:auth_user_password_change",
}
# Raters' pages, which know no researchers: `tests.raters.test_leaks` visits them all.
RATERS = "raters:"
