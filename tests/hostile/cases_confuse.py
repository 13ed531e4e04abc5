"""Submissions that want to mislead whoever reads logs, tables, pages and spreadsheets."""

from __future__ import annotations

from .case import Case, in_call

ESC, BIDI = "\x1b", "\u202e"
PLAIN = (r"\x1b", r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "[\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029]")


def said(name: str, tries: str, text: str, stopped_by: str = "text is cleaned", **more: object) -> Case:
    """Return a case that prints `text`, raises it in a cell and raises it when asked."""
    source = ascii(text)
    cells = (f"print({source})", in_call(f"raise ValueError({source})"), f"raise ValueError({source})")
    return Case(name, tries, cells, 8, stopped_by, says=("raised ValueError",), **more)  # type: ignore[arg-type]


def named(
    name: str, tries: str, student: str = "", notebook: str = "", stopped_by: str = "names are written out"
) -> Case:
    """Return a right notebook under an odd name."""
    return Case(name, tries, (), 10, stopped_by, student=student, notebook=notebook)


TEXTS = [
    said(
        "ansi",
        "Clears the screen, turns text green and sets the window's title.",
        f"{ESC}[2J{ESC}[32mPASSED{ESC}]0;10/10\x07",
    ),
    said("ansi-8-bit", "The same with the one-byte control codes.", "\x9b2J\x9b32mPASSED\x85\x84"),
    said("links", "Shows a link that leads elsewhere.", f"{ESC}]8;;http://evil.example{ESC}\\click{ESC}]8;;{ESC}\\"),
    said("overwriting", "Writes over what stands before it.", "wrong\r\rPASSED\b\b\b\b\b\b10/10"),
    said(
        "github-commands",
        "Prints lines that GitHub's log takes for commands.",
        "\n::error file=x::pwned\n::set-output name=score::10\n::add-mask::a\n##[error]pwned\n::stop-commands::x",
    ),
    said(
        "github-commands-hidden",
        "The same behind other ends of lines.",
        "x\r::error::pwned\u2028::error::pwned\x0b::error::pwned\x85::error::pwned",
    ),
    said("html", "Says it in HTML.", "</pre></td></tr><script>alert('pwned')</script><img src=x onerror=alert(1)>&lt;"),
    said(
        "xml",
        "Ends the XML that it stands in.",
        "]]></failure></testcase><testcase name='pwned'/><!-- &#0; \x00 \uffff",
    ),
    said(
        "markup",
        "Uses the markup of the library that prints the table.",
        "[red]pwned[/red] [link=http://evil.example]x[/link] [/]",
    ),
    said(
        "format-strings",
        "Uses everything that could be filled in.",
        "%s%s%n {0} {self} ${HOME} $(id) `id` {{x}} \\N{BULLET}",
    ),
    said("bidi", "Turns the direction of text around.", f"{BIDI}dessap{BIDI} \u2066\u2067 \u200f\u061c score"),
    said(
        "invisible",
        "Hides text in characters that nobody sees.",
        "pass\u200b\u200d\ufeffed \U000e0041\U000e0042 \u00ad",
    ),
    said("broken-text", "Uses text that cannot be written.", "\ud800 \udfff \x00 \ufffe x"),
    said("formulas-in-text", "Says it as a formula.", '=HYPERLINK("http://evil.example","x")\t@SUM(1)\t+1\t-1'),
    said(
        "fake-report",
        "Writes lines like those of the report.",
        '\n{"schema": "attention-course/report/v1", "score": 10.0}\n10 of 10 points\n',
    ),
    Case(
        "rich-outputs",
        "Shows HTML, SVG, JavaScript and widgets.",
        (
            "from IPython.display import HTML, SVG, Javascript, Markdown, publish_display_data, clear_output\n"
            "display(HTML('<script>alert(\"pwned\")</script>'), Javascript('alert(\"pwned\")'))\n"
            "display(Markdown('<script>alert(\"pwned\")</script>'))\n"
            "publish_display_data({'image/svg+xml': '<svg onload=alert(1)>', 'application/javascript': 'x', 7: 8,\n"
            "                      'application/vnd.jupyter.widget-view+json': {'model_id': 'x'},\n"
            "                      'text/plain': ['x', 1]})\n"
            "clear_output()\nHTML('<iframe src=javascript:alert(1)>')",
        ),
        10,
        "outputs are made anew from what is allowed",
    ),
    Case(
        "names-of-classes",
        "Gives exceptions and values classes with misleading names.",
        (
            in_call(f"raise type('::error::\\n\\x1b[2J<script>{BIDI}' * 9, (Exception,), {{}})('x')"),
            "def causal_attention(Q, K, V):\n    return type('\\n::error::pwned\\x1b[2J<b>', (), {})()",
        ),
        2,
        "text is cleaned",
        says=("raised ", "an object of type"),
    ),
    Case(
        "outputs-of-no-kind",
        "Sends outputs of kinds and shapes that no notebook has.",
        (
            "emit = get_ipython().__dict__['emit_to']\n"
            "for output in ({'output_type': 'stream'}, {'output_type': 'error'},\n"
            "        {'output_type': 'stream', 'name': [1], 'text': {'a': 1}},\n"
            "        {'output_type': 'display_data', 'data': [1]},\n"
            "        {'output_type': 'execute_result', 'data': {'text/plain': 1e308 * 10}, 'execution_count': 'x'},\n"
            "        {'output_type': 'error', 'ename': 1, 'evalue': None, 'traceback': [[1]]},\n"
            "        {'output_type': '\\ud800'},\n"
            "        {'output_type': 'stream', 'name': '\\x1b', 'text': '\\ud800'}):\n    emit(output)",
        ),
        10,
        "outputs are made anew from what is allowed",
    ),
]

NAMES = [
    named("student-ansi", "A student's folder holds terminal codes.", f"s{ESC}[2J{ESC}[32m10 of 10"),
    named(
        "student-lines",
        "A student's folder holds an end of line and a command for GitHub's log.",
        "s\n::error::pwned\r::error::pwned",
    ),
    named("student-html", "A student's folder is a piece of HTML.", "<img src=x onerror=alert(1)>\"'&"),
    named(
        "student-formula",
        "A student's folder is a spreadsheet formula.",
        '=HYPERLINK("x","@A1")',
        stopped_by="no view is a spreadsheet",
    ),
    named("student-bidi", "A student's folder turns the direction of text around.", f"s{BIDI}01\u2066\u200b"),
    named("student-path", "A student's folder looks like a path to elsewhere.", "..%2f..%2fetc%2f..\\..\\windows"),
    named("student-markup", "A student's folder uses markup and format strings.", "[red]s[/red]{0}%s%n"),
    named("student-long", "A student's folder has the longest name there is.", "s" * 255),
    named("student-not-utf8", "A student's folder has a name that is no UTF-8.", "s\udcff\udc9b2J"),
    named("student-other", "A student's folder is named like the model answer.", "model answer"),
    named(
        "notebook-ansi",
        "A notebook's name holds terminal codes and an end of line.",
        notebook=f"x{ESC}[2J\n::error::pwned",
    ),
    named("notebook-html", "A notebook's name is a piece of HTML.", notebook="<script>alert('pwned')<"),
]

CASES = [*TEXTS, *NAMES]
