# Everything a newcomer needs: `make report`, `make test`. All else is listed by `make help`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
OUT ?= out
SECONDS ?= 60

.PHONY: data published docs pyodide review check-wheel dist sbom rehearse recipe pin audit-workflows test-oldest help report report-all test test-full test-slow lint lock audit licences fuzz bench warm soak mutation metamorphic veripb install-veripb slurm-live slurm-packages clean

help:
	@echo "make report     set up, measure the systems on the bundled instances, write $(OUT)/report"
	@echo "make report-all  the same with every heuristic and auto"
	@echo "make test       set up, run the tests of the core that stay in one process"
	@echo "make test-full  all tests but the slow ones"
	@echo "make test-slow  the longer checks"
	@echo "make lint       ruff, mypy, import-linter"
	@echo "make docs       the documentation site, in $(OUT)/site"
	@echo "make review     what scientific Python expects of a repository"
	@echo "make check-wheel  a wheel and an sdist that install and solve outside the checkout"
	@echo "make dist       the same twice, in dist/; make sbom what it is installed with; make rehearse a release"
	@echo "make pin        digests of actions and images (asks the network); make audit-workflows zizmor"
	@echo "make test-oldest  the tests of the core with the oldest versions that pyproject.toml allows"
	@echo "make recipe     reads and renders packaging/recipe.yaml as rattler-build does"
	@echo "make published  compute again what the pages publish; which answers have changed?"
	@echo "make data       the public data that some tests read: what is there, what is missing"
	@echo "make fuzz       every text grammar under Atheris, $(SECONDS) seconds each"
	@echo "make audit      known weaknesses of the pinned versions (asks the network)"
	@echo "make licences   licences of what closeknit needs; fails on GPL and AGPL"
	@echo "make lock       renew the digests in constraints.txt"
	@echo "make mutation   change the code in one place at a time: which changes do the tests see?"
	@echo "make metamorphic  a million pairs of like instances: do the optima of all exact methods agree?"
	@echo "make veripb     VeriPB, a foreign checker, follows 4000 proofs; installed by cargo; 20 minutes"
	@echo "make bench      speed: k-subsets, processor sets, set-union knapsacks, submeshes, streams, each"
	@echo "                beside a baseline; about an hour. NAME=exact is one of them alone, and NAME=..."
	@echo "                $(subst _,-,$(patsubst benchmarks/bench_%.py,%,$(wildcard benchmarks/bench_*.py)))"
	@echo "make bench COMPARE=A,B  two commits in pairs of runs: ratios with intervals, other answers"
	@echo "make warm       compile the kernels of the methods beforehand"
	@echo "make slurm-live  a real Slurm of 1000 emulated nodes, with and without closeknit (Debian, root)"
	@echo "make soak       a million requests to one select --serve; at most an hour"

# Pinned versions come from constraints.txt; the stamp renews them when a pin changes.
$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("closeknit needs Python 3.11 or newer")'
	date +%s > $(VENV)-began
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r constraints.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	echo $$(($$(date +%s) - $$(cat $(VENV)-began))) > $@; rm $(VENV)-began

# A virtual environment of its own for what is not needed to run or test.
$(VENV)-%/.ready:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check $*
	touch $@

# The versions that constraints.txt names stay; digests and what is missing are added.
lock: $(VENV)-uv/.ready
	sed -nE 's/^([A-Za-z0-9._-]+==[^\\]+[^ \\]).*/\1/p' constraints.txt > $(VENV)-uv/pins.txt
	grep '^#' constraints.txt > $(VENV)-uv/head.txt
	sed -nE 's/^requires = \["(.*)"\].*/\1/p' pyproject.toml > $(VENV)-uv/build.in
	$(VENV)-uv/bin/uv pip compile --quiet pyproject.toml $(VENV)-uv/build.in \
	  --extra test --extra lint --extra docs --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url \
	  -c $(VENV)-uv/pins.txt -o $(VENV)-uv/lock.txt
	cat $(VENV)-uv/head.txt $(VENV)-uv/lock.txt > constraints.txt

# Known weaknesses of what constraints.txt names; asks a service on the network.
audit: $(VENV)-pip-audit/.ready
	$(VENV)-pip-audit/bin/pip-audit --strict --disable-pip --require-hashes -r constraints.txt

# Fails on GPL and AGPL in what closeknit itself needs.
licences: $(VENV)/.ready
	$(BIN)/python tools/licences.py

# Warnings are errors: a link to nowhere, a page that no list has. Python for the page that
# checks proofs is fetched by npm, once; `python -m http.server -d $(OUT)/site` serves the site.
docs: $(VENV)/.ready
	$(BIN)/python tools/pyodide.py
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs $(OUT)/site
	@echo "$(OUT)/site/index.html"

