# Two commands: `make train` and `make test`. Both make .venv and install into it what they need, once.
#
# PYTHON=python3.12    another interpreter (3.11 or later)
# ONLY="R9 agenda"     make mutants: only the faults that speak of one of these; make versions: `lowest`, `3.12`
# PIP_ARGS="..."       more arguments for pip, such as the index of a CPU build of torch (see README)

PYTHON ?= python3
PIP_ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python
export OMP_NUM_THREADS ?= 1

.PHONY: train test lint bench bench-peers peers mutants docs site interop interop-tests versions lock clean

train: $(VENV)/.train
	$(RUN) -m training.ppo configs/quickstart.toml
	@echo "strength, one forward pass a decision, likeliest action:"
	$(RUN) -m hemlock_env.cli match ckpt:runs/quickstart random greedy planner --games 2000 --seed 2026
	@echo "play it: hemlock match ckpt:runs/quickstart greedy --games 200"

test: $(VENV)/.test
	$(RUN) -m pytest -n auto --dist loadfile

lint: $(VENV)/.lint
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

bench: $(VENV)/.bench
	$(RUN) -m tests.benchmarks

# An environment of its own, because the other projects pull in much: JAX, OpenSpiel, EnvPool.
bench-peers:
	$(MAKE) VENV=.venv-peers peers

peers: $(VENV)/.peers
	$(RUN) -m tests.benchmarks.peers

mutants: $(VENV)/.test
	$(RUN) -m tests.support.mutants $(ONLY)

docs: $(VENV)/.test
	$(RUN) -m tests.support.reference docs

# Any warning, such as a link that leads nowhere, is an error (mkdocs.yml). The variable leaves out an advertisement.
site: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --quiet

# An environment of its own, because RLlib pins another Gymnasium.
interop:
	$(MAKE) VENV=.venv-interop interop-tests

interop-tests: $(VENV)/.interop
	$(RUN) -m pytest interop

# The lowest declared versions on the oldest Python, the newest on each that the path has.
versions: $(VENV)/.versions
	PIP_ARGS="$(PIP_ARGS)" $(RUN) -m tests.support.versions $(ONLY)

# Run the tests first: the file says that they passed with these versions.
lock: $(VENV)/.dev
	$(RUN) -m tests.support.lock requirements-lock.txt

clean:
	rm -rf $(VENV) .venv-interop .venv-versions .venv-peers build site *.egg-info

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "hemlock-env needs Python 3.11 or later; $(PYTHON) is not: give one by make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Python's venv module is missing; on Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) -m pip install --quiet --upgrade pip

$(VENV)/.%: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "installing hemlock-env[$*] into $(VENV)"
	@$(RUN) -m pip install --quiet -c constraints.txt $(PIP_ARGS) -e '.[$*]' || \
	  { echo "pip could not install the extra '$*': is a package index reachable? See README, Installing"; exit 1; }
	@touch $@
