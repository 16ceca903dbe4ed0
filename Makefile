# SPDX-License-Identifier: Apache-2.0
# A small front for meson and the scripts in tools/; `make help` lists what there is.
PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60

all: ## builds build/papaver
	@sh tools/build

demo: ## installs what is missing, builds, and checks two sample companies
	@sh tools/demo

test: ## installs what is missing, builds, and runs every test
	@sh tools/test

install: ## installs program, library and headers below PREFIX (/usr/local), inside DESTDIR
	@sh tools/build build-install --buildtype=release -Db_ndebug=false -Dtests=disabled -Dfuzz=false --prefix=$(PREFIX)
	DESTDIR=$(DESTDIR) meson install -C build-install --no-rebuild --quiet

bench: ## measures against the yardsticks of docs/decisions.md
	@sh tools/bench

fuzz: ## runs each fuzz target with libFuzzer, SECONDS (60) in all for each
	@sh tools/fuzz $(SECONDS)

lint: ## format, clang-tidy, layers, sizes, tables, generated files
	@sh tools/lint

soak: ## five minutes of full load on a server with sanitizers, a new tree each second
	@sh tools/soak

asan: ## every test again with AddressSanitizer and UndefinedBehaviorSanitizer
	@sh tools/test build-asan -Db_sanitize=address,undefined -Db_lundef=false

clean: ## removes what was built
	rm -rf build build-*

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1	/p' Makefile | expand -t 10

.PHONY: all demo test install bench fuzz lint asan soak clean help
