"""What each `course` subcommand does, one module each."""
