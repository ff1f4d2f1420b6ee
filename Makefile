# Almanac's verbs. A fresh machine needs python3 >= 3.11, make and a package index; everything else is installed here,
# into .venv and .tools. What needs Node or an emulator says so and is skipped where it is missing.

PYTHON ?= python3
UV_VERSION := 0.13.9
TOOLS := .tools
UV := $(TOOLS)/uv/bin/uv
BIN := .venv/bin
export UV_PYTHON_DOWNLOADS := never

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev serve test test-all soak ci check fix lint types imports bench scale scale-measure docs docs-check pictures embedder build build-here conformance tools deploy-local e2e smoke lock clean

help: ## Show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

setup: .venv/.runtime ## Install what running Almanac needs

setup-dev: .venv/.dev ## Install what working on Almanac needs

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Almanac needs Python 3.11 or newer; set PYTHON=/path/to/python3.")'
	@mkdir -p $(TOOLS)
	$(PYTHON) -m venv $(TOOLS)/uv
	$(TOOLS)/uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

.venv/pyvenv.cfg: | $(UV)
	$(UV) venv --quiet --python $(SYSTEM_PYTHON) .venv

.venv/.runtime: requirements.lock pyproject.toml | .venv/pyvenv.cfg
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

.venv/.dev: requirements-dev.lock .venv/.runtime
	$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements-dev.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

serve: setup ## Run Almanac on this machine
	@exec $(BIN)/almanac serve $(ARGS)

# Every core takes the next tests as it gets free; ARGS may name files, another -m, or --numprocesses 0.
PYTEST := $(BIN)/pytest --ignore=tests/e2e --ignore=tests/browser --numprocesses auto --maxprocesses 8 --dist worksteal

test: setup-dev ## Unit, contract, conformance and integration tests but the slow ones: some minutes
	$(PYTEST) -m "not slow and not soak" $(ARGS)

test-all: setup-dev ## The same with races and kill rounds
	$(PYTEST) -m "not soak" $(ARGS)

# Soaks measure as well, so they have the machine to themselves, one after the other.
soak: setup-dev embedder $(TOOLS)/ministack/.ready $(TOOLS)/sam/.ready tools ## Soaks and simulations, of an hour or more; with CI=true none is skipped
	$(BIN)/pytest -m soak $(ARGS) tests
	$(BIN)/pytest -m "hypothesis and not soak" --new-examples $(ARGS) tests

check: lint types imports docs-check ## Everything a machine can say without running the product

templates: $(TOOLS)/cfn-lint/.ready ## Check the templates of AWS
	$(TOOLS)/cfn-lint/bin/cfn-lint template.yaml infra/*.yaml

# Its first run installs 200 MB; then it takes a minute. What it may find is in .checkov.yaml, and why in docs/operating.md.
audit: $(TOOLS)/checkov/.ready ## Look for what is not secure in the templates
	$(TOOLS)/checkov/bin/checkov --config-file .checkov.yaml --file template.yaml infra/*.yaml

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup-dev
	$(BIN)/pyright

imports: setup-dev
	$(BIN)/lint-imports

fix: setup-dev ## Format, and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup-dev ## Write the generated pages and schema snapshots
	$(BIN)/python -m tools.documents.main .
	$(BIN)/python -m tools.readme_picture

pictures: setup-dev $(TOOLS)/chromium/.ready ## Take the pictures of the dashboard anew
	$(BIN)/python -m tools.pictures

docs-check: setup-dev
	$(BIN)/python -m tools.documents.main --check .
	$(BIN)/python -m tools.readme_picture --check

conformance: setup-dev ## The public MCP conformance suites and the differential test
	$(BIN)/pytest -q tests/conformance

SYSTEM_PYTHON = $$($(PYTHON) -c 'import sys; print(sys.executable)')

# AWS: what sam builds for, and for the benchmark once more for this machine.
SAM := SAM_CLI_TELEMETRY=0 $(TOOLS)/sam/bin/sam
LAMBDA_ARCHITECTURE ?= arm64
LAMBDA_PYTHON ?= 3.13
HOST_ARCHITECTURE := $(subst aarch64,arm64,$(shell uname -m))
HOST_PYTHON = $(shell $(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
# A shell's search for a Python of the version $(1), active or not: by uv, else by pyenv. Only that version compiles for the functions.
COMPILER = $$(for each in "$$($(UV) python find --no-python-downloads $(1) 2>/dev/null)" "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$(1).*/bin/python; do \
	  "$$each" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != "$(1)")' 2>/dev/null && echo "$$each" && break; done)
