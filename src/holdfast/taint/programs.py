"""Programs whose output is known text, by what they do: words as data, for own_commands. All others are unknown.

A program is here if it prints nothing but names, its own words and what it was given (QUIET), prints the files that
it is given (READERS), or runs, builds or checks this project's own code (RUNNERS, SUBCOMMANDS). Whatever speaks to a
registry, a server, a database or another machine is left out on purpose, and so is what installs: its output has
words of whoever published the package.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Started in place of another command: its own options, and those of them that a value follows.
STARTERS = {
    "sudo": _words("-u -g -U -p -C -h -r -t --user --group"),
    "doas": _words("-u"),
    "env": _words("-u --unset -C --chdir"),
    "nice": _words("-n --adjustment"),
    "ionice": _words("-c -n --class --classdata"),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "stdbuf": _words("-i -o -e"),
    "timeout": _words("-k -s --kill-after --signal"),
    "gtimeout": _words("-k -s --kill-after --signal"),
    "time": _words("-f -o --format --output"),
    "command": frozenset(),
    "builtin": frozenset(),
    "exec": _words("-a"),
    "watch": _words("-n --interval"),
    "caffeinate": frozenset(),
    "chronic": frozenset(),
    "busybox": frozenset(),
    "toybox": frozenset(),
}
WITH_NUMBER = _words("timeout gtimeout")  # of those: their first word is a time
SHELLS = _words("sh bash dash zsh ksh ash")
PIPED_NAMES = _words("xargs gxargs")
QUIET = _words(
    "echo printf true false : test [ [[ pwd cd pushd popd dirs date sleep wait exit return break continue shift set "
    "unset shopt read umask ulimit mkdir rmdir rm unlink touch chmod chown chgrp truncate mktemp basename dirname "
    "which type hash whoami id groups hostname uname arch nproc uptime free df sync tput clear reset jobs fg bg kill "
    "pkill pgrep ps lsof tty stty seq yes expr factor getconf locale env printenv tee tr sw_vers sysctl times disown "
    "getopts let"
)
LISTERS = _words(
    "ls dir tree du stat file readlink realpath exa eza lsd find fd fdfind wc md5sum sha1sum sha256sum shasum cksum "
    "b2sum"
)
READERS = _words(
    "cat tac nl head tail less more bat batcat cut sort uniq paste column fold fmt rev diff cmp comm join strings xxd "
    "hexdump od base64 expand unexpand pr look colordiff sdiff bc shellcheck hadolint yamllint markdownlint "
    "actionlint"
)
SEARCHERS = _words("grep egrep fgrep rg ag ack ugrep")
FILTERS = _words("sed gsed awk gawk mawk nawk jq yq")  # a script first, then files
PLACERS = _words("cp mv ln install rsync")  # all but the last are read
INTERPRETERS = {  # and the options by which they are given code
    "python": _words("-c"),
    "python2": _words("-c"),
    "python3": _words("-c"),
    "pypy3": _words("-c"),
    "node": _words("-e --eval -p --print -pe"),
    "nodejs": _words("-e --eval -p --print -pe"),
    "bun": frozenset(),
    "tsx": _words("-e --eval"),
    "ts-node": _words("-e --eval"),
    "ruby": _words("-e"),
    "perl": _words("-e -E"),
    "php": _words("-r"),
    "elixir": _words("-e --eval"),
    "lua": _words("-e"),
    "Rscript": _words("-e"),
    "julia": _words("-e"),
    "osascript": _words("-e"),
}
RUNNERS = _words(
    "pytest py.test tox nox mypy pyright basedpyright flake8 pylint pyflakes pycodestyle pydocstyle black isort ruff "
    "autopep8 yapf bandit vulture coverage pre-commit make gmake cmake ctest ninja meson just gofmt goimports "
    "staticcheck golangci-lint rustc rustfmt tsc vue-tsc eslint prettier biome stylelint jest vitest mocha ava tap "
    "nyc c8 karma playwright cypress vite webpack rollup esbuild parcel swc babel turbo nx lerna tsup gradle gradlew "
    "mvn mvnw ant sbt xcodebuild swiftlint swiftformat rspec rake rubocop standardrb minitest phpunit phpstan psalm "
    "pest php-cs-fixer gcc g++ cc c++ clang clang++ clang-format clang-tidy ld ar nm size objdump valgrind javac "
    "kotlinc scalac ktlint checkstyle dialyzer credo ghc hlint ormolu fourmolu shfmt taplo sphinx-build mkdocs"
)
# The first word that they are told, which decides; "*" where any will do.
SUBCOMMANDS = {
    "npm": _words("test t run run-script start stop restart ls list pack version bin root prefix"),
    "pnpm": _words("test t run start build lint typecheck format check ls list"),
    "yarn": _words("test run start build lint typecheck format check dev"),
    "bun": _words("test run build"),
    "cargo": _words("test t build b check c clippy fmt run r bench doc clean tree nextest"),
    "go": _words("test build vet fmt run generate clean version env"),
    "mix": _words(
        "test compile format credo dialyzer run clean ecto.migrate ecto.rollback ecto.create ecto.drop ecto.reset "
        "ecto.setup ecto.gen.migration ash.codegen ash.migrate ash.setup ash.reset phx.routes phx.gen.live "
        "phx.gen.context phx.gen.schema phx.server sobelow xref assets.build assets.deploy"
    ),
    "dotnet": _words("build test run format clean publish"),
    "swift": _words("build test run"),
    "flutter": _words("test analyze build format"),
    "dart": _words("test analyze format run compile"),
    "deno": _words("test fmt lint check run task bench"),
    "zig": _words("build test fmt run"),
    "stack": _words("build test run"),
    "cabal": _words("build test run"),
    "rails": _words("test db:migrate db:rollback db:setup db:seed routes generate g"),
    "composer": _words("test run run-script validate dump-autoload"),
    "terraform": _words("fmt validate"),
    "bazel": _words("build test run"),
    "poetry": _words("check version build"),
    "uv": _words("build version"),
    "pip": _words("list freeze check"),
    "pip3": _words("list freeze check"),
    "corepack": frozenset(),
}
# Told so, they start another command in their place.
RUNS = {
    "uv": _words("run"),
    "poetry": _words("run"),
    "pdm": _words("run"),
    "pipenv": _words("run"),
    "hatch": _words("run"),
    "rye": _words("run"),
    "bundle": _words("exec"),
    "npm": _words("exec x"),
    "pnpm": _words("exec"),
    "yarn": _words("exec"),
    "mise": _words("exec x"),
    "direnv": _words("exec"),
    "npx": _words("*"),
    "bunx": _words("*"),
    "pnpx": _words("*"),
    "uvx": _words("*"),
    "pipx": _words("run"),
    "dotenv": _words("*"),
    "cross-env": _words("*"),
}
MODULES = _words(  # of python, by -m
    "pytest unittest mypy ruff black isort flake8 pylint compileall py_compile doctest venv build coverage tox nox "
    "pyright json.tool cProfile timeit trace pdb tabnanny sphinx mkdocs bandit"
)
OUTPUT_OPTIONS = _words(
    "-o --output --out --outfile --outdir --out-dir --outDir --output-file --output-dir --target-dir --junitxml "
    "--junit-xml -d --dest --destdir -B --build --basetemp --cache-dir --coverage-dir"
)
WEB = _words("curl wget lynx links w3m http https xh aria2c gh glab httpie fetch elinks ftp sftp scp")
# Whose setting changes what runs, or what is read.
STEERING = _words(
    "PATH IFS ENV BASH_ENV SHELLOPTS BASHOPTS CDPATH HOME PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL BROWSER "
    "PROMPT_COMMAND PS4 NODE_PATH NODE_OPTIONS PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT RUBYOPT RUBYLIB "
    "PERL5LIB PERL5OPT PERL5DB JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH GOFLAGS GOPATH GOPROXY RUSTC RUSTC_WRAPPER "
    "MAKEFLAGS MAKEFILES SHELL CC CXX TMPDIR GREP_OPTIONS RIPGREP_CONFIG_PATH XDG_CONFIG_HOME PYTEST_ADDOPTS "
    "PYTEST_PLUGINS"
)
HARMLESS = {"PAGER": _words("cat"), "GIT_PAGER": _words("cat"), "MANPAGER": _words("cat"), "EDITOR": _words("true :")}
PLACES = _words("PATH PYTHONPATH NODE_PATH RUBYLIB CLASSPATH TMPDIR")  # lists of folders
GIT_SETTINGS = (
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TRACE",
    "GIT_MERGE_AUTOEDIT",
)
FETCHES = _words("clone fetch pull ls-remote")  # of git


def speaks_of_the_web(command: str) -> bool:
    """Whether a program that fetches is named anywhere: of two origins the lower one counts."""
    words = [word.rpartition("/")[2] for word in command.translate(dict.fromkeys(map(ord, ";|&()`'\"$"), " ")).split()]
    return any(
        word in WEB or (word in FETCHES and "git" in words[max(0, at - 4) : at]) for at, word in enumerate(words)
    )
