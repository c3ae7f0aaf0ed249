# What one does here. `make` alone prints this list.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help install debian-packages generate freeze-contract lint lint-contract build run demo-once terminal-package release containers conformance-replicas chaos stops proxies standby follow year audit-verify docs test kills offline-kills check spell unused mutants conformance conformance-package conformance-container violations generators bench clean

ARGS ?=

help: ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-22s %s\n", $$1, $$2 }'

install: node_modules/.installed ## install what package-lock.json names

node_modules/.installed: package-lock.json
	@.ci/check-node
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

debian-packages: ## install what some tests need from Debian (only as root, with apt)
	@.ci/debian-packages

generate: install ## derive types, tables and bundled documents from openapi/ and asyncapi/, rows from the migrations
	@node openapi/tools/generate.mjs

lint: install ## judge code and format: Biome, without a warning left; few lines beyond 120 columns
	@npx biome check --error-on-warnings .
	@node .ci/line-length.mjs

freeze-contract: generate ## part of a release: keep the documents that later versions must not break
	@node openapi/tools/release.mjs

lint-contract: generate ## judge openapi/ and asyncapi/: Redocly strict, our own rules and every example
	@node openapi/tools/lint.mjs

build: generate ## compile everything, and build the pages
	@$(MAKE) --no-print-directory docs & docs=$$!; node node_modules/typescript-7/bin/tsc -b; compiled=$$?; wait $$docs && exit $$compiled
	@npx vite build --logLevel warn service/web/demo & demo=$$!; npx vite build --logLevel warn service/web && wait $$demo
	@node .ci/first-load.mjs
	@npx vite build --logLevel warn terminal-agent/web

docs: generate dist/docs/policy.json ## the documentation as a static site, in dist/docs; the service serves it under /docs; DOCS_BASE=/manual/ also builds dist/site for that address
	@[ -z "$(DOCS_BASE)" ] || npx vitepress build docs

# Only if something changed that it is made from: a build takes half a minute.
dist/docs/policy.json: $(shell find docs openapi asyncapi -type f) CHANGELOG.md SECURITY.md terminal-agent/README.md package-lock.json | generate
	@DOCS_BASE= npx vitepress build docs

run: build ## the whole product with a demo company, on SQLite; Ctrl-C stops it
	@node service/dist/demo/run.js $(ARGS)

demo-once: build ## the same once, without a terminal: exit 0 only if stamp, event and verdict are right
	@node service/dist/demo/run.js --once $(ARGS)

terminal-package: build ## the terminal agent as a Debian package, with Node and without this repository
	@node terminal-agent/packaging/build.mjs

release: build ## service and indexer for servers in dist/release, the same bytes each time; RELEASE_KEY=file of an SSH key signs
	@node service/packaging/release.mjs

containers: release ## images of service and indexer with podman; BASE=image another base than Node's
	@service/packaging/container/build $(BASE)

conformance-replicas: build ## the conformance kit against two processes behind HAProxy; PROCESSES=4 for four, ARGS as for conformance
	@node .ci/conformance-replicas.mjs $(ARGS)

chaos: build ## kills, full disks, locks, slow clients and jumping clocks under load, for service, indexer and agent, a quarter of an hour; ARGS="postgres full", CHAOS_SECONDS=120
	@node service/dist/bench/chaos.js $(ARGS)
	@node indexer/dist/bench/chaos.js $(ARGS)
	@[ -n "$(ARGS)" ] || STAMPS=$(or $(STAMPS),600) KILLS=$(or $(KILLS),12) KILL_SEED=$(or $(KILL_SEED),chaos) .ci/offline-kills

stops: build ## an SQLite file whose writer is stopped at random system calls, or meets a full disk: STOPS=1000; needs strace
	@STOPS=$(or $(STOPS),1000) node service/dist/bench/file-stops.js

proxies: build ## SIGTERM behind the documented Caddy and nginx, under 24 stamping clients: STOPS=10; needs caddy and nginx-light
	@STOPS=$(or $(STOPS),10) node service/dist/bench/proxies.js

