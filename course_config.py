"""The course. nbgrader and the `course` command both read this file; it is Python.

Everything of nbgrader can be set here as in its own documentation (c.ClassName.option = value). What begins
with c.Course is the kit's.
"""

import warnings
from pathlib import Path

c = get_config()  # noqa: F821  (given by whoever loads this file)
here = Path(__file__).resolve().parent

# -- the course ---------------------------------------------------------------------------------------------------

c.CourseDirectory.course_id = "attention"
c.CourseDirectory.root = str(here)

# A due date is written as '2027-01-31 23:59 UTC'; without one an assignment is never late. A notebook without graded
# cells is handed out with the others, and worth nothing. ex0 shows finished attention code: release it when you like.
# An optional one never lowers a course total. One that requires a module beyond those of the kit is left to a person
# where that is missing. "device": "cuda" grades it on a GPU.
c.Course.assignments = {
    "ex0-chapter-tour": {},
    "ex1-scaled-dot-product": {},
    "ex2-causal-masking": {},
    "ex3-memory-cost": {},
    "ex3b-measured-memory": {"optional": True, "requires": ["torch"]},
    "ex4-cross-attention": {},
    "ex5-variations": {"optional": True},
}

# How much a submission may use; what is not named here keeps its default (autograder/limits.py).
c.Course.limits = {}

# The least confinement of student code that this course accepts: "full", "partial" or "none".
c.Course.isolation = "partial"

# Draw students' figures while grading? Each costs 0.1 to 0.2 seconds; a sentence stands in its place otherwise.
c.Course.figures = False

# What is exported for a student who handed in nothing: "zero" (once it was due) or "blank". A score that waits for a
# person is blank whatever this says.
c.Course.nothing_handed_in = "zero"

# Which of several submissions of one student counts when downloads are collected: the "latest", or the "best", for
# which all of them are graded, and what being late costs is taken off first.
c.Course.several = "latest"

# What being late costs: per cent of the score for each day begun after the due date and the student's extension.
# Within the grace nothing is lost, and never more than the cap. It is shown at the top of the feedback.
c.AssignLatePenalties.plugin_class = "autograder.gradebook.late.LatePolicy"
c.LatePolicy.grace_minutes = 0
c.LatePolicy.percent_a_day = 0
c.LatePolicy.cap_percent = 100

# How much students see of the hidden checks on their pages: "full" (titles, outcomes, messages, pictures), "titles"
# (no messages, no pictures), or "after_due" (titles until the due date, all of it afterwards).
c.Course.feedback = "full"

# The hidden checks' inputs are drawn from this number. Another one each term makes answers that were tuned to last
# term's feedback useless; `course check --matrix` then shows that the checks tell right from wrong as before.
c.Course.probe_seed = 0

# -- handing out and collecting -----------------------------------------------------------------------------------

# nbgrader moves files through an exchange folder. This one works at once, for one person trying things out. For a
# class on a shared machine, name a folder that everybody can reach, such as /srv/nbgrader/exchange (mode 777).
exchange = here / "exchange"
exchange.mkdir(exist_ok=True)
c.Exchange.root = str(exchange)

# `nbgrader zip_collect` and `course collect` read what Canvas and Moodle let download. The zone is that of the times in
# Moodle's grading worksheet.
c.ZipCollectApp.extractor_plugin = "autograder.gradebook.lms.collect.LmsExtractor"
c.ZipCollectApp.collector_plugin = "autograder.gradebook.lms.collect.LmsCollector"
c.LmsExtractor.timezone = "UTC"

# -- how nbgrader calls the kit -----------------------------------------------------------------------------------

c.CourseDirectory.solution_directory = "solutions"

# What was handed in is read whatever its name, encoding and format; what cannot be judged is left to a person.
c.Autograde.exporter_class = "autograder.gradebook.exporter.SubmissionExporter"

# Our steps among nbgrader's own: repair first, hidden checks in place of Execute, "unknown" as a third score.
c.Autograde.sanitize_preprocessors = [
    "autograder.gradebook.preprocessors.RepairNotebook",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "autograder.gradebook.preprocessors.GradeWithChecks",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "autograder.gradebook.preprocessors.SaveCheckedGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# A student's page: score, checks, code, what a person added. `course grade --format html` writes the same.
c.GenerateFeedback.exporter_class = "autograder.gradebook.feedback.FeedbackExporter"

# A score that waits for a person is exported blank, never as 0.
c.ExportApp.plugin_class = "autograder.gradebook.export.CourseExport"

# nbgrader 0.9.6 builds its records in a way that SQLAlchemy 2 warns of; nothing is lost by it.
warnings.filterwarnings("ignore", message="Object of type <Submitted", category=Warning)

# Student HTML and scripts are never shown raw, in feedback or in Formgrader.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {"markdown2html": "autograder.gradebook.pages.markdown2html"}
