"""Finding a team's own function by its dotted path, whatever the working directory and the import path are.

The project root is the first folder that holds the path's module, looked for in this order: the environment variable
``ADK_SPLIT_EVAL_ROOT``; above the agent ADK has loaded; above the files named on the command line; the working directory
and above; the import path. The root's package is taken even when another one of the same name is installed or already
imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from adk_split_eval.metrics.text import escape, quote

ROOT_VARIABLE = "ADK_SPLIT_EVAL_ROOT"
_LOCK = threading.RLock()
_SET_ASIDE: dict[tuple[Path, str], dict[str, ModuleType]] = {}
"""Modules of a root whose names another root's modules hold in ``sys.modules``."""


class TeamMetricError(Exception):
    """A team's function cannot be had; the message says why and where it was looked for."""


def resolve(path: str, root: str | Path | None = None) -> Callable[..., Any]:
    """The function at the dotted ``path`` (``custom_metrics.refund.promises_a_date``).

    Args:
        root: the project root; looked for when None.

    Raises:
        TeamMetricError: no such module or function, or importing it failed.
    """
    module_path, _, name = path.rpartition(".")
    if not module_path or not all(part.isidentifier() for part in path.split(".")):
        raise TeamMetricError(f"{quote(path, 100)} is no dotted path of a module and a function in it")
    folder = Path(root).resolve() if root is not None else find_root(module_path)
    if not _holds(folder, module_path.split(".")):
        raise TeamMetricError(f"there is no {module_path.replace('.', '/')}.py in {folder}")
    module = _load(module_path, folder)
    function = getattr(module, name, None)
    if function is None:
        raise TeamMetricError(f"module {module_path} in {folder} has no function {name}{_near(name, module)}")
    if not callable(function):
        raise TeamMetricError(f"{path} is a {type(function).__name__}, not a function")
    return function


def find_root(module_path: str) -> Path:
    """The first folder, in the order above, that holds the module.

    Raises:
        TeamMetricError: there is none.
    """
    parts = module_path.split(".")
    partial: Path | None = None
    seen: set[Path] = set()
    for folder in _candidates():
        if folder in seen:
            continue
        seen.add(folder)
        if _holds(folder, parts):
            return folder
        if partial is None and _holds(folder, parts[:1]):
            partial = folder
    if partial is not None:
        raise TeamMetricError(f"{partial / parts[0]} has no module {'.'.join(parts[1:])}")
    raise TeamMetricError(
        f"no folder with {parts[0]}/ or {parts[0]}.py was found above the agent, the files on the command line or the "
        f"working directory, nor on the import path; set {ROOT_VARIABLE} to the project root"
    )


def look_first_in(root: str) -> None:
    """From now on a team's functions are looked for in this project first."""
    os.environ[ROOT_VARIABLE] = root


def _candidates() -> Iterator[Path]:
    given = os.environ.get(ROOT_VARIABLE)
    if given:
        yield Path(given).resolve()
    for start in (*_agent_folders(), *_argument_folders()):
        yield from (start, *start.parents)
    here = _working_directory()
    if here is not None:
        yield from (here, *here.parents)
    yield from (Path(entry).resolve() for entry in list(sys.path) if entry)


def _agent_folders() -> list[Path]:
    """Folders of loaded agents: module ``agent`` under ``adk eval``, ``<package>.agent`` elsewhere."""
    folders: list[Path] = []
    for name, module in list(sys.modules.items()):
        named = name == "agent" or (name.endswith(".agent") and _names_an_agent(module))
        file = getattr(module, "__file__", None) if named else None
        if isinstance(file, str):
            folders.append(Path(file).resolve().parent)
    return folders


def _names_an_agent(module: ModuleType) -> bool:
    names: dict[str, Any] = getattr(module, "__dict__", {})
    return any(key in names for key in ("root_agent", "app", "get_agent_async"))


def _argument_folders() -> list[Path]:
    """Folders of what the command line names: ``agent``, ``set.json``, ``set.json:case``, ``--option=file``."""
    folders: list[Path] = []
    for argument in sys.argv[:200]:
        for text in (argument, argument.rpartition(":")[0], argument.partition("=")[2]):
            path = _existing(text)
            if path is not None:
                folders.append(path if path.is_dir() else path.parent)
                break
    return folders


def _existing(text: str) -> Path | None:
    try:
        path = Path(text).resolve() if text else None
        return path if path is not None and path.exists() else None
    except (OSError, ValueError):
        return None


def _working_directory() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it was removed under us
        return None


def _holds(folder: Path, parts: list[str]) -> bool:
    """Whether ``folder`` holds the module: a file, or a folder with Python in it."""
    place = folder.joinpath(*parts)
    try:
        if place.with_name(place.name + ".py").is_file():
            return True
        return place.is_dir() and any(entry.suffix == ".py" or entry.is_dir() for entry in place.iterdir())
    except OSError:
        return False


def _load(module_path: str, root: Path) -> ModuleType:
    """Import the module from ``root`` under its own name, past any other package of that name."""
    top = module_path.partition(".")[0]
    with _LOCK:
        displaced = _displace(top, root)
        sys.modules.update(_SET_ASIDE.get((root, top), {}))
        try:
            if top not in sys.modules:
                _import_top(top, root)
            _offer(root)
            importlib.invalidate_caches()
            return importlib.import_module(module_path)
        except (Exception, SystemExit) as error:
            raise TeamMetricError(f"importing {module_path} from {root} failed: {_said(error)}") from error
        finally:
            if displaced:
                _SET_ASIDE[root, top] = _take_out(top)
                sys.modules.update(displaced)


def _displace(top: str, root: Path) -> dict[str, ModuleType]:
    """Take out of ``sys.modules`` what is loaded under that name from elsewhere."""
    present = sys.modules.get(top)
    if present is None or _belongs(present, root / top):
        return {}
    return _take_out(top)


def _take_out(top: str) -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name == top or name.startswith(top + ".")]
    return {name: sys.modules.pop(name) for name in names}


def _belongs(module: ModuleType, place: Path) -> bool:
    file = getattr(module, "__file__", None)
    if isinstance(file, str):
        return Path(file).resolve() in (place / "__init__.py", place.with_name(place.name + ".py"))
    return any(Path(entry).resolve() == place for entry in getattr(module, "__path__", []))


def _import_top(top: str, root: Path) -> None:
    """Import the first package from its place, not from wherever the import path would find that name."""
    place = root / top
    file = place / "__init__.py" if place.is_dir() else root / f"{top}.py"
    if place.is_dir() and not file.is_file():
        module = ModuleType(top)
        module.__path__ = [str(place)]
        sys.modules[top] = module
        return
    search = [str(place)] if place.is_dir() else None
    spec = importlib.util.spec_from_file_location(top, file, submodule_search_locations=search)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[top] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(top, None)
        raise


def _offer(root: Path) -> None:
    """Let the team's module import its neighbours in the root; last, so that nothing installed is hidden."""
    if str(root) not in sys.path:
        sys.path.append(str(root))


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {escape(str(error)[:300])}"


def _near(name: str, module: ModuleType) -> str:
    import difflib

    known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""
