# The ones that do everything on a fresh Debian 12:
#   make run     install what is missing, build, compile and run real kernels
#   make test    install what is missing, run all tests
#   make bench   install peers to compare with, measure, write docs/benchmarks.md
# and: lint, generate, build, install and uninstall (PREFIX=, DESTDIR=), deb, clean.

SHELL  := /bin/bash
PREFIX ?= /usr/local
GO      = $(or $(shell scripts/setup go 2>/dev/null),go)

.DEFAULT_GOAL := build
.PHONY: run test bench lint generate build install uninstall deb clean

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

# The cache alone; prints its table and writes nothing.
.PHONY: bench-cache
bench-cache:
	CGO_ENABLED=0 $(GO) run ./bench -run '^cache$$'

# Code for GPUs against libLLVM and the assemblers alone.
.PHONY: bench-codegen
bench-codegen:
	$(GO) test ./compile -run '^$$' -bench 'PTX|Cubin|DeviceLibrary'

lint:
	$(GO) vet ./...
	$(GO) test ./internal/lint

generate:
	$(GO) generate ./...

# The program finds nothing by where it lies: it is the same for every PREFIX.
BUILD = CGO_ENABLED=0 $(GO) build -trimpath

build:
	$(BUILD) -o bin/kiln ./cmd/kiln

# DESTDIR is where the files are put, PREFIX where they are meant to be.
install: build
	@$(MAKE) --no-print-directory place KILN=bin/kiln

.PHONY: place
SHARE = $(DESTDIR)$(PREFIX)/share
place:
	install -D -m 755 $(KILN) $(DESTDIR)$(PREFIX)/bin/kiln
	install -D -m 644 -t $(SHARE)/man/man1 packaging/man/*.1
	install -D -m 644 -t $(SHARE)/doc/kiln LICENSE README.md CHANGELOG.md
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(KILN) completion bash > $(SHARE)/bash-completion/completions/kiln
	$(KILN) completion zsh > $(SHARE)/zsh/site-functions/_kiln
	$(KILN) completion fish > $(SHARE)/fish/vendor_completions.d/kiln.fish

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/kiln $(SHARE)/man/man1/kiln.1 $(SHARE)/man/man1/kiln-*.1
	rm -f $(SHARE)/bash-completion/completions/kiln $(SHARE)/zsh/site-functions/_kiln $(SHARE)/fish/vendor_completions.d/kiln.fish
	rm -rf $(SHARE)/doc/kiln

# Needs dpkg-deb, which every Debian has; makes bin/kiln_VERSION_ARCH.deb.
deb:
	@rm -rf bin/deb
	$(BUILD) -buildmode=pie -ldflags='-s -w -bindnow' -o bin/deb/kiln ./cmd/kiln
	@$(MAKE) --no-print-directory place KILN=bin/deb/kiln DESTDIR=bin/deb/root PREFIX=/usr
	@scripts/deb bin/deb/root "$$(bin/deb/kiln version --json | sed -n 's/.*"version": "\(.*\)".*/\1/p')" bin
	@rm -rf bin/deb

clean:
	rm -rf bin
