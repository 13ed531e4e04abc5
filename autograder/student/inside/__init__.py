"""What runs beside student code. Imports nothing of the course but its own siblings.

Inside the sandbox this folder is a package of its own, `inside`; the grader imports the same `wire`, `encode`
and `decode` as `autograder.student.inside`, to speak the same language.
"""
