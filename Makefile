.PHONY: help run test setup lint sanitize bench install uninstall deb image

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

run: ## install what is missing for building, build, and run the demo
	Tests/Checks/setup build && swift build -c release --static-swift-stdlib --product countersign && .build/release/countersign demo

test: ## install the test servers too, then check, build and run all tests
	Tests/Checks/gate setup layers build test release links docs

setup: ## install what building, testing and benchmarks need
	Tests/Checks/setup build test bench

lint: ## the formatter's rules, strictly
	Tests/Checks/gate format

sanitize: ## all tests under AddressSanitizer with LeakSanitizer, then under ThreadSanitizer
	Tests/Checks/gate setup address thread

bench: ## measure against the neighbours
	Tests/Checks/setup build bench && Tests/Benchmarks/run

install: ## lay the program, units, man pages and completions: DESTDIR=, PREFIX=/usr/local, what `make run` or `make deb` built
	conf/install install

uninstall: ## take away what `make install` laid, but for the rule file
	conf/install uninstall

deb: ## a Debian package in .build/deb
	Tests/Checks/setup build package && swift build -c release --static-swift-stdlib --product countersign && conf/debian/build

image: ## the container's image, on Debian without a container engine
	Tests/Checks/setup image && Tests/Checks/image
