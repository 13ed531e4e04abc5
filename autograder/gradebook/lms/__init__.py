"""Between nbgrader's gradebook and a learning management system: class lists, downloads, extensions, grade files."""
