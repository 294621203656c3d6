PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# What is set up: the package, for the demo; with what the site shows and the group docs, for the site; with all of it for
# the rest.
BRIM := $(VENV)/.package
DOCS := $(VENV)/.docs
DEV := $(VENV)/.dev
FUZZ := build/fuzz/.ready

# The transcript that the demo compacts, and a model for which it is too long.
DEMO ?= docs/examples/recorded-session.jsonl
DEMO_ARGS ?= --window 32000 --max-output 4096
# What else to tell pytest, such as PYTEST_ARGS="-m TRG_04".
PYTEST_ARGS ?=
RESULTS := build/rulebook.xml
# COVERAGE names a folder for what is measured of the lines and branches that features and tests reach.
COVERAGE ?=
# What of it is measured: the tests take half as long again where they are.
MEASURED ?= features tests
NOTE ?=
# Of which sample of mutants, of which modules (such as summary.facts), and what judges them.
SEED ?= brim
MODULES ?=
JUDGES ?= features
MEASURE = $(if $(and $(COVERAGE),$(filter $(1),$(MEASURED))),COVERAGE_FILE=$(COVERAGE)/$(1) $(BIN)/coverage run -m pytest)
# Two runs at once write files of their own; the one that ends last leaves its results.
RUN = mkdir -p build && $(or $(MEASURE),$(BIN)/pytest) $(1) --junitxml=build/$(1).$$$$.xml; code=$$?; \
  mv -f build/$(1).$$$$.xml $(2) 2>/dev/null; exit $$code

# Two builds at once share their folders: the second waits for the first. Each builds from nothing.
SPHINX = import shutil, sys, filelock, sphinx.cmd.build as build; lock = filelock.FileLock("build/site.lock"); \
  lock.acquire(); [shutil.rmtree(folder, True) for folder in ("build/site", "build/doctrees")]; \
  sys.exit(build.main(sys.argv[1:]))

# The tests start hundreds of processes, each of which would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: approve help demo test features coverage docs wheel bench scorecard needed matrix nightly fuzz soak mutate check format clean

help: ## What there is to make
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(BRIM) ## brim compact on the recorded session, without a key
	@$(BIN)/brim compact $(DEMO) $(DEMO_ARGS)

test: $(DEV) ## Every rule by example, and every test but those that build a site or run for long
ifeq ($(PYTEST_ARGS),)
	@$(call RUN,features,$(RESULTS))
	@$(call RUN,tests,build/tests.xml)
else
	$(BIN)/pytest features tests $(PYTEST_ARGS)
endif

features: $(DEV) ## The rulebook alone
	$(BIN)/pytest features $(PYTEST_ARGS)

coverage: $(DEV) ## The same run as make test, with what it reaches of each package against the noted figures
	@mkdir -p build; folder=$$(mktemp -d build/coverage.XXXXXX); trap 'rm -rf '$$folder EXIT; \
	  $(MAKE) --no-print-directory test COVERAGE=$$folder && $(BIN)/python -m tests.branch_coverage $$folder $(NOTE)

docs: $(or $(wildcard $(DEV)),$(DOCS)) ## The documentation site, with the results of the last run; RELEASE=yes fails while rules are not approved
	@PYTHONPATH=docs:. $(BIN)/python -m living.results $(RESULTS) || echo "No results of this version: make test, then make docs, shows them"
	@$(BIN)/python -c '$(SPHINX)' -W --keep-going --quiet $(if $(RELEASE),-D living_release=1) --jobs auto --doctree-dir build/doctrees docs build/site || \
	  { echo "The build has found the above; what it made is at file://$(CURDIR)/build/site/index.html"; exit 1; }
	@echo "The site is at file://$(CURDIR)/build/site/index.html"

wheel: ## The wheel in dist, tried in an empty environment
	@rm -rf dist build/wheel && $(PYTHON) -m venv build/wheel
	@build/wheel/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@build/wheel/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	@cd build && wheel/bin/brim --version && wheel/bin/brim compact ../$(DEMO) $(DEMO_ARGS) | tail -1 && wheel/bin/python -c "import brim; [getattr(brim, name) for name in brim.__all__]"
	@ls -l dist

