"""The pages of a study: one address a page, below the study's own."""

from __future__ import annotations

from django.urls import path

from studies.audit import clip_views, repair_views
from studies.audit import views as audit
from studies.audit.clip_page import clip_page
from studies.corpus import views as corpus
from studies.decisions import expert_views
from studies.drafting import question_views
from studies.imports import trap_views, upload_views
from studies.imports import views as imports
from studies.launch import about_views, design_views, language_views, preset_views
from studies.launch import views as launch
from studies.members import views as members
from studies.members.history import history_page

REPAIR = "<slug:slug>/audit/repair/<slug:repair>/"
UPLOAD = "<slug:slug>/uploads/<slug:key>/"
app_name = "studies"
urlpatterns = [
    path("<slug:slug>/design/", design_views.design, name="design"),
    path("<slug:slug>/design/save", design_views.save, name="design_save"),
    path("<slug:slug>/design/preset", preset_views.save, name="save_preset"),
    path("<slug:slug>/design/estimate", design_views.estimate, name="design_estimate"),
    path("<slug:slug>/clips/", clip_views.clips_page, name="clips"),
    path("<slug:slug>/clips/<int:clip>/", clip_page, name="clip"),
    path("<slug:slug>/clips/labels/", clip_views.clip_labels, name="clip_labels"),
    path("<slug:slug>/clips/traps/", trap_views.copy_traps, name="copy_traps"),
    path("<slug:slug>/clips/table/", upload_views.table, name="clip_table"),
    path("<slug:slug>/uploads/", upload_views.begin, name="uploads"),
    path(UPLOAD, upload_views.upload, name="upload"),
    path(f"{UPLOAD}parts/<int:number>/", upload_views.part, name="upload_part"),
    path(f"{UPLOAD}whole/", upload_views.whole, name="upload_whole"),
    path("<slug:slug>/imports/<int:job>/", imports.import_page, name="import"),
    path("<slug:slug>/imports/<int:job>/status/", imports.import_status, name="import_status"),
    path("<slug:slug>/imports/<int:job>/report.csv", imports.import_report, name="import_report"),
    path("<slug:slug>/texts/", corpus.texts_page, name="texts"),
    path("<slug:slug>/texts/import/", corpus.texts_import, name="texts_import"),
    path("<slug:slug>/texts/list.csv", corpus.texts_list, name="texts_list"),
    path("<slug:slug>/questions/", question_views.questions_page, name="questions"),
    path("<slug:slug>/questions/import/", question_views.questions_import, name="questions_import"),
    path("<slug:slug>/questions/list.csv", question_views.questions_list, name="questions_list"),
    path("<slug:slug>/audit/", audit.audit_page, name="audit"),
    path("<slug:slug>/audit/status/", audit.audit_status, name="audit_status"),
    path(REPAIR, repair_views.repair_page, name="repair"),
    path(f"{REPAIR}status/", repair_views.repair_status, name="repair_status"),
    path(f"{REPAIR}audio/<int:clip>/", repair_views.repair_audio, name="repair_audio"),
    path("<slug:slug>/launch/", launch.launch_page, name="launch"),
    path("<slug:slug>/launch/set", launch.set_value, name="set_value"),
    path("<slug:slug>/launch/facts", launch.save_facts, name="save_facts"),
    path("<slug:slug>/move/<slug:move>/", launch.move, name="move"),
    path("<slug:slug>/settings/", about_views.settings, name="settings"),
    path("<slug:slug>/languages/", language_views.languages_page, name="languages"),
    path("<slug:slug>/experts/", expert_views.experts_page, name="experts"),
    path("<slug:slug>/history/", history_page, name="history"),
    path("<slug:slug>/members/", members.members_page, name="members"),
]