SAM_BUILD = UV="$(abspath $(UV))" ALMANAC_PYTHON="$(abspath $(BIN)/python)" EMBEDDER="$(abspath $(EMBEDDER))" PYTHON="$(SYSTEM_PYTHON)" COMPILER="$(call COMPILER,$(2))" LAMBDA_ARCHITECTURE=$(1) LAMBDA_PYTHON=$(2) $(SAM) build --parameter-overrides Architecture=$(1)

$(TOOLS)/cfn-lint/.ready: | $(UV)
	$(UV) venv --quiet --allow-existing --python $(SYSTEM_PYTHON) $(TOOLS)/cfn-lint
	$(UV) pip install --quiet --python $(TOOLS)/cfn-lint/bin/python cfn-lint==1.58.0
	@touch $@

$(TOOLS)/checkov/.ready: | $(UV)
	$(UV) venv --quiet --allow-existing --python $(SYSTEM_PYTHON) $(TOOLS)/checkov
	$(UV) pip install --quiet --python $(TOOLS)/checkov/bin/python checkov==3.3.30
	@touch $@

$(TOOLS)/sam/.ready: | $(UV)
	$(UV) venv --quiet --allow-existing --python $(SYSTEM_PYTHON) $(TOOLS)/sam
	$(UV) pip install --quiet --python $(TOOLS)/sam/bin/python aws-sam-cli==1.170.0
	@touch $@

