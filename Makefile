# The front door. CMake works underneath, in $(BUILD).

BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
TESTS ?= # of ctest, which of them: -L cli

need = @tools/install-deps
configure = @test -f $(BUILD)/CMakeCache.txt || cmake -S . -B $(BUILD)
configure_tests = @cmake -S . -B $(BUILD) -DFLYBALL_TESTS=ON >/dev/null
compile = @env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake --build $(BUILD) -j $(JOBS)

.PHONY: all demo test bench bench-peers lint format mutants package deb screenshots bare install clean help

all: ## build the program, build/flyball (the default)
	$(need) build
	$(configure)
	$(compile)

demo: all ## simulate the seven-body mechanism: a table, its certificate, a plot
	@tools/demo.sh $(BUILD)/flyball

test: ## build and run all tests
	$(need) build test
	$(configure_tests)
	$(compile) --target all tests
	@OPENBLAS_NUM_THREADS=$${OPENBLAS_NUM_THREADS:-1} ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --no-label-summary -j $(JOBS) $(TESTS)

bench: all ## work against precision, and scaling
	$(need) bench
	$(compile) --target flyball-steps
	@python3 tools/bench.py $(BUILD)/flyball --plot $(BUILD)/work-precision.svg

bench-peers: all ## named cases by every method and by the peers that Debian has: docs/performance.md
	$(need) peers
	@tools/peers.sh $(BUILD)

lint: ## formatting, static analysis, dependencies between rooms
	$(need) build test lint
	$(configure_tests)
	@tools/lint.sh $(BUILD)

format: ## let clang-format lay out every source file
	$(need) lint
	@tools/lint.sh --format

mutants: ## plant faults; each must be caught by its test
	$(need) build test mutants
	@python3 tools/mutants.py

package: ## install into a scratch folder and build clients against it
	$(need) build package deb
	$(configure)
	$(compile)
	@tests/package/run.sh $(BUILD)
	@tests/package/deb.sh $(BUILD)

deb: ## make a Debian package in the build folder
	$(need) build deb
	$(configure)
	$(compile)
	@tools/deb.sh $(BUILD)

screenshots: all ## make the pictures of docs/pictures again
	$(need) pictures
	@tools/screenshots.sh $(BUILD)/flyball

bare: ## make demo and make test in a bare Debian 12
	@tools/bare-debian.sh

install: ## install to PREFIX (/usr/local), below DESTDIR if given
	$(need) build
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	$(compile)
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD)
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

clean: ## remove everything that was built
	rm -rf $(BUILD) build-*

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
