# Two commands: 'make run' does the main job, 'make test' proves everything. Both set up what they
# need in .venv; a second call starts at once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The MPI to build with: the wheel's, or a system's own, as in 'make install MPICXX=mpicxx.openmpi'.
MPICXX ?=
# How pytest runs files on all cores, in the order of their tests.
SIDE_BY_SIDE := --numprocesses=auto --dist=loadfile --no-loadscope-reorder
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src reproduction -type f -not -name '*.pyc')

.PHONY: run test check durations validate bench lint tidy docs pictures install compiled dependencies wheel clean

run: $(VENV)/installed
	$(BIN)/halocline run lid-cavity --cells 40 --collision mrt --reynolds 1000 --tolerance 1e-3 --ranks 2

# Files side by side, the longest first; then what needs all cores. The second report is the total.
test: $(VENV)/tools
	rm -f build/suite.json
	$(BIN)/pytest -m "not slow and not alone" $(SIDE_BY_SIDE) --suite-report
	$(BIN)/pytest -m "not slow and alone" --suite-report

# For the loop of editing, at most 90 seconds: quick tests of units and messages, some of all others.
check: lint $(VENV)/tools
	$(BIN)/pytest -m "not slow and not alone" $(SIDE_BY_SIDE) --sample

# Store what each test took in the last 'make test': for the order of files and for 'make check'.
durations:
	$(BIN)/python tests/durations.py

# Long physics wherever it is, and random programs, with another seed each day.
validate: $(VENV)/tools tidy
	$(BIN)/pytest -m slow -vv
	HALOCLINE_PROGRAMS=2000 HALOCLINE_SEED=$$(date +%Y%m%d) $(BIN)/pytest -vv \
	  tests/property/test_programs.py tests/property/test_random_forests.py tests/parallel/test_random_programs.py
	HALOCLINE_MUTATIONS=10000 $(BIN)/pytest -vv tests/apps/test_mutated_files.py \
	  tests/apps/ocean/test_mutated_getm_folders.py tests/unit/tune/test_mutated_machines.py
	$(BIN)/python tests/seeded_faults/run.py

bench: $(VENV)/installed
	$(BIN)/halocline bench lbm
	$(BIN)/halocline bench step

lint: $(VENV)/linters
	$(BIN)/ruff check src reproduction tests examples bench docs/*.py
	$(BIN)/ruff format --check src reproduction tests examples bench docs/*.py
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror cpp/*/*.?pp cpp/*/*/*.?pp tests/cpp/*.cpp tests/fake_driver/*.?pp

# Faults in C++ that clang finds, in some two minutes of processor time. Many files as one: to read
# their headers takes longest.
tidy: $(VENV)/linters
	PATH="$(CURDIR)/$(BIN):$$PATH" MPICXX="$(MPICXX)" $(BIN)/cmake -G Ninja -S . -B build/tidy --log-level=ERROR \
	  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 -DHALOCLINE_STRICT=OFF \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python > build/tidy.log
	$(BIN)/python $(BIN)/run-clang-tidy.py -clang-tidy-binary $(BIN)/clang-tidy -p build/tidy -quiet \
	  -extra-arg=-idirafter$$($(CXX) -print-file-name=include) '^(?!.*nanobind)'

# Pages of all documents and the reference, without network: build/docs/index.html.
docs: $(VENV)/writers
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs build/docs

# The gallery's pictures, drawn anew by the examples; drawings of plans.
pictures: $(VENV)/installed
	$(BIN)/python docs/draw_pictures.py
	$(BIN)/python docs/draw_plans.py

install: $(VENV)/installed

# A wheel in build/wheels, for this Linux and newer ones; of other versions of Python by
# 'make wheel PYTHON=python3.12 VENV=build/python3.12'. With MPI found when a program runs.
wheel: $(VENV)/requirements
	$(BIN)/pip install --quiet --group wheel
	rm -rf build/raw-wheels
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/raw-wheels .
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --exclude libmpi.so.12 --wheel-dir build/wheels build/raw-wheels/*.whl

# Python's own environment, or virtualenv's where Debian's Python comes without one.
$(VENV)/created:
	$(PYTHON) -m venv $(VENV) || $(PYTHON) -m virtualenv $(VENV) || { \
	  echo "No virtual environment can be made: install Debian's python3-venv, or virtualenv with pip."; \
	  exit 1; }
	touch $@

# What the package is built with; separate, so that a change of the code does not install it again.
$(VENV)/requirements: $(VENV)/created pyproject.toml
	@echo "Installing CMake, ninja and MPI ..."
	@$(BIN)/python -m pip install --quiet --upgrade pip
ifeq ($(MPICXX),)
	@$(BIN)/pip install --quiet --group build --group mpi
else
	# From source, since it must use the same library; unoptimised, since that takes minutes less.
	@$(BIN)/pip install --quiet --group build
	@MPICC=$(subst mpicxx,mpicc,$(MPICXX)) CFLAGS=-O0 $(BIN)/pip install --quiet --no-binary mpi4py mpi4py
endif
	touch $@

# Packages arrive while the compiler works.
$(VENV)/installed: $(SOURCES) $(VENV)/requirements
	@$(MAKE) --no-print-directory --jobs=2 compiled dependencies
	@$(BIN)/pip install --quiet --no-deps --force-reinstall build/install/*.whl
	@touch $@

compiled:
	@echo "Compiling Halocline on all cores ..."
	@rm -rf build/install
	@PATH="$(CURDIR)/$(BIN):$$PATH" MPICXX="$(MPICXX)" $(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/install . ./reproduction
	@echo "Halocline is compiled."

dependencies:
	@echo "Installing NumPy, xarray, Matplotlib and what else runs need ..."
	@$(BIN)/pip install --quiet --no-build-isolation --only-deps ".[all]"

$(VENV)/tools: $(VENV)/installed
	$(BIN)/pip install --quiet --group test
	touch $@

$(VENV)/linters: $(VENV)/installed
	$(BIN)/pip install --quiet --group lint
	touch $@

$(VENV)/writers: $(VENV)/installed
	$(BIN)/pip install --quiet --group docs
	touch $@

clean:
	rm -rf $(VENV) build output
