# `make run` and `make test` are each the only command needed on a machine with Python 3.11 or newer and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Bytecode is kept, whatever the machine's settings: else every worker, server and process of a test compiles all anew.
export PYTHONDONTWRITEBYTECODE :=
# What computes keeps free memory for what it computes next: else each large tensor is fetched from the system anew.
KEEP_MEMORY := MALLOC_TRIM_THRESHOLD_=268435456 MALLOC_MMAP_THRESHOLD_=268435456
# More than cores: tests in the browser wait a lot.
WORKERS := 4
QUICK := tests/test_layering.py tests/test_words.py tests/test_parameters.py tests/test_masks.py tests/test_positions.py \
	tests/encodings tests/rope_scaling tests/test_invariants.py tests/figures/test_image.py \
	tests/figures/test_curves.py tests/chapters/test_rope.py tests/chapters/test_windows.py

.PHONY: run test quick verify lint types bench gallery gallery_program transfer translation screenshots clean

# With two arenas of memory threads share what is free: see docs/decisions/12-memory.md.
run: $(VENV)/.run
	MALLOC_ARENA_MAX=2 $(BIN)/streamlit run app.py

test: $(VENV)/.dev
	./tests/programs.sh
	node --test --test-reporter=spec tests/scripts/*.test.js
	$(KEEP_MEMORY) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --ignore tests/verification $(TESTS)

# What one changes most: mathematics, chapters, kinds of picture. It needs no browser and no server.
quick: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -q $(QUICK)

# What takes long and changes rarely: how hard texts are to read, the places of papers that are quoted, the notebook of
# proof made anew, property tests with other examples, the longer lectures, and whether tests notice mutants.
verify: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet cosmic-ray
	$(BIN)/python -m pytest -n 2 tests/verification
	$(BIN)/python -m tests.verification
	$(BIN)/python -m pytest -n 2 --dist worksteal -q --explore $(QUICK)
	$(BIN)/python -m pytest -n 2 --dist worksteal -q --explore tests/browser/test_pages.py
	$(BIN)/python -m pytest -n 2 -q tests/browser/test_presenting.py --lectures 45 --lectures 90
	$(BIN)/python -m tests.verification.mutation --mutants 40 --out $$(mktemp)

lint: $(VENV)/.dev node_modules/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo --no-cache
	node_modules/.bin/biome check --error-on-warnings

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.pages

# A process for each core; what is complete is kept in runs/sweeps.sqlite, and not trained again. The second has the
# same runs on another text, which the page of the gallery compares with the first.
gallery: TEXT := text
gallery_program: TEXT := program
gallery gallery_program: $(VENV)/.run
	$(KEEP_MEMORY) $(BIN)/python -m pe_core.lab.gallery --text $(TEXT) --out runs/$@.json
	mv runs/$@.json pe_core/runs/$@.json

# Does the ranking of small models hold for larger ones? It needs CUDA, says how long it takes at the pace of its first
# steps, and goes on with the model at which it was stopped. FOLDER is the text, of the size of those in docs/lab.md.
transfer: DEVICE := cuda
transfer: STEPS := 2000
transfer: FOLDER = $(shell $(BIN)/python -c "import torch; print(torch.__path__[0])")/distributed
transfer: LARGE = --size paper --device $(DEVICE) --text $(FOLDER) --steps $(STEPS) --train-length 512 --d-model 512 \
	--n-heads 8 --n-layers 6 --batch-size 64 --peak-learning-rate 0.001 --n-seeds 3
transfer: $(VENV)/.run
	$(BIN)/python -m pe_core.lab $(LARGE) --out runs/large \
		--encodings none sinusoidal learned alibi t5 kerple_log fire
	$(BIN)/python -m pe_core.lab $(LARGE) --out runs/large_rope \
		--encodings rope --repairs pi ntk dynamic_ntk yarn --tune-steps 100
	$(BIN)/python -m pe_core.lab.transfer runs/large.json runs/large_rope.json --out pe_core/runs

# What is to be translated: make translation LANGUAGE=fr. What is translated already stays.
translation: $(VENV)/.run
	$(BIN)/python -m ui.language.layout $(LANGUAGE)

screenshots: $(VENV)/.dev
	$(BIN)/python -m docs.screenshots

clean:
	rm -rf $(VENV) node_modules

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, $(PYTHON) is older"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { echo "python3 cannot make a virtual environment: on Debian, apt-get install python3-venv"; rm -rf $(VENV); exit 1; }

# The package is installed as a link to this folder (-e), so that a change of the code counts at once.
$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e '.[app]'
	touch $@

# What tests import is compiled here once, where each worker would compile it; most of what is installed never is.
# Where that fails, `make test` says why.
$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-compile -e '.[dev]'
	-$(BIN)/python -m pytest --collect-only --quiet > /dev/null
	touch $@ $(VENV)/.run

# What looks over the scripts and styles of the browser; the app itself needs none of it.
node_modules/.installed: package-lock.json
	@command -v npm > /dev/null || { echo "make lint needs node and npm: on Debian, apt-get install nodejs npm"; exit 1; }
	npm ci --silent --no-audit --no-fund || { echo "npm ci has failed: without --silent it says why"; exit 1; }
	touch $@
