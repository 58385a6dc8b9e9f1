# The habits of this project. Everything goes through tools/test.py, which installs what it needs into .venv.
.PHONY: help test lint fast slow crash attacks web e2e bench demo lock

help:
	@echo "make test    install what the tests need and run them all (crash suite in its short form)"
	@echo "make fast    only the fast tests, under a minute"
	@echo "make lint    ruff and mypy --strict"
	@echo "make crash   the crash suite in full, under ten minutes"
	@echo "make attacks every attack in full, with the table of what was tried and what got through"
	@echo "make web     the page in a real browser"
	@echo "make e2e     the real Claude Code and Codex against a scripted model, without a network"
	@echo "make bench   print every figure of the README"
	@echo "make demo    flag, kill -9, see the warning at the next start"
	@echo "make lock    pin the tools' versions again"

test:
	python3 tools/test.py all

fast:
	python3 tools/test.py fast

slow:
	python3 tools/test.py slow

lint:
	python3 tools/test.py lint

crash:
	python3 tools/test.py crash-full

attacks:
	python3 tools/test.py attacks-full

web:
	python3 tools/test.py web

e2e:
	python3 tools/test.py e2e

bench:
	python3 tools/test.py bench

demo:
	python3 -m venv .venv && .venv/bin/pip install --quiet . && .venv/bin/holdfast demo

lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --custom-compile-command "make lock" --extra dev --output-file requirements-dev.lock pyproject.toml
