"""The sample class: students who answer the exercises well, oddly, wrongly or not at all, for demos and tests.

    build       makes the students' notebooks from the released ones
    class.json  who the students are, when they hand in, what each shows, and the scores that each should get
    students/   what they wrote, one text file an assignment

Nothing in students/ is ever imported or run from there: some of it is no Python, and some of it never ends.
"""
