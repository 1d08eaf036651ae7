"""The linter: says, with line and column, which checks have never run. Reads files; imports neither ADK nor project code."""
