"""The `course` command: its arguments and exit statuses. The work is in autograder.commands."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from autograder import __version__
from autograder.commands import lms_arguments
from autograder.problems import CourseError, MachineFault

if TYPE_CHECKING:
    from autograder.course import Course

WRONG_USE = 2
NEEDS_A_PERSON = 3
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. Returns its exit status; every error is one line on standard error."""
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except CourseError as error:
        print(f"course: {error}", file=sys.stderr)
        return WRONG_USE
    except MachineFault as error:
        print(f"course: {error}", file=sys.stderr)
        return NEEDS_A_PERSON
    except KeyboardInterrupt:
        print("course: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has stopped reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at its end
        return 0


class _Parser(argparse.ArgumentParser):
    """An ArgumentParser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USE, f"course: {message} (`{self.prog} --help` says more)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="course", description="Grade and run the attention course.")
    parser.add_argument("--version", action="version", version=f"attention-course {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _grade(commands.add_parser("grade", help="grade notebooks and print the result"))
    _autograde(commands.add_parser("autograde", help="grade submitted/ into nbgrader's gradebook"))
    _check(commands.add_parser("check", help="is the course itself in order?"))
    _explain(commands.add_parser("explain", help="one check again, with inputs, returned and expected values"))
    _report(commands.add_parser("report", help="the class at a glance, as one HTML file"))
    _package(commands.add_parser("package", help="what to hand out"))
    lms_arguments.add(commands, _add_course, _course)
    _demo(commands.add_parser("demo", help="the whole cycle on a sample class, in a scratch folder"))
    _doctor(commands.add_parser("doctor", help="what this machine offers"))
    return parser


def _course(arguments: argparse.Namespace) -> Course:
    from autograder.course import find_root, load_course

    return load_course(arguments.course or find_root(Path.cwd()))


def _grade(parser: argparse.ArgumentParser) -> None:
    from autograder.outputs import FORMATS

    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a notebook, or a folder of notebooks")
    parser.add_argument("--format", choices=sorted(FORMATS), default="table", help="how to say it (default: table)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write it (default: standard output)")
    parser.add_argument(
        "--also", action="append", type=_also, default=[], metavar="F=FILE", help="the same in format F, in FILE"
    )
    parser.add_argument("--fail-under", type=_percent, metavar="PERCENT", help="exit 1 where a score is lower")
    parser.add_argument("--student", metavar="ID", help="whose notebooks they are")
    parser.add_argument("--assignment", metavar="NAME", help="their assignment, where it is not recognised")
    parser.add_argument("--jobs", type=_jobs, default=1, metavar="N", help="how many processes grade (default: 1)")
    _add_course(parser)

    def run(arguments: argparse.Namespace) -> int:
        course = _course(arguments)
        with contextlib.ExitStack() as stack:
            starting = None
            if arguments.jobs == 1 and all(path.exists() for path in arguments.paths):
                from autograder.student.sandbox import Sandbox
                from autograder.student.starting import Starting

                starting = stack.enter_context(Starting(course.limits, Sandbox(hidden=(course.root,))))
            from autograder.commands import grade  # numpy and pytest are loaded while the zygote loads its own

            return grade.run(
                course,
                arguments.paths,
                arguments.format,
                arguments.output,
                arguments.fail_under,
                arguments.assignment,
                arguments.student,
                arguments.jobs,
                arguments.also,
                starting,
            )

    parser.set_defaults(run=run)


def _autograde(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--student", metavar="ID", help="only this student")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=_jobs, metavar="N", help="how many processes grade (default: one for each core)")
    where.add_argument("--engine", metavar="ADDRESS", help="a Dask cluster that grades, such as tcp://10.0.0.1:8786")
    parser.add_argument("--force", action="store_true", help="run and record again what has not changed")
    parser.add_argument("--dry-run", action="store_true", help="say what scores would change, and change nothing")
    parser.add_argument("--never-lower", action="store_true", help="keep a cell's score where it would be lower")
    _add_course(parser)

    def run(arguments: argparse.Namespace) -> int:
        from autograder.commands import autograde

        return autograde.run(
            _course(arguments),
            arguments.assignment,
            arguments.student,
            autograde.Wish(arguments.force, arguments.dry_run, arguments.never_lower),
            arguments.jobs or os.cpu_count() or 1,
            arguments.engine,
        )

    parser.set_defaults(run=run)


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("assignment", metavar="ASSIGNMENT", nargs="?", help="only this assignment")
    parser.add_argument("--matrix", action="store_true", help="all known answers against all hidden checks")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="with --matrix: write it there as well")
    parser.add_argument("--page", type=Path, metavar="FILE", help="with --matrix: write docs/checks.md anew, to FILE")
    _add_course(parser)

    def run(arguments: argparse.Namespace) -> int:
        from autograder.commands import check, matrix, page

        course = _course(arguments)
        if arguments.matrix or arguments.csv or arguments.page:
            status, made = matrix.run(course, arguments.assignment, arguments.csv)
            if arguments.page and not status:
                arguments.page.write_text(page.render(course, page.figures(made)), encoding="utf-8")
            return status
        return check.run(course, arguments.assignment)

    parser.set_defaults(run=run)


def _explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("notebook", metavar="NOTEBOOK", type=Path)
    parser.add_argument("--check", required=True, metavar="NAME", help="the check's name, as in `--format json`")
    parser.add_argument("--assignment", metavar="NAME", help="the notebook's assignment, where it is not recognised")
    _add_course(parser)

    def run(arguments: argparse.Namespace) -> int:
        from autograder.commands import explain

        return explain.run(_course(arguments), arguments.notebook, arguments.check, arguments.assignment)

    parser.set_defaults(run=run)


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("assignments", metavar="ASSIGNMENT", nargs="*", help="only these (default: all)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write it (default: standard output)")
    parser.add_argument("--hide-names", action="store_true", help="number the students, for showing it in class")
    parser.add_argument("--reports", type=Path, metavar="FILE", help="use what `--format json` wrote, no gradebook")
    parser.add_argument("--formgrader", metavar="URL", help="where links lead (default: that of a local JupyterLab)")
    _add_course(parser)

    def run(arguments: argparse.Namespace) -> int:
        from autograder.commands import report

        return report.run(
            _course(arguments),
            arguments.assignments,
            arguments.output,
            arguments.hide_names,
            arguments.reports,
            arguments.formgrader,
        )

    parser.set_defaults(run=run)


def _package(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=["student", "gradescope", "classroom50", "jupyterlite"], help="what it is for")
    parser.add_argument("assignment", metavar="ASSIGNMENT", nargs="?", help="for gradescope and classroom50: which one")
    parser.add_argument("--output", type=Path, metavar="FOLDER", default=Path("dist"), help="where to (default: dist)")
    _add_course(parser)

    def run(arguments: argparse.Namespace) -> int:
        from autograder.commands import package

        return package.run(_course(arguments), arguments.kind, arguments.output, arguments.assignment)

    parser.set_defaults(run=run)


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, help="where to (default: a new folder for temporary files)")
    _add_course(parser)

    def run(arguments: argparse.Namespace) -> int:
        from autograder.commands import demo

        return demo.run(_course(arguments), arguments.folder)

    parser.set_defaults(run=run)


def _doctor(parser: argparse.ArgumentParser) -> None:
    _add_course(parser)

    def run(arguments: argparse.Namespace) -> int:
        from autograder.commands import doctor

        return doctor.run(_course(arguments))

    parser.set_defaults(run=run)


def _add_course(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--course", type=Path, metavar="FOLDER", help="the course (default: here or above)")


def _percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text} is no percentage: write a number from 0 to 100")
    return value


def _also(text: str) -> tuple[str, Path]:
    from autograder.outputs import FORMATS

    name, _, file = text.partition("=")
    if name not in FORMATS or not file:
        raise argparse.ArgumentTypeError(f"{text} is no format with its file: write it as junit=results.xml")
    return name, Path(file)


def _jobs(text: str) -> int:
    value = int(text) if text.isdecimal() else 0
    if not 1 <= value <= 1024:
        raise argparse.ArgumentTypeError(f"{text} is no number of processes: write 1 or more")
    return value


if __name__ == "__main__":
    sys.exit(main())
