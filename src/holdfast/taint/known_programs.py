"""Programs whose output is known text, by what they do: words as data. All others are unknown.

A program is here if it prints nothing but names, its own words and what it was given (QUIET), prints the files that
it is given (READERS), or runs, builds or checks this project's own code (RUNNERS, SUBCOMMANDS). Programs that speak to
a registry, a server, a database or another machine are left out on purpose, and so are those that install: their
output has words of whoever published the package.
"""

from __future__ import annotations

from holdfast.model import word_set


def _table(text: str) -> dict[str, frozenset[str]]:
    """A line for each list of words, with the names that it belongs to before the colon."""
    lines = [line.partition(": ") for line in text.strip().replace(":\n", ": \n").split("\n")]
    return {name: word_set(words) for names, _, words in lines for name in names.rstrip(":").split()}


# Started in place of another command: those of their options that a value follows.
STARTERS = _table("""
sudo: -u -g -U -p -C -h -r -t --user --group
doas: -u
env: -u --unset -C --chdir
nice: -n --adjustment
ionice: -c -n --class --classdata
stdbuf: -i -o -e
timeout gtimeout: -k -s --kill-after --signal
time: -f -o --format --output
exec: -a
watch: -n --interval
nohup setsid command builtin caffeinate chronic busybox toybox:
""")
WITH_NUMBER = word_set("timeout gtimeout")  # of those: their first word is a time
SHELLS = word_set("sh bash dash zsh ksh ash")
PIPED_NAMES = word_set("xargs gxargs")
QUIET = word_set(
    "echo printf true false : test [ [[ pwd cd pushd popd dirs date sleep wait exit return break continue shift set "
    "unset shopt read umask ulimit mkdir rmdir rm unlink touch chmod chown chgrp truncate mktemp basename dirname "
    "which type hash whoami id groups hostname uname arch nproc uptime free df sync tput clear reset jobs fg bg kill "
    "pkill pgrep ps lsof tty stty seq yes expr factor getconf locale env printenv tee tr sw_vers sysctl times disown "
    "getopts let"
)
LISTERS = word_set(
    "ls dir tree du stat file readlink realpath exa eza lsd find fd fdfind wc md5sum sha1sum sha256sum shasum cksum "
    "b2sum"
)
READERS = word_set(
    "cat tac nl head tail less more bat batcat cut sort uniq paste column fold fmt rev diff cmp comm join strings xxd "
    "hexdump od base64 expand unexpand pr look colordiff sdiff bc shellcheck hadolint yamllint markdownlint "
    "actionlint"
)
SEARCHERS = word_set("grep egrep fgrep rg ag ack ugrep")
FILTERS = word_set("sed gsed awk gawk mawk nawk jq yq")  # a script first, then files
PLACERS = word_set("cp mv ln install rsync")  # all but the last are read
INTERPRETERS = word_set(
    "python python2 python3 pypy3 node nodejs bun tsx ts-node ruby perl php elixir lua Rscript julia osascript"
)
RUNNERS = word_set(
    "pytest py.test tox nox mypy pyright basedpyright flake8 pylint pyflakes pycodestyle pydocstyle black isort ruff "
    "autopep8 yapf bandit vulture coverage pre-commit make gmake cmake ctest ninja meson just gofmt goimports "
    "staticcheck golangci-lint rustc rustfmt tsc vue-tsc eslint prettier biome stylelint jest vitest mocha ava tap "
    "nyc c8 karma playwright cypress vite webpack rollup esbuild parcel swc babel turbo nx lerna tsup gradle gradlew "
    "mvn mvnw ant sbt xcodebuild swiftlint swiftformat rspec rake rubocop standardrb minitest phpunit phpstan psalm "
    "pest php-cs-fixer gcc g++ cc c++ clang clang++ clang-format clang-tidy ld ar nm size objdump valgrind javac "
    "kotlinc scalac ktlint checkstyle dialyzer credo ghc hlint ormolu fourmolu shfmt taplo sphinx-build mkdocs"
)
# Options that a word follows which is no file.
VALUED = _table("""
grep egrep fgrep ag ack ugrep: -A -B -C -m -e --include --exclude --exclude-dir --color --max-count
rg: -A -B -C -m -e -g -t -T -j -M -r --glob --type --max-count --max-columns --replace --sort --type-not
fold base64: -w
head: -n -c
tail: -n -c -s --pid
cut: -d -f -c -b --delimiter --fields
sort: -k -t -S --key --field-separator
column: -s -t -c
paste: -d
tree: -L -I -P
ls: -I
du: -d
stat: -c -f --format --printf
diff: -U -C -I
xxd: -l -s -c -g
od: -A -t -j -N
hexdump: -n -s -e
""")
# The first word that they are told, which decides.
SUBCOMMANDS = _table("""
npm: test t run run-script start stop restart ls list pack version bin root prefix
pnpm: test t run start build lint typecheck format check ls list
yarn: test run start build lint typecheck format check dev
bun: test run build
cargo: test t build b check c clippy fmt run r bench doc clean tree nextest
go: test build vet fmt run generate clean version env
mix: test compile format credo dialyzer run clean ecto.migrate ecto.rollback ecto.create ecto.drop ecto.reset \
ecto.setup ecto.gen.migration ash.codegen ash.migrate ash.setup ash.reset phx.routes phx.gen.live phx.gen.context \
phx.gen.schema phx.server sobelow xref assets.build assets.deploy
dotnet: build test run format clean publish
swift stack cabal bazel: build test run
flutter: test analyze build format
dart: test analyze format run compile
deno: test fmt lint check run task bench
zig: build test fmt run
rails: test db:migrate db:rollback db:setup db:seed routes generate g
composer: test run run-script validate dump-autoload
terraform: fmt validate
poetry: check version build
uv: build version
pip pip3: list freeze check
corepack:
""")
# Told so, they start another command in their place; "*" where any word will do.
RUNS = _table("""
uv poetry pdm pipenv hatch rye pipx: run
bundle pnpm yarn direnv: exec
npm mise: exec x
npx bunx pnpx uvx dotenv cross-env: *
""")
MODULES = word_set(  # of python, by -m
    "pytest unittest mypy ruff black isort flake8 pylint compileall py_compile doctest venv build coverage tox nox "
    "pyright json.tool cProfile timeit trace pdb tabnanny sphinx mkdocs bandit"
)
OUTPUT_OPTIONS = word_set(
    "-o --output --out --outfile --outdir --out-dir --outDir --output-file --output-dir --target-dir --junitxml "
    "--junit-xml -d --dest --destdir -B --build --basetemp --cache-dir --coverage-dir"
)
WEB = word_set("curl wget lynx links w3m http https xh aria2c gh glab httpie fetch elinks ftp sftp scp")
# Whose setting changes what runs, or what is read.
STEERING = word_set(
    "PATH IFS ENV BASH_ENV SHELLOPTS BASHOPTS CDPATH HOME PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL BROWSER "
    "PROMPT_COMMAND PS4 NODE_PATH NODE_OPTIONS PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT RUBYOPT RUBYLIB "
    "PERL5LIB PERL5OPT PERL5DB JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH GOFLAGS GOPATH GOPROXY RUSTC RUSTC_WRAPPER "
    "MAKEFLAGS MAKEFILES SHELL CC CXX TMPDIR GREP_OPTIONS RIPGREP_CONFIG_PATH XDG_CONFIG_HOME PYTEST_ADDOPTS "
    "PYTEST_PLUGINS"
)
HARMLESS = _table("PAGER GIT_PAGER MANPAGER: cat\nEDITOR: true :")
PLACES = word_set("PATH PYTHONPATH NODE_PATH RUBYLIB CLASSPATH TMPDIR")  # lists of folders
GIT_SETTINGS = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_TRACE",
                "GIT_MERGE_AUTOEDIT")  # fmt: skip
FETCHES = word_set("clone fetch pull ls-remote")  # of git


def speaks_of_the_web(command: str) -> bool:
    """Whether a program that fetches is named anywhere: of two origins the lower one counts."""
    words = [word.rpartition("/")[2] for word in command.translate(dict.fromkeys(map(ord, ";|&()`'\"$"), " ")).split()]
    fetched = any(word in FETCHES and "git" in words[max(0, at - 4) : at] for at, word in enumerate(words))
    return fetched or any(word in WEB for word in words)
