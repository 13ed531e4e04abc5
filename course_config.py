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

# A due date is written as '2027-01-31 23:59 UTC'; without one an assignment is never late.
# {"optional": True} marks an assignment that never lowers a course total; without it an assignment counts.
c.Course.assignments = {
    "ex1-scaled-dot-product": {},
    "ex2-causal-masking": {},
    "ex3-memory-cost": {},
    "ex4-cross-attention": {},
    "ex5-variations": {"optional": True},
}

# How much a submission may use; what is not named here keeps its default (autograder/limits.py).
c.Course.limits = {}

# The least confinement of student code that this course accepts: "full", "partial" or "none".
c.Course.isolation = "partial"

# Draw students' figures while grading? Each costs 0.1 to 0.2 seconds; a sentence stands in its place otherwise.
c.Course.figures = False

# -- handing out and collecting -----------------------------------------------------------------------------------

# nbgrader moves files through an exchange folder. This one works at once, for one person trying things out. For a
# class on a shared machine, name a folder that everybody can reach, such as /srv/nbgrader/exchange (mode 777).
exchange = here / "exchange"
exchange.mkdir(exist_ok=True)
c.Exchange.root = str(exchange)

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

# A score that waits for a person is exported blank, never as 0.
c.ExportApp.plugin_class = "autograder.gradebook.export.CourseExport"

# nbgrader 0.9.6 builds its records in a way that SQLAlchemy 2 warns of; nothing is lost by it.
warnings.filterwarnings("ignore", message="Object of type <Submitted", category=Warning)

# Student HTML and scripts are never shown raw, in feedback or in Formgrader.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {"markdown2html": "autograder.gradebook.pages.markdown2html"}
