# Two commands are enough: `make demo` and `make test`. Everything lives in .venv and out/; no root is needed.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: help demo up down test lint format types check quality faults bench bench-full bench-screens reference test-deploy docs clean

help:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.venv/run: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing Secretary and its embedded services into .venv (once) ..."
	@$(PIP) --editable '.[worker,local]'
	@touch $@

.venv/dev: .venv/run
	@echo "Installing the tools of the test suite into .venv (once) ..."
	@$(PIP) --editable '.[worker,local,dev]'
	@touch $@

demo: .venv/run ## a session and a PDF through the whole service; results in out/demo
	@$(BIN)/python -m infra.local.demo --out out/demo

up: .venv/run ## start the service and leave it running
	@SECRETARY_FILES__ROOTS="$(CURDIR)/samples" $(BIN)/secretary up --detach

down: .venv/run ## stop what `make up` started
	@$(BIN)/secretary down

test: .venv/dev ## the test suite
	@$(BIN)/python -m tests.servers.localstack
	@$(BIN)/python -m pytest --quiet --numprocesses 3 --dist loadgroup --no-loadscope-reorder

faults: .venv/dev ## 500 jobs under 100 injected faults; prints what was lost
	@$(BIN)/python -m tests.faults --jobs 500 --faults 100

quality: .venv/dev ## our Markdown beside the others', into docs/quality.md
	@$(BIN)/python -m tests.quality

bench: .venv/dev ## ours beside the others' in under five minutes, into out/bench
	@$(BIN)/python -m tests.bench

bench-full: .venv/dev ## the same at full size, into docs/performance.md
	@$(BIN)/python -m tests.bench --full

bench-screens: .venv/dev ## the dashboard's screens with a thousand and a million jobs
	@$(BIN)/python -m tests.bench.screens

reference: .venv/dev ## the page of routes, from the specification
	@$(BIN)/python -m functions.monitor.reference

test-deploy: .venv/dev ## build the image and run the service from it
	@$(BIN)/python -m tests.deploy.image

docs: .venv/dev ## the documentation as a web site in out/docs
	@$(BIN)/mkdocs build --quiet --strict

lint: .venv/dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: .venv/dev ## format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

types: .venv/dev
	@$(BIN)/mypy

check: lint types test ## what CI runs: lint, format, types, tests

clean: ## remove what was built here; data of `make up` stays
	@rm -rf .venv out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
