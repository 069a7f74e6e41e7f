# Needs nothing but make and Python 3.11 or newer (with its venv module). `make` alone lists what there is.

PYTHON = python3
VENV = .venv
PY = $(VENV)/bin/python
HOST = $(or $(GRADIO_SERVER_NAME),127.0.0.1)
PORT = $(or $(GRADIO_SERVER_PORT),7860)
ARGS =
OUT = out/evaluate
# Two processes of one thread each take less time than one of two. 5: nothing was selected in this half.
PYTEST = OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive $(PY) -m pytest $(ARGS)
NONE_IS_FINE = || [ $$? -eq 5 ]

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test test-core test-page bench evaluate clean

help:
	@echo "make run       the page, on http://$(HOST):$(PORT)  (HOST=, PORT=, ARGS=\"--model ID --corpus FILE\")"
	@echo "make test      lint, format and all tests  (ARGS=\"-k word\" goes to pytest)"
	@echo "make bench     what the signals cost, as a Markdown report  (ARGS=--quick: a first look)"
	@echo "make evaluate  the README's table: the questions that nothing was tuned on"
	@echo "make clean     remove the environment and what was made here"

run: $(VENV)/runtime.stamp
ifeq (,$(findstring --no-download,$(ARGS)))
	$(PY) -m dragin_core fetch
endif
	$(PY) app.py --host $(HOST) --port $(PORT) $(ARGS)

test: $(VENV)/dev.stamp
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	@$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=target test-core test-page

test-core:
	$(PYTEST) --ignore=tests/ui $(NONE_IS_FINE)

test-page:
	$(PYTEST) tests/ui $(NONE_IS_FINE)

bench: $(VENV)/runtime.stamp
	$(PY) -m bench $(ARGS)

evaluate: $(VENV)/runtime.stamp
	$(PY) -m dragin_core evaluate assets/questions.jsonl --half even --explore --out $(OUT) $(ARGS)

clean:
	rm -rf $(VENV) out .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is written only after its install went through, and is older than its requirements once they change.
$(VENV)/runtime.stamp: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: install it, or name it with PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
		|| { echo "Python's venv module is missing: install it (Debian, Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(PY) -m pip install --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt $(VENV)/runtime.stamp
	$(PY) -m pip install --disable-pip-version-check -r requirements-dev.txt
	@touch $@
