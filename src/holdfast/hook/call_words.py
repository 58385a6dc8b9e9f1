"""Words by which the effects of a call are told: tools and programs that write, remove, open, install or only look."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WRITERS = _words(
    "edit write multiedit notebookedit apply_patch write_file replace create_file edit_file update_file delete_file "
    "move_file str_replace_editor str_replace_based_edit_tool create patch"
)
OPENERS = _words("read notebookread read_file view open_file read_text_file")
PRINTERS = _words("cat head tail less more bat strings xxd hexdump od nl tac source .")
REMOVERS = _words("rm rmdir unlink shred trash git-rm")
MOVERS = _words("mv git-mv")
MAKERS = _words(
    "touch truncate tee mkdir chmod chown chgrp git-checkout git-restore git-clean patch dos2unix unix2dos sponge gzip"
)
PLACERS = _words("cp rsync install ln scp")
IN_PLACE = _words("sed gsed perl ruby yq gawk clang-format autopep8")
WITHOUT_SCRIPT = _words("yq clang-format autopep8")  # of those: all their words are files
FORMATTERS = {  # that write, and the options without which they only look
    "prettier": ("--write", "-w"),
    "eslint": ("--fix",),
    "gofmt": ("-w",),
    "black": (),
    "isort": (),
    "rustfmt": (),
    "ruff-format": (),
    "ruff-check": ("--fix",),
    "terraform-fmt": (),
}
INTERPRETERS = _words("python node ruby perl php deno bun")
WRITING = ("write", "'w'", '"w"', "'a'", '"a"', "unlink", "remove", "rename", "rmtree", "dump(", "copy")
LOOKERS = PRINTERS | _words(
    "grep egrep fgrep rg ag ls find wc diff cmp stat file du df tree which type printenv awk jq sort uniq cut tr test "
    "[ echo printf true false sleep cd pwd ps man help git-log git-diff git-show git-grep git-blame git-status "
    "git-commit git-tag gh-pr gh-issue holdfast"
)
FINDING = ("-delete", "-exec", "-execdir", "-ok")
RUNNERS = _words("npx bunx uvx pnpx tsx")
RUNS = _words(
    "uv-run poetry-run pdm-run pipenv-run hatch-run pipx-run npm-exec pnpm-exec pnpm-dlx yarn-exec yarn-dlx "
    "bundle-exec mise-exec direnv-exec"
)
SAME_PROGRAM = {"pip3": "pip", "python3": "python", "python2": "python", "nodejs": "node"}
SAME_WORD = {  # by program: one thing it does under its other names
    "npm": {"i": "install", "add": "install", "isntall": "install", "un": "uninstall", "rm": "uninstall", "t": "test"},
    "pnpm": {"i": "install", "un": "remove", "uninstall": "remove"},
    "git": {"ci": "commit", "co": "checkout", "stage": "add"},
}
SAME_OPTION = {  # by command: one option under its other names; the rest is told from first letters
    "jest -u": ("--updatesnapshot", "--update-snapshot"),
    "git push --force": ("--force-with-lease", "--mirror"),
    "npm install -g": ("--global",),
}
SIGNS = {"--force": "+", "--delete": ":"}  # of a ref that is pushed
HARMLESS = _words("--abort --continue --skip --quit --help --version --dry-run")
PACKAGING = _words("install i add uninstall remove rm un update up upgrade get require download reinstall link")
MANAGERS = _words(
    "npm pnpm yarn bun deno pip uv poetry pdm pipenv pipx conda mamba cargo go gem bundle composer apt apt-get brew "
    "dnf yum apk dotnet pacman"
)
MANIFESTS = _words(
    "package.json pyproject.toml cargo.toml go.mod gemfile composer.json pipfile setup.py setup.cfg environment.yml "
    "environment.yaml build.gradle build.gradle.kts pom.xml deno.json"
)
IMPORTS = ("import ", "from ", "use ", "require", "extern crate ", "#include", "using ", "@import", "export ")
