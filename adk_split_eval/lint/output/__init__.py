"""Outputs, apart from findings: each module turns a result into one text."""
