"""What a team settles once, under ``[tool.adk-split-eval]`` in its pyproject.toml."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH100, PTH113, PTH118, PTH119, PTH120, PTH208

from __future__ import annotations

import fnmatch
import os
import re
from pathlib import Path
from typing import Any, NamedTuple, cast

from adk_split_eval.lint.patterns import lazy


class SettingsError(Exception):
    """The settings cannot be used; the message says where and why."""


class Options(NamedTuple):
    """What one lint run was asked for.

    Attributes:
        adk_version: as given on the command line; None: project pin, installed, newest known.
        config: one config for all sets.
        select, ignore: codes, prefixes of codes, or rule names.
        pairs: (glob of sets, config path), relative to ``root``.
        per_file_ignores: (glob, codes), relative to ``root``.
        root: folder of the pyproject.toml the settings came from.
        command: an ``adk eval`` command line, or files that hold some.
    """

    adk_version: str | None = None
    config: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    root: str = ""
    command: str | None = None
    agent_dir: str | None = None
    project: dict[str, Any] | None = None


def find_pyproject(start: str) -> str | None:
    """The nearest pyproject.toml at or above ``start``."""
    here = os.path.abspath(start)
    if os.path.isfile(here):
        here = os.path.dirname(here)
    for _ in range(40):
        candidate = os.path.join(here, "pyproject.toml")
        if os.path.isfile(candidate):
            return candidate
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent
    return None


def load_options(base: Options, start: str) -> Options:
    """``base`` completed by the nearest pyproject.toml; command-line values win. Raises SettingsError."""
    path = find_pyproject(start)
    if path is None:
        return base
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error
    if "adk" not in text.lower():
        return base
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: {error}") from error
    table = _table(_table(data, "tool"), "adk-split-eval")
    _keys(table, path)
    pinned = _pin(data)
    return Options(
        adk_version=base.adk_version or _version(table, path),
        config=base.config,
        select=base.select or _names(table, "select", path),
        ignore=(*base.ignore, *_names(table, "ignore", path)),
        pairs=_pairs(table, path),
        per_file_ignores=_per_file(table, path),
        root=os.path.dirname(path),
        command=base.command,
        agent_dir=base.agent_dir,
        project={"pin": pinned, "path": path},
    )


_KEYS = ("adk-version", "ignore", "pairs", "per-file-ignores", "select")


def _keys(table: dict[str, Any], path: str) -> None:
    """Refuses a key that nothing reads: what it was to settle would stay unsettled."""
    for key in table:
        if key not in _KEYS:
            near = key.replace("_", "-")
            hint = f"did you mean {near}?" if near in _KEYS else f"there are {', '.join(_KEYS)}"
            raise SettingsError(f"{path}: [tool.adk-split-eval] has no setting {key!r}; {hint}")


def _table(data: Any, name: str) -> dict[str, Any]:
    value = cast("dict[str, Any]", data).get(name) if isinstance(data, dict) else None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(table: dict[str, Any], key: str, path: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise SettingsError(f"{path}: [tool.adk-split-eval] {key} must be a string")
    return value


def _version(table: dict[str, Any], path: str) -> str | None:
    value = _text(table, "adk-version", path)
    if value and not all(part.isdigit() for part in value.split(".")[:2]):
        raise SettingsError(f"{path}: [tool.adk-split-eval] adk-version {value!r} is no version such as 2.13")
    return value or None


def _names(table: dict[str, Any], key: str, path: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(v, str) for v in cast("list[Any]", value)):
        raise SettingsError(f"{path}: [tool.adk-split-eval] {key} must be a list of rule codes or names")
    from adk_split_eval.lint.rule import problem_of_name

    for problem in filter(None, map(problem_of_name, cast("list[str]", value))):
        raise SettingsError(f"{path}: [tool.adk-split-eval] {key}: {problem}")
    return tuple(cast("list[str]", value))


def _pairs(table: dict[str, Any], path: str) -> tuple[tuple[str, str], ...]:
    value = table.get("pairs", [])
    found: list[tuple[str, str]] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else [None]:
        given = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        sets, config = given.get("set"), given.get("config")
        if not isinstance(sets, str) or not isinstance(config, str):
            raise SettingsError(
                f'{path}: [tool.adk-split-eval] pairs must be a list of {{set = "glob", config = "path"}}'
            )
        found.append((sets, config.replace("\\", "/")))
    return tuple(found)


def _per_file(table: dict[str, Any], path: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    value = table.get("per-file-ignores", {})
    if not isinstance(value, dict):
        raise SettingsError(f"{path}: [tool.adk-split-eval] per-file-ignores must be a table of glob = [codes]")
    given = cast("dict[str, Any]", value)
    return tuple((glob, _names(given, glob, path)) for glob in given)


_PIN = lazy(r"^google[-_.]adk\s*(?:\[[^\]]*\])?\s*(={2,3}|~=)\s*([0-9]+\.[0-9]+[0-9.]*)", re.I)

_EXACT = lazy(r"\s*(?:==|~=|~)?\s*([0-9]+\.[0-9]+[0-9.]*)\s*")


def _pin(data: dict[str, Any]) -> str | None:
    """The google-adk version the project asks for, from its dependencies."""
    project = _table(data, "project")
    lists: list[Any] = [project.get("dependencies")]
    lists.extend(_table(project, "optional-dependencies").values())
    lists.extend(_table(data, "dependency-groups").values())
    for entries in lists:
        for entry in cast("list[Any]", entries) if isinstance(entries, list) else []:
            found = _PIN.match(entry) if isinstance(entry, str) else None
            if found:
                version = found.group(2).rstrip(".")
                return version if found.group(1) != "~=" or version.count(".") > 1 else _compatible(version)
    poetry = _table(_table(_table(data, "tool"), "poetry"), "dependencies").get("google-adk")
    wanted = cast("dict[str, Any]", poetry).get("version") if isinstance(poetry, dict) else poetry
    exact = _EXACT.fullmatch(wanted) if isinstance(wanted, str) else None
    return exact.group(1) if exact else None


def _compatible(version: str) -> str | None:
    """``~= 2.7`` allows every later 2.x: the installed one, where it is one of them, is what the project runs on."""
    installed = (installed_version() or "").split(".")
    wanted = version.split(".")
    allowed = len(installed) > 1 and installed[0] == wanted[0] and int(installed[1]) >= int(wanted[1])
    return None if allowed else version


def assumed_version(options: Options) -> tuple[str, str]:
    """``(version, how it was found)``: asked for, pinned by the project, installed, newest known."""
    if options.adk_version:
        return options.adk_version, "as asked"
    pin = (options.project or {}).get("pin")
    if pin:
        return str(pin), "pinned in pyproject.toml"
    installed = installed_version()
    if installed:
        return installed, "installed"
    from adk_split_eval.criteria.knowledge import load, versions

    return load(versions()[-1]).taken_from, "newest known"


def installed_version() -> str | None:
    """The installed google-adk, found without importing ``importlib.metadata`` (slow at cold start)."""
    import sys

    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.startswith("google_adk-") and name.endswith(".dist-info"):
                return name[len("google_adk-") : -len(".dist-info")]
    return None


def matches(path: str, glob: str, root: str) -> bool:
    """Whether ``path`` is what ``glob`` (relative to ``root``) means; a bare file name matches anywhere."""
    full = os.path.abspath(path)
    relative = os.path.relpath(full, root or ".").replace(os.sep, "/")
    plain = glob.replace("\\", "/").removeprefix("./")
    wanted = {plain, plain.replace("**/", "")}  # ** may stand for no folder at all
    return any(fnmatch.fnmatch(relative, one) or fnmatch.fnmatch(os.path.basename(full), one) for one in wanted)


def chosen(code: str, name: str, names: tuple[str, ...]) -> bool:
    """Whether a rule is meant by ``names``: its code, a prefix of it, its name, or ``ALL``."""
    return any(n == name or n.upper() == "ALL" or (n and code.startswith(n.upper())) for n in names)
