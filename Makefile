PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# The transcript that the demo compacts, and a model for which it is too long.
DEMO ?= docs/examples/recorded-session.jsonl
DEMO_ARGS ?= --window 32000 --max-output 4096
# What else to tell pytest, such as PYTEST_ARGS="-m TRG_04".
PYTEST_ARGS ?=
RESULTS := build/rulebook.xml
# A rule that fails is shown as failing; whatever else stops the run stops make.
RUN_THE_RULEBOOK := $(BIN)/pytest features --quiet --junitxml=$(RESULTS) || [ $$? -eq 1 ]

.PHONY: help demo test features docs bench soak kill mutate check format clean

help: ## What there is to make
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(READY) ## The main job on a transcript that comes along, without a key
	@$(BIN)/brim compact $(DEMO) $(DEMO_ARGS)

test: $(READY) ## Every rule by example, and every test
ifeq ($(PYTEST_ARGS),)
	$(BIN)/pytest features --junitxml=$(RESULTS)
	$(BIN)/pytest tests --junitxml=build/tests.xml
else
	$(BIN)/pytest features tests $(PYTEST_ARGS)
endif

features: $(READY) ## The rulebook alone
	$(BIN)/pytest features $(PYTEST_ARGS)

docs: $(READY) ## The documentation site, made from a run of the rulebook as it is
	@PYTHONPATH=docs:. $(BIN)/python -m living.whole $(RESULTS) || $(RUN_THE_RULEBOOK)
	@$(BIN)/sphinx-build -W --keep-going --quiet --jobs auto --doctree-dir build/doctrees docs build/site
	@echo "The site is at file://$(CURDIR)/build/site/index.html"

bench: $(READY) ## Speed and growth, as ratios within one run
	$(BIN)/python -m tests.benchmarks

soak: $(READY) ## 50,000 conversations under every policy; takes half an hour
	BRIM_CONVERSATIONS=50000 $(BIN)/pytest tests/engine/test_compactor_properties.py --timeout 0 --hypothesis-show-statistics

kill: $(READY) ## A thousand writers killed at random, and a minute of eight at once
	BRIM_ROUNDS=1000 $(BIN)/pytest tests/faults/test_sessions_killed.py -s --timeout 0
	BRIM_SECONDS=60 $(BIN)/pytest tests/faults/test_sessions_concurrent.py -s --timeout 0
	BRIM_ROUNDS=200 BRIM_SECONDS=60 $(BIN)/pytest tests/faults/test_postgres_killed.py -s --timeout 0
	BRIM_SECONDS=60 $(BIN)/pytest tests/faults/test_postgres_concurrent.py -s --timeout 0

mutate: $(READY) ## Break the pure rooms in every way, and see that a test notices
	$(BIN)/mutmut run
	$(BIN)/mutmut results
	$(BIN)/python -m tests.mutations

check: $(READY) ## Style, types and the order of the rooms
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry src

format: $(READY) ## Lay the code out as the check wants it
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## Remove what was made, the environment too
	rm -rf $(VENV) build dist mutants .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("brim needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up $(VENV), once"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