# Every system of the papers and the variants next to it. Optima come from where least has to
# be compiled; what vouches for them are the proofs.
report: RATIOS = --methods systems --exact cuts-bb,classes/cpsat,union/cpsat --proofs
report-all: RATIOS = --proofs
report report-all: $(VENV)/.ready
	@echo "Methods on 42 instances, each optimum with its proof. Stopped, the same command goes"
	@echo "on; on a terminal a bar tells the time left."
	$(BIN)/closeknit ratios bundled worst-cases $(RATIOS) --out $(OUT)/$@
	@echo "environment $$(cat $(VENV)/.ready) s, when it was made"
	@echo "The report: file://$(abspath $(OUT)/$@/report.html)"

# ALL=1 runs what 6 hours allow; stopped, the same command goes on. ARGS="--only frontier"
published: $(VENV)/.ready
	$(BIN)/python tools/published.py --out $(OUT)/published $(if $(ALL),--all) $(ARGS)

# All kernels, compiled beforehand in parallel; what is there already is skipped.
warm: $(VENV)/.ready
	$(BIN)/closeknit warm

# The tests of the core that stay in one process; 25 examples of each property.
test: $(VENV)/.ready
	$(BIN)/closeknit warm ksubset procset sukp submesh
	$(BIN)/pytest -n 2 --dist worksteal --tier quick

# All tests but the slow ones: what .ci/run calls. Some wait, so that three fill two cores.
test-full: warm
	$(BIN)/pytest -n 3 --dist worksteal

# The slow ones, and five times the draws of all others that draw.
test-slow: warm
	$(BIN)/pytest -n 2 --dist worksteal -m slow -o faulthandler_timeout=7200
	$(BIN)/pytest -n 2 --dist worksteal -m "hypothesis and not slow" --draws 5

# Each dependency in the oldest version that pyproject.toml allows. ARGS="tests/instances -x"
test-oldest: $(VENV)-uv/.ready
	$(VENV)-uv/bin/uv pip compile --quiet pyproject.toml --extra dask --extra pandas --extra proofs \
	  --extra serve --resolution lowest-direct --python-version 3.11 --no-header -o $(VENV)-uv/oldest.txt
	$(VENV)-uv/bin/uv venv --quiet --clear --python 3.11 $(VENV)-oldest
	$(VENV)-uv/bin/uv pip install --quiet --python $(VENV)-oldest/bin/python \
	  -c $(VENV)-uv/oldest.txt -e '.[test]'
	$(VENV)-oldest/bin/pytest -n 2 --dist worksteal --tier quick $(ARGS)

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# What Scientific Python's guide asks of a repository; exceptions are in pyproject.toml.
review: $(VENV)-repo-review/.ready
	$(VENV)-repo-review/bin/python -m pip install --quiet --disable-pip-version-check \
	  'repo-review[cli]' sp-repo-review validate-pyproject
	$(VENV)-repo-review/bin/repo-review .

# The known exception: actions by tag, until `make pin` was run.
audit-workflows: $(VENV)-zizmor/.ready
	$(VENV)-zizmor/bin/python tools/release/pin.py --check
	$(VENV)-zizmor/bin/zizmor --offline --no-progress .github \
	  $(if $(shell grep -- ' -$$' .github/actions.lock),--config .github/zizmor-until-pinned.yml)

# Needs git, skopeo and the network. ARGS=--renew, ARGS=--take
pin:
	$(PYTHON) tools/release/pin.py $(ARGS)

# No channel of conda is asked: reads and renders; another build is `rattler-build build`.
recipe: $(VENV)-py-rattler-build/.ready
	$(VENV)-py-rattler-build/bin/python tools/release/recipe.py

dist: $(VENV)-build/.ready
	rm -rf dist && $(VENV)-build/bin/python tools/release/build_twice.py --out dist

# CycloneDX of the wheel in an environment of its own, with the versions of constraints.txt.
sbom: $(VENV)-cyclonedx-bom/.ready
	rm -rf $(VENV)-wheel && $(PYTHON) -m venv $(VENV)-wheel
	sed -nE 's/^([A-Za-z0-9._-]+==[^\\]+[^ \\]).*/\1/p' constraints.txt > $(VENV)-wheel/pins.txt
	$(VENV)-wheel/bin/python -m pip install --quiet --disable-pip-version-check \
	  -c $(VENV)-wheel/pins.txt dist/closeknit-*.whl
	$(VENV)-wheel/bin/python -m pip uninstall --quiet --yes pip
	mkdir -p $(OUT)
	$(VENV)-cyclonedx-bom/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type library \
	  --output-reproducible --output-format JSON --output-file $(OUT)/closeknit.cdx.json \
	  $(VENV)-wheel/bin/python

