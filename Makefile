# Common tasks. `make` alone prints them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help install generate build program docs run test test-all rest check soak bench
.PHONY: conformance release clean

ARGS ?=

help: ## print this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

install: node_modules/.installed ## install what package-lock.json names

node_modules/.installed: package-lock.json
	@.ci/check-node
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

generate: install ## derive types, tables, documents and rows from the contract and the migrations
	@node openapi/tools/generate.mjs

# What is generated here is not generated again by the rule that it calls.
build: generate ## compile everything, and build the pages
	@$(MAKE) -j2 --no-print-directory -o generate program docs

# All that the product runs on, without its documentation.
program: generate
	@node node_modules/typescript-7/bin/tsc -b
	@.ci/pages

docs: generate dist/docs/policy.json ## build the documentation; also at DOCS_BASE=/manual/
	@[ -z "$(DOCS_BASE)" ] || npx vitepress build docs

# Only if something changed that it is made from: a build takes half a minute.
sources = $(shell find docs openapi asyncapi -type f) CHANGELOG.md SECURITY.md package-lock.json
dist/docs/policy.json: $(sources) terminal-agent/README.md | generate
	@DOCS_BASE= npx vitepress build docs

run: program ## the product with a demo company, on SQLite; Ctrl-C stops it; ARGS=--once
	@MAKE='$(MAKE)' .ci/run-demo $(ARGS)

# With arguments only the tests they name.
ifneq ($(strip $(ROOM)$(FILE)$(NAME)$(CHANGED)),)
test: build
	@ROOM='$(ROOM)' FILE='$(FILE)' NAME='$(NAME)' CHANGED='$(CHANGED)' SEED='$(SEED)' .ci/test-some
else
test: build ## what a change needs; some: ROOM=service FILE=months NAME="is over" CHANGED=main
	@SEED='$(SEED)' .ci/test
endif

test-all: ## everything that protects a merge
	@.ci/run

rest: build
	@.ci/rest

check: generate ## format, lint, contract, unused code, imports, spelling
	@.ci/check

soak: build ## what takes long, NAME=chaos or another; without NAME the list
	@.ci/soak "$(NAME)" $(ARGS)

bench: build ## speed, each beside its ceiling
	@node service/dist/bench/run.js
	@node indexer/dist/bench/run.js

conformance: build ## judge the demo and the terminal agent from outside; ARGS="--suite oauth"
	@node .ci/conformance.mjs $(ARGS)

release: build ## packages for servers in dist/release; PART=terminal, containers, kit or contract
	@.ci/release "$(PART)" $(ARGS)

clean: ## remove what was built
	rm -rf dist .reports */dist */src/generated
