"""Words by which a clause forbids, gives a condition, a reason or the means, and by which it names a package, a command
or a file: verbs, programs, what they are told to do, endings of file names.

They are data for named_calls and named_things: English, chosen by structure and tried on labelled pairs
(bench/armed.py), never on anybody's notes.
"""

from __future__ import annotations

import re

from holdfast.model import word_set

# Names that mean a command wherever they stand in a sentence, and do one thing.
SINGLE = word_set(
    "pytest tox nox ruff mypy pyright flake8 pylint eslint prettier tsc vitest jest mocha cypress playwright webpack "
    "gradle gradlew mvn bazel cmake ffmpeg imagemagick pandoc xelatex pdflatex rsync scp psql pg_dump pg_restore "
    "mysql mysqldump sqlite3 redis-cli mongosh curl wget jq rg ansible-playbook openssl alembic prisma rubocop rspec "
    "phpunit xcodebuild adb rustfmt gofmt golangci-lint shellcheck hadolint nginx systemctl journalctl crontab chmod "
    "chown mkfs certbot flyway sqlfluff dbt gunicorn uvicorn openscad gdal_translate ogr2ogr qemu-img virsh vagrant"
)
# Names that do many things: only with what they were to do.
MANY = word_set(
    "git docker docker-compose podman npm npx pnpm yarn bun pip pip3 pipx uv poetry conda cargo rustup kubectl helm "
    "terraform tofu gh glab go aws gcloud az brew apt apt-get dnf dotnet flutter deno bundle composer php rails mix "
    "make just python python3 node ruby java"
)
ENGLISH = word_set("go just make node mix bundle composer java ruby php")  # of these: commands in backticks only
DOINGS = word_set(
    "add commit push pull fetch merge rebase checkout switch reset stash clean clone bisect cherry-pick revert tag "
    "worktree submodule restore gc lfs build run exec compose prune system volume image container network login up "
    "down rm rmi stop kill logs buildx install ci test publish audit update upgrade uninstall remove link lock sync "
    "freeze export import bench clippy fmt nextest apply delete rollout scale port-forward drain describe plan "
    "destroy init state validate pr issue release workflow mod vet get generate template deploy migrate downgrade "
    "revision s3 ec2 iam compute storage"
)
EVERYDAY = MANY | word_set(
    "cat echo grep sed awk find mkdir touch head tail pwd test sudo bash true false export source which env file files "
    "path src main the and for with not error run build install add commit push status diff log show checkout import "
    "return def class function const let var print self this"
)
SUFFIXES = word_set(
    "py pyi js mjs cjs ts tsx jsx json jsonc toml yaml yml md mdx rst sh bash zsh fish go rs rb java kt kts c h cc cpp "
    "hpp cs php sql css scss less html xml ini cfg conf env lock txt csv tsv parquet dwg dxf ipynb proto tf tfvars "
    "gradle vue svelte swift lua zig ex exs erl hs ml scala clj jl tex bib svg png pdf docx xlsx pptx zip gz db sqlite "
    "bat cmd ps1 properties plist pbxproj mk bazel nix pem crt service snap template tpl hbs erb po xlf"
)
NAMES = word_set(
    "makefile dockerfile justfile jenkinsfile procfile gemfile rakefile license notice codeowners .env .gitignore "
    ".npmrc .prettierrc .eslintrc .editorconfig .dockerignore .babelrc go.mod go.sum"
)
PRODUCTS = word_set("node.js next.js vue.js nuxt.js react.js express.js d3.js three.js nest.js")
# Programs that handle files: with a file in the same clause, the file is what is meant.
OF_FILES = word_set("rm mv cp sed touch chmod chown tee truncate vim nano")
# Command lines that people name by a phrase.
PHRASES = (
    (r"\bforce[- ]?push(?:es|ed|ing)?\b|\bpush(?:ing)? (?:with )?`?(?:--force[\w-]*|-f)`?(?!\w)", "git push --force"),
    (r"\b(?:hard[- ]resets?|reset(?:ting)? hard)\b", "git reset --hard"),
    (r"\b(?:amend(?:ing|ed)?) (?:\w+ ){0,2}commits?\b", "git commit --amend"),
    (r"\bskip(?:ping)? (?:the |any |our )?(?:(?:git|pre-commit|commit) )*hooks\b", "git commit --no-verify"),
    (r"\bcherry[- ]?pick(?:ing|ed)?\b", "git cherry-pick"),
    (r"\bdelet(?:e|ing) (?:any |the |remote )*branches\b", "git push --delete"),
    (r"\bstash(?:ing)?\b", "git stash"),
    (r"\brebas(?:e|ing)\b(?! (?:on|onto|your|my|feature))", "git rebase"),
    (r"\b(?:open|creat)(?:e|ing)? (?:a |any |new )?(?:pull requests?|PRs?)\b", "gh pr create"),
    (r"\bmerg(?:e|ing) (?:a |any |the |your )?(?:pull requests?|PRs?)\b", "gh pr merge"),
    (r"\bpublish(?:ing)? (?:\w+ ){0,2}(?:to|on) npm\b", "npm publish"),
    (r"\bpublish(?:ing)? (?:\w+ ){0,2}(?:to|on) PyPI\b", "twine upload"),
)  # fmt: skip
PUSHES = r"(?<!force[- ])\bpush(?:es|ing)?\b(?: \w+){0,2}? (?:straight |directly )?(?:to|on|into) "
COMMITS = r"\bcommit(?:s|ting)?\b(?: \w+){0,2}? (?:straight |directly )?(?:to|on|into) "
BRANCHES = r"`?(main|master|develop|trunk|release|production|prod|staging)\b`?"
# Programs that do the same work: who chose one has decided against the others.
RIVALS = (word_set("npm pnpm yarn bun"), word_set("pip uv poetry pipenv conda"))
SQL = r"\b(drop|truncate)(?:ping)? (?:\w+ ){0,2}(?:tables?|databases?|schemas?|columns?)\b"
# Words that are no name of a package, wherever they stand.
PLAIN_WORDS = word_set(
    "a an the it its this that these those them they any all no not new old our your my their his her some each every "
    "more most less other another same own such one two three only just also even still yet and or but nor for of in "
    "on at to from by with without as is are was were be been being do does did has have had will would can could may "
    "might must should shall we you i he she who what which when where why how there here then than so if else again "
    "back away up down out off over under anything everything nothing something anyone someone people user users code "
    "file files folder folders directory line lines test tests time json os sys types string random queue email "
    "select signal copy io re math data values value default defaults native default manual manually direct directly "
    "version versions dependency dependencies package packages library libraries module modules things stuff them "
    "feature features hook hooks config configuration setting settings key keys function functions class classes "
    "method methods api apis database databases table tables column columns comment comments docs documentation "
    "local remote global main master branch branches commit commits production staging prod dev major minor patch "
    "upstream access mode support use using want need keep make run add change edit touch update rename remove delete "
    "side effects magic mocks mock wildcard raw inline plain simple custom generic default exports export imports "
    "import path paths logic state lives stores store cache log logs logging print prints abstractions both"
)
# Programs that everything goes through: by their name alone they name nothing.
ALWAYS = word_set("git python python3 node make bash sh npx go just java docker aws gcloud az kubectl gh cargo")
FOLDER_NAMES = word_set(
    "node_modules third_party site-packages __snapshots__ __mocks__ testdata __pycache__ site_packages"
)
NO_FOLDERS = word_set(
    "the this that these our your its any each every same whole entire root home parent current working project new "
    "old other another top shared target temp temporary own right wrong and or"
)
FOLDER_WORDS = word_set("folder directory dir folders directories tree subtree overlay submodule")
ROOTS = word_set(
    "src lib app apps packages tests test spec docs config conf scripts tools infra deploy ops db api web server "
    "client internal cmd pkg vendor public assets static migrations examples bin etc .github legal data"
)