standby: build ## a synchronous standby 0, 1, 2 and 5 ms away, and promoting it once the primary is killed; ARGS=promotion ROUNDS=3
	@node service/dist/bench/standby.js $(ARGS)

follow: build ## followers of the feed while writers stamp through PROCESSES=2 processes, CHANGES=10000; ARGS=kills, promotion or synchronous
	@PROCESSES=$(or $(PROCESSES),2) CHANGES=$(or $(CHANGES),10000) node service/dist/bench/follow.js $(ARGS)

year: build ## a year of 200 people with a moved clock, every balance recomputed from the rows at its end; PEOPLE=50 ARGS=postgres
	@node service/dist/bench/year.js $(ARGS)

audit-verify: build ## check the chain of the audit log in DB_DSN; ARGS="--head 123:…" with a head noted earlier
	@node service/dist/src/main.js audit verify $(ARGS)

# With arguments only the tests they name, without what only the whole needs.
ifneq ($(strip $(ROOM)$(FILE)$(NAME)$(CHANGED)),)
test: build
	@ROOM='$(ROOM)' FILE='$(FILE)' NAME='$(NAME)' CHANGED='$(CHANGED)' SEED='$(SEED)' .ci/test-some
else
test: debian-packages build ## all tests, on SQLite and PostgreSQL; some: ROOM=service FILE=months NAME="is over" SEED=7
	@SEED='$(SEED)' .ci/test
endif

kills: build ## webhooks under 100 kills of the service, 10,000 events, about an hour; EVENTS=300 KILLS=6 KILL_SEED=7
	@EVENTS=$(or $(EVENTS),10000) KILLS=$(or $(KILLS),100) KILL_SEED=$(or $(KILL_SEED),kills) .ci/kills

offline-kills: build ## offline stamps under 100 kills of agent and service, 10,000 stamps; STAMPS=300 KILLS=9 KILL_SEED=7
	@STAMPS=$(or $(STAMPS),10000) KILLS=$(or $(KILLS),100) KILL_SEED=$(or $(KILL_SEED),kills) .ci/offline-kills

check: lint lint-contract build spell unused ## code, contract, types, spelling and unused code, without tests

spell: install ## check spelling; real terms go into .cspell/words.txt
	@npx cspell lint --quiet .

unused: generate ## files, exports and dependencies that nothing uses
	@npx knip --no-progress
	@npm run --silent imports

mutants: generate ## change every expression of a file and expect red tests; FILES=service/src/absences/state.ts TESTS=absence
	@DIALECTS=sqlite TESTS='$(TESTS)' NODE_OPTIONS='--experimental-vm-modules --disable-warning=ExperimentalWarning' npx stryker run --mutate '$(FILES)'

conformance: build ## judge the demo and the terminal agent from outside, with everything it documents; ARGS="--suite oauth --level should"
	@node .ci/conformance.mjs $(ARGS)

conformance-package: build ## the conformance kit as an npm package in dist/conformance, which needs nothing of this repository
	@conformance/packaging/build

conformance-container: build ## an image of that package with podman; BASE=image another base than Node's
	@conformance/packaging/build image $(BASE)

violations: build ## break service, indexer, terminal and receiver, one thing at a time: the kit must name at least 95 %; ARGS="--only CLK-002"
	@node .ci/violations.mjs $(ARGS)

generators: build ## clients of the usual generators: generate, compile, make calls, also in Ruby and PHP; Bruno sends its collection; some: ARGS="orval bruno"
	@.ci/debian-packages default-jre-headless ruby ruby-typhoeus php-cli php-curl php-mbstring php-guzzlehttp-guzzle
	@cd conformance/generators && npm install --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error
	@node conformance/generators/run.mjs $(ARGS)

bench: build ## speed, each beside its ceiling
	@node service/dist/bench/run.js
	@node indexer/dist/bench/run.js

clean: ## remove what was built
	rm -rf dist .reports */dist */src/generated
