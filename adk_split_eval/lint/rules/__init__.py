"""The rules, one module each; a module's docstring is its documentation, ``RULE`` what it declares."""