def _any(words: str, *, at_start: bool = False) -> re.Pattern[str]:
    """One of these as whole words, whatever their case."""
    return re.compile(rf"{'^' if at_start else chr(92) + 'b'}(?:{words}){chr(92)}b", re.IGNORECASE)


_STRONG = (
    "never|under no circumstances|do not|don['\u2019]?t|must not|mustn['\u2019]?t|may not|not allowed|forbidden|"
    r"prohibited|off[- ]limits|hands off|leave \S.*alone|(?:stay|keep) out|keep your hands|frozen|read[- ]only"
)
_WEAK = (
    "does not|doesn['\u2019]?t|should not|shouldn['\u2019]?t|cannot|can['\u2019]?t|no longer|not used|stays? out|avoid|"
    r"immutable|append-only|no (?:manual )?edits|nobody|stop \w+ing|refrain|without asking|instead of|rather than|"
    "against|(?:ask|check with) (?:me |us )?(?:before|first)|(?:is|are) (?:gone|out)|removed|rejected|dropped|banned|"
    r"deprecated|off of|moved off|(?:switched|migrated|moved) from|replaced|stays? (?:as|un)\w*|must stay|overwritten|"
    r"no \S+ ever"
)
STRONG = re.compile(rf"\b(?:{_STRONG})\b|^no\b", re.IGNORECASE)
FORBIDS = re.compile(rf"\b(?:{_STRONG}|{_WEAK})\b|^(?:no|not|without)\b", re.IGNORECASE)
# Conditions that no call shows: such a rule is recalled, since stopping would be wrong as often as right.
UNSEEN = re.compile(
    r"\b(?:on (?:an? |the )?)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"\b(?:weekends?|at night|during|while|unless|except|outside (?:of )?|if)\b",
    re.IGNORECASE,
)
PERMISSION = re.compile(
    r"\b(?:without (?:asking|checking|(?:my|our) (?:ok|okay|approval|permission|consent|review))|"
    r"unless (?:i|we) (?:ask|say|told|tell|agree)\w*|(?:ask|check with) (?:me |us )?(?:before|first))",
    re.IGNORECASE,
)
CONDITION = _any(r"(?:and |always |please )*(?:before|after|when|whenever|if|once|every time)", at_start=True)
REASON = _any("because|since|so that|otherwise|or else|due to|used by|as it|newer|it|they|which", at_start=True)
REFERENCE = _any("see|cf|per|because|since|due to|used by|depends on|according to|documented in|described in")
_BY = (
    "via|with|using|use|uses|by|through|from|call|calls|run|runs|see|per|like|prefer|chose|choose|chosen|favou?r of|"
    "standardi[sz]ed on|to|is our|is the only"
)
MEANS = re.compile(rf"\b(?:{_BY})\s+(?:the |our |a )?[`\"']?$", re.IGNORECASE)
CHOICE = _any("use|uses|prefer|chose|choose|standardi[sz]ed on|is our|is the only|only")
CONTRAST = _any("instead of|rather than|over")
MOVED = re.compile(r"\b(?:switched|moved|migrated|replaced)\b.*?\b(to|with)\b", re.IGNORECASE)
KEEPS = _any(r"pin(?:ned)?|keeps?|stays?|remains?|below|past|upgrad\w+|bump\w*|version")
COMMITTING = _any("commit|check in|stage|add to git")
CHANGING = _any("change|touch|alter|raise|lower|modify|edit|remove|reset|override")
READING = _any("read|open (?!pull|a pull|PR)|print|cat|show|log|look (?:at|into)|access")
RUNNING = _any("(?:run|execute|invoke|call|start)(?:ning|s)?")
LESS = re.compile(r"\bwithout\s+`?(--?[A-Za-z][\w-]*)`?", re.IGNORECASE)