approve: $(DOCS) ## Note that a reviewer of product approves a package's rules: PACKAGE=trigger NAME="..."
	@PYTHONPATH=docs:. $(BIN)/python -m living.approval "$(PACKAGE)" "$(NAME)"

bench: $(DEV) ## Speed and growth, as ratios within one run
	$(BIN)/python -m tests.benchmarks

scorecard: $(DEV) ## What is there after a compaction and after one search, of the transcripts in TRANSCRIPTS
	$(BIN)/python -m tests.scorecard $(or $(TRANSCRIPTS),$(BRIM_TRANSCRIPTS),$(error name a folder of transcripts: make scorecard TRANSCRIPTS=FOLDER))

needed: $(DEV) ## What an agent needed next and a compaction has, of the transcripts in TRANSCRIPTS
	$(BIN)/python -m tests.needed_next $(or $(TRANSCRIPTS),$(BRIM_TRANSCRIPTS),$(error name a folder of transcripts: make needed TRANSCRIPTS=FOLDER))

matrix: $(DEV) ## brim beside other compactors, each in an environment of its own, on the transcripts in TRANSCRIPTS
	$(BIN)/python -m tests.matrix $(or $(TRANSCRIPTS),$(BRIM_TRANSCRIPTS),$(error name a folder of transcripts: make matrix TRANSCRIPTS=FOLDER))

nightly: $(DEV) ## All tests with their full sets: random cases, kills, every page, adapter and row; make coverage, make mutate; takes hours
	@$(PYTHON) .ci/agents.py
	@$(BIN)/python -m tests.matrix.environments
	BRIM_NIGHTLY=yes $(BIN)/pytest features tests --timeout 3600 --junitxml=build/nightly.xml
	@$(MAKE) --no-print-directory coverage
	@$(MAKE) --no-print-directory mutate

fuzz: $(FUZZ) ## Files, logs, scripts and bodies grown by coverage, SECONDS=1800 each, two at a time; TARGETS="shell" for one
	TMPDIR=/dev/shm nice -n 19 build/fuzz/bin/python -m tests.fuzz $(or $(SECONDS),1800) $(TARGETS)

soak: $(DEV) ## Agents through the proxy for MINUTES=60, while the provider fails and the proxy is killed
	$(BIN)/python -m tests.soak $(or $(MINUTES),60)

mutate: $(DEV) ## Break the domain packages in every way, and see that a scenario notices; takes hours (SAMPLE=150: minutes)
ifdef SAMPLE
	@mkdir -p build
	$(BIN)/python -m tests.mutations.sample $(SAMPLE) $(SEED) $(MODULES) > build/mutants.txt
	cd mutants && MUTANT_UNDER_TEST=stats PYTHONPATH=$(CURDIR)/mutants/src:$(CURDIR)/mutants:$(CURDIR)/tests/mutations \
	  $(CURDIR)/$(BIN)/pytest $(JUDGES) -n0 -q -p judge --mutants=../build/mutants.txt --ignore=features/cli/replay.feature
else
	$(BIN)/mutmut run
	$(BIN)/python -m tests.mutations
	$(BIN)/mutmut results
endif

check: $(DEV) ## Style, types and the order of the packages
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry src

format: $(DEV) ## Lay the code out as the check wants it
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## Remove what was made, the environment too
	rm -rf $(VENV) build dist mutants .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(BRIM): pyproject.toml
	@$(PYTHON) .ci/setup.py $@

$(DOCS): pyproject.toml
	@$(PYTHON) .ci/setup.py $@ langchain,pydantic-ai docs && touch $(BRIM)

$(DEV): pyproject.toml
	@$(PYTHON) .ci/setup.py $@ all dev && touch $(BRIM) $(DOCS)

$(FUZZ): pyproject.toml
	@$(PYTHON) .ci/setup.py $@ all fuzz
