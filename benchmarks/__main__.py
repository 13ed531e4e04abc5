"""`python -m benchmarks`: the kit against stock nbgrader and against the floor, side by side, as ratios.

Writes benchmarks/results.md and benchmarks/results.png. Each measure builds its own class in a scratch folder; nothing
is warm that would not be for a person. `--quick` measures small classes, to see that all of it runs.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import classroom, stock
from benchmarks.measure import Cost, counts_everything, kit, run

HERE = Path(__file__).resolve().parent
ASSIGNMENT = "ex2-causal-masking"
NBGRADER = "import sys; from nbgrader.apps.nbgraderapp import main; sys.exit(main())"
A_CHECK = "def test_a_dominating_future_key_is_ignored("


class Bench:
    """Measures in a scratch folder, and keeps rows of a table: what, how much, and beside what."""

    def __init__(self, scratch: Path, quick: bool, stock_count: int) -> None:
        self.stock = stock_count
        self.scratch = scratch
        self.quick = quick
        self.rows: list[tuple[str, str]] = []
        self.growth: list[tuple[int, float, float]] = []  # size, ms of wall a submission, peak MB
        self.bars: list[tuple[str, float]] = []  # how, ms of wall a submission

    def size(self, wanted: int) -> int:
        return max(4, wanted // 25) if self.quick else wanted

    def note(self, what: str, result: str) -> None:
        self.rows.append((what, result))
        print(f"{what}: {result}", file=sys.stderr, flush=True)

    # -- building -----------------------------------------------------------------------------------------------

    def nbgrader(self, folder: Path, *arguments: str) -> Cost:
        return run([sys.executable, "-c", NBGRADER, *arguments], folder)

    def ours(self, name: str, count: int, with_kit: bool = False) -> Path:
        """Return a released course with `count` submissions; `with_kit` puts a copy of the kit beside it."""
        folder = classroom.make_course(self.scratch / name)
        if with_kit:
            shutil.copytree(classroom.ROOT / "autograder", folder / "autograder")
        self.nbgrader(folder, "generate_assignment", ASSIGNMENT)
        classroom.hand_in(folder, ASSIGNMENT, count)
        return folder

    def autograde(self, folder: Path, *more: str) -> Cost:
        return run(kit("autograde", ASSIGNMENT, *more), folder)

    # -- what is measured ----------------------------------------------------------------------------------------

    def against_nbgrader(self) -> None:
        """(a) A class on one assignment, both recording into fresh gradebooks."""
        count, sample = self.size(200), self.size(self.stock)
        theirs = stock.make_stock(self.scratch / "stock", ASSIGNMENT)
        self.nbgrader(theirs, "generate_assignment", ASSIGNMENT)
        classroom.hand_in(theirs, ASSIGNMENT, sample)
        slow = self.nbgrader(theirs, "autograde", ASSIGNMENT)
        fast = self.autograde(self.ours("a", count))
        each, work = slow.wall / sample, slow.cpu / sample
        self.bars += [("nbgrader autograde", each * 1e3), ("course autograde", fast.wall / count * 1e3)]
        self.note(
            f"(a) nbgrader autograde, {sample} submissions",
            f"wall {slow.wall:.1f} s = {each:.2f} s each, CPU {slow.cpu:.1f} s = {work:.2f} s each",
        )
        self.note(
            f"(a) {count} submissions, nbgrader (as measured, each) / course",
            f"wall {each * count:.1f} s / {fast.wall:.1f} s = **{each * count / fast.wall:.1f} times**, "
            f"CPU {work * count:.1f} s / {fast.cpu:.1f} s = {work * count / fast.cpu:.1f} times",
        )
        large = self.size(1000)
        folder = self.ours("a-large", large)
        first = self.autograde(folder)
        self.note(
            f"(a) {large} submissions, nbgrader (as measured, each) / course",
            f"wall {each * large:.0f} s / {first.wall:.1f} s = **{each * large / first.wall:.1f} times**",
        )
        again = self.autograde(folder)
        self.note(
            f"(d) the same {large} again, unchanged",
            f"{first.wall:.1f} s / {again.wall:.2f} s = **{first.wall / again.wall:.1f} times**",
        )
        self.growth.append((large, first.wall / large * 1e3, first.peak_mb))
        self.growth.append((count, fast.wall / count * 1e3, fast.peak_mb))

    def against_the_floor(self) -> None:
        """(b) Run and check against bare forks, and what recording costs, in CPU seconds."""
        count = self.size(200)
        said = run([sys.executable, "-m", "benchmarks.floor", ASSIGNMENT, str(count)], classroom.ROOT).said
        floor = json.loads(said.splitlines()[-1])["seconds"] / count
        folder = self.ours("b", 2 * count)
        shutil.move(folder / "submitted", folder / "all")
        costs = []
        for amount in (count // 4, count // 4 + count):
            shutil.copytree(folder / "all", folder / "submitted", dirs_exist_ok=True)
            for student in sorted((folder / "submitted").iterdir())[amount:]:
                shutil.rmtree(student)
            some = run(kit("grade", "submitted", "--format", "json", "--output", os.devnull), folder)
            shutil.rmtree(folder / ".course", ignore_errors=True)
            all_of_it = self.autograde(folder, "--jobs", "1", "--force")
            costs.append((some.cpu, all_of_it.cpu))
        graded = (costs[1][0] - costs[0][0]) / count
        recorded = (costs[1][1] - costs[0][1]) / count - graded
        self.note(
            "(b) run and check / the same cells and calls in bare forks, CPU a submission",
            f"{graded * 1e3:.1f} ms / {floor * 1e3:.1f} ms = **{graded / floor:.2f} times**",
        )
        self.note("(b) recording, CPU a submission", f"**{recorded * 1e3:.1f} ms**")

    def growth_of_the_class(self) -> None:
        """(c) Time per submission and peak memory as the class grows."""
        large = self.size(5000)
        cost = self.autograde(self.ours("c", large))
        self.growth.append((large, cost.wall / large * 1e3, cost.peak_mb))
        self.growth.sort()
        base = self.growth[0]
        for size, each, peak in self.growth:
            self.note(
                f"(c) {size} submissions",
                f"{each:.1f} ms each ({each / base[1]:.2f} times that at {base[0]}), "
                f"peak memory {peak:.0f} MB ({peak / base[2]:.2f} times)",
            )

    def one_changed_check(self) -> None:
        """(e) One check is changed: only that one is asked again."""
        count = self.size(200)
        folder = self.ours("e", count, with_kit=True)
        first = self.autograde(folder)
        (path,) = [p for p in (folder / "autograder" / "graders").rglob("test_*.py") if A_CHECK in p.read_text("utf-8")]
        head, rest = path.read_text("utf-8").split(A_CHECK)
        signature, title, body = rest.split('"""', 2)
        path.write_text(f'{head}{A_CHECK}{signature}"""{title}"""\n    assert True{body}', "utf-8")
        again = self.autograde(folder)
        self.note(
            f"(e) {count} submissions after one check has changed",
            f"{first.wall:.1f} s / {again.wall:.1f} s = **{first.wall / again.wall:.1f} times** faster than all of it",
        )

    def one_notebook(self) -> None:
        """(f) One notebook from a cold start."""
        theirs = stock.make_stock(self.scratch / "stock-one", ASSIGNMENT)
        self.nbgrader(theirs, "generate_assignment", ASSIGNMENT)
        classroom.hand_in(theirs, ASSIGNMENT, 1)
        ours = self.ours("f", 1)
        file = next((ours / "submitted").rglob("*.ipynb"))
        slow, fast = [], []
        for _ in range(2 if self.quick else 5):
            slow.append(self.nbgrader(theirs, "autograde", ASSIGNMENT, "--force").wall)
            fast.append(run(kit("grade", str(file)), ours).wall)
        one, other = sorted(slow)[len(slow) // 2], sorted(fast)[len(fast) // 2]
        self.note(
            "(f) one notebook, cold: nbgrader autograde / course grade FILE (medians)",
            f"{one:.2f} s / {other:.2f} s = **{one / other:.1f} times**",
        )

    # -- showing --------------------------------------------------------------------------------------------------

    def write(self, table: Path, plot: Path) -> None:
        cpu = "every process of a command" if counts_everything() else "processes that were waited for (no cgroup)"
        described = subprocess.run(["git", "describe", "--always"], cwd=HERE, capture_output=True, text=True)
        how = f"`python -m benchmarks{' --quick' if self.quick else ''}`"
        machine = f"{os.cpu_count()} cores, {_memory_gib():.0f} GiB, {platform.system()}"
        lines = [
            "# Benchmarks",
            "",
            f"{how}, {datetime.date.today():%d %B %Y}, kit {described.stdout.strip()}; {machine}, "
            f"Python {platform.python_version()}. Assignment {ASSIGNMENT}, isolation on. CPU counts {cpu}.",
            "",
            "| what | measured |",
            "|---|---|",
            *(f"| {what} | {result} |" for what, result in self.rows),
            "",
            f"![Time for each submission, and growth with the class]({plot.name})",
            "",
        ]
        table.write_text("\n".join(lines), "utf-8")
        self._plot(plot)

    def _plot(self, path: Path) -> None:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
        names, values = [name for name, _ in self.bars], [value for _, value in self.bars]
        bars = left.barh(names, values, color=["C7", "C0"][: len(values)])
        left.bar_label(bars, fmt="%.0f ms", padding=3)
        left.set_xlabel("wall time for each submission (ms)")
        left.set_xlim(0, max(values, default=1) * 1.2)
        left.invert_yaxis()
        sizes = [size for size, _, _ in self.growth]
        right.plot(sizes, [each for _, each, _ in self.growth], "o-", color="C0", label="wall time each (ms)")
        right.plot(sizes, [peak for _, _, peak in self.growth], "s--", color="C1", label="peak memory (MB)")
        right.set_xscale("log")
        right.set_xticks(sizes, [f"{size:,}" for size in sizes])
        right.minorticks_off()
        right.set_ylim(0)
        right.set_xlabel("submissions in the class")
        right.legend()
        fig.savefig(path, dpi=110)


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


PARTS = {
    "a": Bench.against_nbgrader,
    "b": Bench.against_the_floor,
    "c": Bench.growth_of_the_class,
    "e": Bench.one_changed_check,
    "f": Bench.one_notebook,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small classes: to see that everything runs")
    parser.add_argument("--stock", type=int, default=200, metavar="N", help="how many nbgrader grades (default: 200)")
    parser.add_argument("--only", default="abcef", help="which parts, such as ab (d comes with a)")
    parser.add_argument("--output", type=Path, default=HERE, help="where results.md and results.png go")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="course-benchmark-") as scratch:
        bench = Bench(Path(scratch), arguments.quick, arguments.stock)
        for part in arguments.only:
            PARTS[part](bench)
            bench.write(arguments.output / "results.md", arguments.output / "results.png")


if __name__ == "__main__":
    main()