# What the embedder's layer holds besides numpy; half a minute of CPU, once for each change of what it is made by.
EMBEDDER := .aws-sam/embedder
$(EMBEDDER)/.ready: layers/embedder/embedder_files.py $(wildcard layers/app/almanac/platform/embedder/*.py) | setup
	$(BIN)/python $< $(EMBEDDER)
	@touch $@

embedder: $(EMBEDDER)/.ready

build: $(TOOLS)/sam/.ready embedder ## Check the template and build for AWS
	@[ -n "$(call COMPILER,$(LAMBDA_PYTHON))" ] || { echo "Python $(LAMBDA_PYTHON) is not installed, and only it makes bytecode for the functions. Install it (pyenv install $(LAMBDA_PYTHON), or uv python install $(LAMBDA_PYTHON)), or choose another by LAMBDA_PYTHON and the parameter Runtime." >&2; exit 1; }
	$(SAM) validate
	for stack in infra/*.yaml; do $(SAM) validate --config-file $(abspath samconfig.toml) --template $$stack || exit 1; done
	$(call SAM_BUILD,$(LAMBDA_ARCHITECTURE),$(LAMBDA_PYTHON))
	[ -z "$(ROLLOUT)" ] || $(BIN)/python tools/rollout.py .aws-sam/build/template.yaml "$(ROLLOUT)"

$(TOOLS)/bench/.ready: tests/bench/requirements.lock tests/bench/runtime.lock | $(UV)
	$(UV) venv --quiet --allow-existing --python $(SYSTEM_PYTHON) $(TOOLS)/bench
	$(UV) pip sync --quiet --python $(TOOLS)/bench/bin/python --require-hashes tests/bench/requirements.lock
	rm -rf $(TOOLS)/runtime
	$(UV) pip install --quiet --target $(TOOLS)/runtime --no-deps --require-hashes -r tests/bench/runtime.lock
	-command -v npm >/dev/null && npm install --silent --no-fund --no-audit --no-save --prefix $(TOOLS)/bench/node chrono-node@2.10.3
	@touch $@

bench: setup-dev embedder $(TOOLS)/bench/.ready $(TOOLS)/sam/.ready $(TOOLS)/ministack/.ready ## Measure, and write docs/benchmarks.md
	$(call SAM_BUILD,$(HOST_ARCHITECTURE),$(HOST_PYTHON)) --build-dir .aws-sam/host >/dev/null
	PYTHONPATH=. $(BIN)/python tests/bench/run.py --date $$(date +%F) --build .aws-sam/host --write $(ARGS)

scale: setup-dev ## Count units, cost and heat of the keys, and write docs/scale.md
	$(BIN)/python -m tests.bench.scale.report --write

scale-measure: setup-dev $(TOOLS)/dynoxide/.ready ## Measure the CPU times that docs/scale.md reckons with
	$(BIN)/python -m tests.bench.scale.measured

deploy-local: setup-dev embedder $(TOOLS)/ministack/.ready $(TOOLS)/sam/.ready ## Deploy onto an emulator of AWS on this machine
	@exec $(BIN)/python -m tests.e2e.deploy_local $(ARGS)

# The laptop and the browser beside the emulated stack: they wait for different things. 5 is that none of the tests chosen by ARGS is there.
e2e: setup-dev embedder $(TOOLS)/ministack/.ready $(TOOLS)/sam/.ready $(TOOLS)/chromium/.ready ## End to end: laptop, emulated AWS, ALMANAC_URL where set, and the pages in a browser
	@passed() { [ $$1 -eq 0 ] || [ $$1 -eq 5 ]; }; \
	{ $(BIN)/pytest tests/e2e -m "not soak" -k laptop $(ARGS); laptop=$$?; \
	  $(BIN)/pytest tests/browser -m "not soak" $(ARGS); pages=$$?; \
	  passed $$laptop && passed $$pages; } & here=$$!; \
	$(BIN)/pytest tests/e2e -m "not soak" -k "not laptop" $(ARGS); others=$$?; \
	wait $$here && passed $$others

# The key goes by the environment, where no list of processes shows it.
smoke: export ALMANAC_URL := $(or $(URL),$(ALMANAC_URL))
smoke: export ALMANAC_API_KEY := $(or $(KEY),$(ALMANAC_API_KEY))
smoke: export ALMANAC_FEED_URL := $(or $(FEED),$(ALMANAC_FEED_URL))
smoke: setup-dev ## Check a deployment: URL=... KEY=..., and for what an operator sees STACK=...
	@$(BIN)/python -m tests.smoke.run $(if $(STACK),--stack $(STACK)) $(if $(DISTURB),--disturb)

tools: $(TOOLS)/ministack/.ready $(TOOLS)/dynoxide/.ready $(TOOLS)/opensearch/installed.json $(TOOLS)/chromium/.ready ## Stand-ins for DynamoDB, a node of OpenSearch, and a browser, which more tests run against

$(TOOLS)/ministack/.ready: | $(UV)
	$(UV) venv --quiet --allow-existing --python $(SYSTEM_PYTHON) $(TOOLS)/ministack
	$(UV) pip install --quiet --python $(TOOLS)/ministack/bin/python ministack==1.5.33 aws-sam-translator==1.115.0
	@touch $@

# Linux on x86-64 only; without it its tests are skipped.
$(TOOLS)/dynoxide/.ready:
	@mkdir -p $(TOOLS)/dynoxide
	-command -v npm >/dev/null && cd $(TOOLS)/dynoxide && npm install --silent --no-audit --no-fund --no-package-lock @dynoxide/linux-x64@1.2.1
	@touch $@

# Debian's browser, by root where apt is; elsewhere one that is installed is used. Without one its tests are skipped, but for CI=true.
$(TOOLS)/chromium/.ready:
	@mkdir -p $(TOOLS)/chromium
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null; } || \
	  echo "Chromium is not installed: the tests of the pages are skipped." >&2
	@touch $@

# Without mvn its tests are skipped, but for CI=true.
$(TOOLS)/opensearch/installed.json: tests/opensearch/artefacts.py | setup-dev
	-command -v mvn >/dev/null && $(BIN)/python -m tests.opensearch.artefacts $(TOOLS)/opensearch && touch $@

lock: | $(UV) ## Pin the dependencies anew
	$(UV) pip compile --quiet --universal --generate-hashes --no-header --extra aws --group embedder pyproject.toml -o requirements.lock
	$(UV) pip compile --quiet --universal --generate-hashes --no-header --extra aws --group embedder --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(UV) pip compile --quiet --universal --generate-hashes --no-header -c requirements.lock layers/vendor/requirements.in -o layers/vendor/requirements.lock
	$(UV) pip compile --quiet --universal --generate-hashes --no-header -c requirements.lock layers/embedder/requirements.in -o layers/embedder/requirements.lock
	$(UV) pip compile --quiet --universal --generate-hashes --no-header -c requirements.lock layers/grammars/requirements.in -o layers/grammars/requirements.lock
	$(UV) pip compile --quiet --universal --generate-hashes --no-header -c requirements.lock tests/bench/requirements.in -o tests/bench/requirements.lock

# Sets have the same order in each run, as properties have the same examples: a change is not held up by what it did not do.
ci: export PYTHONHASHSEED = 0
ci: check templates tools $(TOOLS)/sam/.ready test-all build-here e2e ## What must hold before a change lands

build-here: setup
	@echo "Building for Python $(HOST_PYTHON), which runs here. make build makes what is deployed, for $(LAMBDA_PYTHON)."
	$(MAKE) build LAMBDA_PYTHON=$(HOST_PYTHON)

clean: ## Remove everything that was installed or built here
	rm -rf .venv $(TOOLS) .aws-sam .pytest_cache .ruff_cache .hypothesis .import_linter_cache
