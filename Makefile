# Two commands: `make demo` and `make test`. Both set up everything they need in .venv; setting up twice costs nothing.

PYTHON ?= python3
VENV ?= .venv
VENV_OLDEST ?= .venv-oldest
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test soak test-oldest check format types imports docs clean setup setup-dev

help:  ## Show the targets.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

setup: $(VENV)/.adk  ## Install the product and google-adk into .venv.

setup-dev: $(VENV)/.dev  ## Install what the tests need as well.

$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11, 3.12 or 3.13 is needed: make PYTHON=python3.11") if not (3, 11) <= sys.version_info[:2] < (3, 14) else None'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.adk: $(VENV)/.python pyproject.toml constraints.txt
	@echo "Installing google-adk and adk-split-eval into $(VENV) (once, one to three minutes) …"
	$(PIP) install -c constraints.txt -e '.[adk]'
	@touch $@

$(VENV)/.dev: $(VENV)/.adk
	$(PIP) install -c constraints.txt -e '.[adk,dev]'
	@touch $@

demo: $(VENV)/.adk  ## Gate, probe and one hit on the example agent, offline.
	@$(BIN)/adk-split-eval run evalsets/refund_desk/refund_desk.plan.yaml --fresh

test: $(VENV)/.dev  ## Run all tests.
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -q

soak: $(VENV)/.dev  ## Run the long versions: 50 kills, 2,000 faulty conversations, long fuzzing, the real pre-commit.
	$(BIN)/python -m pytest -q -m slow

$(VENV_OLDEST)/.dev: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV_OLDEST)
	@grep -Ev '^(google|grpc|proto|fastapi|starlette|litellm|opentelemetry)' constraints.txt > $(VENV_OLDEST)/constraints.txt
	@echo "Installing the oldest supported google-adk into $(VENV_OLDEST) (once, one to three minutes) …"
	$(VENV_OLDEST)/bin/python -m pip --disable-pip-version-check --quiet install -c $(VENV_OLDEST)/constraints.txt 'google-adk[eval]==2.10.0' -e '.[adk,dev]'
	@touch $@

test-oldest: $(VENV_OLDEST)/.dev  ## Run the tests that touch ADK on the oldest version we support.
	$(VENV_OLDEST)/bin/python -m pytest -q --ignore tests/parity/test_oldest.py tests/parity tests/silent_greens tests/adversarial tests/cases tests/metrics tests/build tests/run tests/judging

check: $(VENV)/.dev  ## Format, lint, types, import contracts, and our own linter on our own examples.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/adk-split-eval build --check evalsets/*/*.plan.yaml
	$(BIN)/adk-split-eval lint evalsets

format: $(VENV)/.dev  ## Format the code.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## Remove .venv and caches.
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
