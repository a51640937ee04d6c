# Everything a newcomer needs: `make report`, `make test`. All else is listed by `make help`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= out

.PHONY: help report test test-slow lint bench bench-exact bench-models bench-procset-models bench-procset-bb bench-sukp bench-sukp-table bench-submesh bench-stream bench-packing bench-ptas mutation clean

help:
	@echo "make report     set up, run every method on the bundled instances, write $(OUT)/report"
	@echo "make test       set up, run the tests"
	@echo "make test-slow  the longer checks"
	@echo "make lint       ruff, mypy, import-linter"
	@echo "make mutation   change the code in one place at a time: which changes do the tests see?"
	@echo "make bench      speed: k-subsets, processor sets, set-union knapsacks, submeshes, streams, each"
	@echo "                beside a baseline; about an hour; single parts below"
	@echo "make bench-exact  proofs of optimality: sizes, seconds, what each rule buys"
	@echo "make bench-models  what the models for general solvers prove, and in what time"
	@echo "make bench-procset-bb  proofs for processor sets without a structure to follow"
	@echo "make bench-sukp  set-union knapsacks proven, beside a general solver"
	@echo "make bench-procset-models  the same for the models of processor sets"
	@echo "make bench-submesh  submesh allocation as the mesh fills, beside 0/1 arrays"
	@echo "make bench-stream  streams of jobs, simulated and measured"
	@echo "make bench-packing  whether boxes can be packed: a known set, and states of a mesh"
	@echo "make bench-ptas  the PTAS: seconds, choice and bound over the optimum, against strips"
	@echo "make bench-sukp-table  the set-union knapsack benchmark searched by tabu: docs/sukp.md"

# Pinned versions come from constraints.txt; the stamp renews them when a pin changes.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("closeknit needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,lint]'
	touch $@

report: $(VENV)/.ready
	$(BIN)/closeknit ratios bundled worst-cases --out $(OUT)/report
	@echo "The report: file://$(abspath $(OUT)/report/report.html)"

test: $(VENV)/.ready
	$(BIN)/pytest -n 2

test-slow: $(VENV)/.ready
	$(BIN)/pytest -n 2 -m slow

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_mm.py
	$(BIN)/python benchmarks/bench_dp.py
	$(BIN)/python benchmarks/bench_procset.py
	$(BIN)/python benchmarks/bench_procset_bb.py
	$(BIN)/python benchmarks/bench_sukp.py
	$(BIN)/python benchmarks/bench_submesh.py
	$(BIN)/python benchmarks/bench_stream.py

# ARGS="--ablate", ARGS="--models 60", or ARGS="'32x32 k=64'" for single rows
bench-exact: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_exact.py $(ARGS)

bench-models: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_models.py

bench-procset-models: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_procset_models.py $(ARGS)

# ARGS="--ablate", ARGS="--models 60", or ARGS="'12^3 r=32 full'" for single rows
bench-procset-bb: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_procset_bb.py $(ARGS)

# ARGS="--all --baseline none", ARGS="--only 120x120"
bench-sukp: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_sukp.py $(ARGS)

# ARGS="--seconds 60 --seeds 10 --instances 500_485 --bound-seconds 0"
bench-sukp-table: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_sukp_table.py $(ARGS)

# ARGS="fill", ARGS="'fill 1..64' 'run 256'"
bench-submesh: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_submesh.py $(ARGS)

bench-stream: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_stream.py $(ARGS)

bench-ptas: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_ptas.py $(ARGS)

bench-packing: $(VENV)/.ready
	$(BIN)/python benchmarks/bench_packing.py $(ARGS)

# ARGS="--minutes 20 simulation/stream.py", ARGS="--report", ARGS="--first"; docs/mutation.md
mutation: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mutation]'
	$(BIN)/python benchmarks/mutation.py $(ARGS)

clean:
	rm -rf $(VENV) $(OUT) build *.egg-info
