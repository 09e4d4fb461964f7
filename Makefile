.PHONY: help run test setup lint sanitize bench

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