# A release without the push: a clone is tagged, built twice, installed, and solves.
rehearse: $(VENV)-build/.ready
	$(VENV)-build/bin/python tools/release/rehearse.py $(ARGS)

# Builds a wheel and an sdist, twice, installs each into a fresh environment, solves there.
check-wheel: $(VENV)-build/.ready
	$(VENV)-build/bin/python tools/release/check_wheel.py

# Public data that lies outside the repository, ARGS="--from DOWNLOADS" gathers it.
data:
	$(PYTHON) tools/data.py $(ARGS)

# Wheels of Atheris are for CPython up to 3.13: PYTHON=python3.12, for instance.
fuzz: $(VENV)/.ready $(VENV)-atheris/.ready
	for name in configuration expression hostlist trace sukp study; do \
	  PYTHONPATH=.:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
	  $(VENV)-atheris/bin/python fuzz/harness.py $$name -max_total_time=$(SECONDS) \
	    -artifact_prefix=$(OUT)/fuzz-$$name- || exit 1; \
	done

# NAME=exact is benchmarks/bench_exact.py; its docstring has the ARGS: ARGS="--ablate",
# ARGS="'32x32 k=64'" for single rows. Without NAME those that stand beside a baseline.
# COMPARE=v0.1.0,HEAD ARGS="--rows solve-16x16 --pairs 15": benchmarks/compare.py
bench: $(VENV)/.ready
ifdef COMPARE
	$(BIN)/python benchmarks/compare.py $(COMPARE) $(ARGS)
else
	for name in $(or $(subst -,_,$(NAME)),mm dp procset procset_bb sukp submesh stream); do \
	  $(BIN)/python benchmarks/bench_$$name.py $(ARGS) || exit 1; \
	done
endif

# The targets of before, for one release.
bench-%:
	@echo "make $@ is now make bench NAME=$*" >&2
	@$(MAKE) --no-print-directory bench NAME=$*

# ARGS="--requests 100000 --seconds 600"
soak: $(VENV)/.ready
	$(BIN)/python benchmarks/soak_select.py $(ARGS)

# ARGS="--jobs 10000 --runs plain,closeknit", ARGS="--jobs 100 --leaves 5"; docs/clusters/slurm.md
slurm-live: $(VENV)/.ready slurm-packages
	$(BIN)/python benchmarks/slurm/live.py $(ARGS)

# No service of these packages has to run: the target starts its own.
slurm-packages:
	dpkg -s slurmctld slurmd slurm-client munge lua-posix >/dev/null 2>&1 \
	  || apt-get install -y --no-install-recommends slurmctld slurmd slurm-client \
	       slurm-wlm-basic-plugins munge lua5.1 lua-posix

# Outside the checkout, so that it is built once.
VERIPB := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/closeknit-veripb-3.0.2/bin/veripb
$(VERIPB):
	cargo install --quiet veripb --version 3.0.2 --locked --root $(VERIPB:/bin/veripb=)

# Python for the browser, for the page that checks; prints the folder that has it.
pyodide: $(VENV)/.ready
	@$(BIN)/python tools/pyodide.py

# Prints the folder that PATH needs.
install-veripb: $(VERIPB)
	@echo "$(<D)"

# ARGS="--drawn 50 --problem sukp --seed 2"; docs/science/proofs.md
veripb: $(VENV)/.ready $(VERIPB)
	$(BIN)/closeknit ratios bundled --methods random --time-limit 10 --proofs --out $(OUT)/veripb/bundled
	PATH="$(dir $(VERIPB)):$$PATH" $(BIN)/python tools/veripb.py $(OUT)/veripb/bundled/proofs \
	  frontier $(or $(ARGS),--drawn 1000)

# ARGS="--minutes 20 simulation/stream/simulator.py", ARGS="--report", ARGS="--first"; docs/internals/mutation.md
mutation: $(VENV)/.ready
	sed -nE 's/^([A-Za-z0-9._-]+==[^\\]+[^ \\]).*/\1/p' constraints.txt > $(VENV)/pins.txt
	$(PIP) install -c $(VENV)/pins.txt --no-build-isolation -e '.[mutation]'
	$(BIN)/python benchmarks/mutation.py $(ARGS)

# COUNT=10000 takes about two minutes; ARGS="--first 385 --count 1" is one case again.
metamorphic: $(VENV)/.ready
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.metamorphic.runner --count $(or $(COUNT),1000000) $(ARGS)

clean:
	rm -rf $(VENV) $(VENV)-* $(OUT) build *.egg-info
