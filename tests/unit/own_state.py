"""No test writes into the home of whoever runs it: this machine's own record of vaults lies outside of them
(capture/vault_id), and a test that names no home gets a place for it here."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="holdfast-tests-state-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)