_A_NAME = r"[`\"']?(@?[A-Za-z][\w./@-]*[\w])[`\"']?"
_BEFORE_NAME = r"(?:the |a |any |using |major version of |newer versions? of |versions? of )*"
_TAKING = (
    "install|import|upgrad|bump|downgrad|pin|depend(?:ing|s)? on|reintroduc|introduc|pull(?:ing)? in|add|updat|keep"
)
_USING = (
    "use|uses|using|avoid|avoiding|drop|dropped|remove|removed|reject|rejected|replace|replaced|adopt|off|from|against|"
    "over|than|of|without|(?:^|and )not|^no"
)
_GONE = "gone|removed|dropped|rejected|banned|deprecated|not used|pinned|out"
VERSIONED = re.compile(rf"\b(?:{_TAKING})(?:e|s|ed|ing|ned|ning)? {_BEFORE_NAME}{_A_NAME}", re.IGNORECASE)
USED = re.compile(rf"(?<![\w-])(?:{_USING}) {_BEFORE_NAME}{_A_NAME}", re.IGNORECASE)
GONE = re.compile(
    rf"{_A_NAME}(?: and {_A_NAME})? (?:is|are|was|were|stays?|remains?) (?:tried and )?(?:{_GONE})\b", re.IGNORECASE
)
BEHIND = re.compile(rf"{_A_NAME} (?:library|package|dependency|crate|gem|framework)\b", re.IGNORECASE)
RANGE = re.compile(r"\b([a-z][\w-]+)(?:[<>]=?|==|~=|@)[\d^~]")
SURE = re.compile(r"install|upgrad|bump|pin", re.IGNORECASE)
OBJECT = re.compile(
    r"\b(?:use|using|uses|call|calling|run|running|not|no|than|of|avoid|against|over|without|drop|is)\s+[`\"']?$",
    re.IGNORECASE,
)
FILES_IN = re.compile(
    r"\b(?:files?|anything|everything|code|things) (?:in|under|inside|from|below) (?:the |our )?"
    r"([A-Za-z][\w.-]+)(?![\w./-])",
    re.IGNORECASE,
)
