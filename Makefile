# The ones that do everything on a fresh Debian 12:
#   make run     install what is missing, build, compile and run real kernels
#   make test    install what is missing, run all tests
#   make bench   install peers to compare with, measure, write docs/benchmarks.md
# and: lint, generate, build, install, clean.

SHELL  := /bin/bash
PREFIX ?= /usr/local
GO      = $(or $(shell scripts/setup go 2>/dev/null),go)

.DEFAULT_GOAL := build
.PHONY: run test bench lint generate build install clean

run:
	@scripts/setup run
	@$(MAKE) --no-print-directory tour

# make works a recipe's variables out before its first line runs: what set-up
# brings is seen by another make only.
.PHONY: tour
tour: build
	CGO_ENABLED=0 $(GO) run ./examples/tour

test:
	@scripts/setup test
	@$(MAKE) --no-print-directory check

.PHONY: check
check:
	$(GO) vet ./...
	CGO_ENABLED=0 $(GO) build ./...
	$(GO) test ./...
	CGO_ENABLED=1 $(GO) test -race ./...

bench:
	@scripts/setup bench
	@$(MAKE) --no-print-directory measure

.PHONY: measure
measure:
	CGO_ENABLED=0 $(GO) run ./bench

lint:
	$(GO) vet ./...
	$(GO) test ./internal/lint

generate:
	$(GO) generate ./...

build:
	CGO_ENABLED=0 $(GO) build -o bin/kiln ./cmd/kiln

install: build
	install -D -m 755 bin/kiln $(DESTDIR)$(PREFIX)/bin/kiln

clean:
	rm -rf bin
