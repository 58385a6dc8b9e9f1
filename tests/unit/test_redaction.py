"""Redaction: what is secret is replaced, what is not stays byte for byte, and the ordinary line costs nothing.

No secret is written here. Each is put together at run time from its public beginning and a seeded random body,
so that no scanner finds one in this repository. The lists of lines are written by hand and know nothing of the
rule table; the cases made from the table only show that no row is dead.
"""

from __future__ import annotations

import random
import re
import string
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.capture import redaction
from holdfast.capture.redaction import redact, redact_record
from holdfast.capture.redaction_match import LABELS
from holdfast.capture.redaction_rules import ASSIGNED, KNOWN, NAMED, RUNS, TOLD
from holdfast.capture.redaction_tokens import PREFIXES, WEAK_PREFIXES

SRC = Path(redaction.__file__).parents[2]
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
B64 = ALNUM + "+/"
HEX = "0123456789abcdef"
B32 = string.ascii_uppercase + "234567"
DEC = string.digits
BEGIN, END = "-----BEGIN ", "-----END "

_random = random.Random(20260701)


@pytest.fixture(autouse=True)
def seeded(request: pytest.FixtureRequest) -> None:
    """The same bodies in a test, whatever ran before it."""
    _random.seed(request.node.name)


def body(alphabet: str, size: int) -> str:
    """A random body; where there is room, one that holds each kind of character its alphabet has."""
    kinds = [kind for kind in (string.ascii_lowercase, string.ascii_uppercase, DEC) if set(kind) & set(alphabet)]
    while True:
        text = "".join(_random.choice(alphabet) for _ in range(size))
        full = size < 8 or all(set(kind) & set(text[1:-1]) for kind in kinds)
        if full and (text[0].isalnum() or alphabet.isalnum()) and text[-1] not in "-_.=":
            return text


def uuid() -> str:
    return "-".join(body(HEX, size) for size in (8, 4, 4, 4, 12))


def seed_words(count: int, joint: str = " ") -> str:
    """Made-up words of the length that seed words have."""
    return joint.join(body(string.ascii_lowercase, _random.randint(4, 8)) for _ in range(count))


def pem(kind: str = "RSA PRIVATE KEY", lines: int = 4) -> str:
    rows = "\n".join(body(B64, 64) for _ in range(lines))
    return f"{BEGIN}{kind}-----\n{rows}\n{body(B64, 22)}==\n{END}{kind}-----"


def jwt() -> str:
    return f"eyJ{body(WORD, 33)}.eyJ{body(WORD, 60)}.{body(WORD, 43)}"


# A line with a gap, what stands in the gap, and the label that shall stand there.
SECRET_LINES: list[tuple[str, str, str]] = [
    # Handed over by a pipe or an option
    ("echo {} | docker login -u me --password-stdin", body(ALNUM, 12), "login"),
    ("echo '{}' | sudo docker login ghcr.io --username me --password-stdin", body(ALNUM, 20), "login"),
    ("printf '%s' \"{}\" | podman login --password-stdin quay.io", body(ALNUM, 12), "login"),
    ("docker login -u me --password-stdin <<< {}", body(ALNUM, 12), "login"),
    ("echo -n {} | helm registry login -u me --password-stdin host", body(LOWER, 9), "login"),
    ("echo {} | sudo -S apt update", body(ALNUM, 10), "login"),
    ("echo 'root:{}' | chpasswd", body(ALNUM, 10), "login"),
    ("htpasswd -b .htpasswd me {}", body(ALNUM, 10), "login"),
    ("htpasswd -c -b /etc/nginx/.htpasswd me '{}'", body(ALNUM, 10), "login"),
    ("docker run httpd htpasswd -Bbn me {} > auth/htpasswd", body(ALNUM, 10), "login"),
    ("openssl enc -aes-256-cbc -k {} -in a -out b", body(ALNUM, 10), "login"),
    ("openssl enc -aes-128-cbc -K {} -iv 0", body(HEX, 32), "login"),
    # Cookies
    ("Set-Cookie: sid={}; Path=/; HttpOnly", body(ALNUM, 26), "session"),
    ("< set-cookie: auth={}; Max-Age=3600; Secure", body(HEX, 32), "session"),
    ("Cookie: theme=dark; PHPSESSID={}", body(LOWER, 26), "session"),
    ('curl --cookie "sid={}; lang=en" https://example.org', body(ALNUM, 22), "session"),
    # Seed phrases
    ("seed phrase: {}", seed_words(12), "seed-phrase"),
    ('MNEMONIC="{}"', seed_words(24), "seed-phrase"),
    ("my recovery phrase is {}", seed_words(15), "seed-phrase"),
    ("the seed is `{}`", seed_words(12), "seed-phrase"),
    ("mnemonic: {}", seed_words(18, ", "), "seed-phrase"),
    # Services that came later
    ("AIKIDO={}", "AIK_SECRET_" + body(ALNUM, 64), "aikido-token"),
    ("apify call --token {}", "apify_api_" + body(ALNUM, 36), "apify-token"),
    (
        "docker swarm join --token {} 10.0.0.1:2377",
        "SWMTKN-1-" + body(LOWER, 50) + "-" + body(LOWER, 25),
        "docker-swarm-token",
    ),
    ("unlock with {}", "SWMKEY-1-" + body(B64, 43), "docker-swarm-key"),
    ("gemini {}", "AQ.Ab8RN6" + body(WORD, 44), "gemini-key"),
    ("mail: {}", "mlsn." + body(HEX, 64), "mailersend-token"),
    ("astra {}", "AstraCS:" + body(ALNUM, 24) + ":" + body(HEX, 64), "astra-token"),
    ("runpod {}", "rpa_" + body(UPPER, 40) + body(ALNUM, 6), "runpod-key"),
    ("polar {}", "polar_oat_" + body(ALNUM, 40), "polar-token"),
    ("val town {}", "vtwn_" + body(ALNUM, 28), "valtown-token"),
    ("org session {}", "00D" + body(ALNUM, 12) + "!" + body(ALNUM, 90), "salesforce-token"),
    # AI vendors
    ("export ANTHROPIC_API_KEY={}", "sk-ant-" + "api03-" + body(WORD, 93) + "AA", "anthropic-key"),
    ('headers = {{"x-api-key": "{}"}}', "sk-ant-" + "admin01-" + body(WORD, 93) + "AA", "anthropic-key"),
    ("OPENAI_API_KEY={}", "sk-" + "proj-" + body(WORD, 74) + "T3Blbk" + "FJ" + body(WORD, 74), "openai-key"),
    (
        "the old key was {} and it still works",
        "sk-" + body(ALNUM, 20) + "T3Blbk" + "FJ" + body(ALNUM, 20),
        "openai-key",
    ),
    ("openai: {}", "sk-" + "svcacct-" + body(WORD, 120), "openai-key"),
    ("OPENROUTER_API_KEY: {}", "sk-" + "or-v1-" + body(HEX, 64), "openrouter-key"),
    ("DEEPSEEK_API_KEY={}", "sk-" + body(HEX, 32), "sk-key"),
    ("huggingface-cli login --token {}", "hf_" + body(ALNUM, 34), "huggingface-token"),
    ("COHERE_API_KEY={}", body(ALNUM, 40), "cohere-key"),
    ("PPLX={} python ask.py", "pplx-" + body(ALNUM, 48), "perplexity-key"),
    ("REPLICATE_API_TOKEN={}", "r8_" + body(ALNUM, 37), "replicate-token"),
    ("GROQ_API_KEY={}", "gsk_" + body(ALNUM, 52), "groq-key"),
    ("XAI_API_KEY='{}'", "xai-" + body(ALNUM, 80), "xai-key"),
    ("MISTRAL_API_KEY={}", body(ALNUM, 32), "mistral-key"),
    ("NVIDIA_API_KEY={}", "nvapi-" + body(WORD, 64), "nvidia-key"),
    ("PINECONE_API_KEY={}", "pcsk_" + body(ALNUM, 70), "pinecone-key"),
    ("LANGCHAIN_API_KEY={}", "lsv2_" + "pt_" + body(HEX, 32) + "_" + body(HEX, 10), "langsmith-key"),
    ("wandb login, api key: {}", body(HEX, 40), "wandb-key"),
    # Code hosts
    ("export GITHUB_TOKEN={}", "ghp_" + body(ALNUM, 36), "github-token"),
    ("git clone https://x-access-token:{}@github.com/acme/app.git", "ghs_" + body(ALNUM, 36), "github-token"),
    ("GH_TOKEN: {}", "github_pat_" + body(ALNUM, 22) + "_" + body(ALNUM, 59), "github-token"),
    ("oauth token {} was revoked", "gho_" + body(ALNUM, 36), "github-token"),
    ("refresh with {}.", "ghr_" + body(ALNUM, 36), "github-token"),
    ('curl --header "PRIVATE-TOKEN: {}" https://gitlab.com/api/v4/user', "glpat-" + body(WORD, 20), "gitlab-token"),
    ("deploy token {} for the registry", "gldt-" + body(WORD, 20), "gitlab-token"),
    ("gitlab-runner register --token {}", "glrt-" + body(WORD, 20), "gitlab-token"),
    ("https://oauth2:{}@gitlab.com/acme/app.git", "glpat-" + body(WORD, 27), "gitlab-token"),
    ("JIRA_API_TOKEN={}", "ATATT3" + body(WORD, 186), "atlassian-token"),
    ("bitbucket app password {}", "ATBB" + body(ALNUM, 32), "bitbucket-token"),
    ("AZURE_DEVOPS_EXT_PAT={}", body(LOWER, 52), "azure-devops-token"),
    ("LINEAR_API_KEY={}", "lin_api_" + body(ALNUM, 40), "linear-key"),
    # Cloud
    ("aws_access_key_id = {}", "AKIA" + body(B32, 16), "aws-key-id"),
    ("AWS_SECRET_ACCESS_KEY={}", body(B64, 40), "aws-secret-key"),
    ('"SecretAccessKey": "{}",  # aws', body(B64, 40), "api-key"),
    ("maps key {} in index.html", "AIza" + body(WORD, 35), "gcp-key"),
    ("GOOGLE_CLIENT_SECRET={}", "GOCSPX-" + body(WORD, 28), "gcp-client-secret"),
    ("gcloud auth print-access-token gave {}", "ya29." + body(WORD, 80), "gcp-access-token"),
    ("AZURE_CLIENT_SECRET={}", body(ALNUM, 3) + "8Q~" + body(ALNUM, 34), "azure-client-secret"),
    ("AccountName=acct;AccountKey={};EndpointSuffix=core.windows.net", body(B64, 86) + "==", "azure-storage-key"),
    ("https://acct.blob.core.windows.net/c?sv=2022-11-02&sig={}&se=2026", body(ALNUM, 43) + "%3D", "signature"),
    ("doctl auth init -t {}", "dop_v1_" + body(HEX, 64), "digitalocean-token"),
    ("ALIBABA_CLOUD_ACCESS_KEY_ID={}", "LTAI" + body(ALNUM, 20), "alibaba-key-id"),
    ("HEROKU_API_KEY={}", uuid(), "heroku-key"),
    ("HEROKU_API_KEY={}", "HRKU-AA" + body(WORD, 58), "heroku-key"),
    ("FLY_API_TOKEN={}", "fo1_" + body(WORD, 43), "flyio-token"),
    ("VERCEL_TOKEN={}", body(ALNUM, 24), "vercel-token"),
    ("NETLIFY_AUTH_TOKEN={}", "nfp_" + body(ALNUM, 36), "netlify-token"),
    ("CLOUDFLARE_API_TOKEN={}", body(WORD, 40), "cloudflare-key"),
    ("origin ca {}", "v1.0-" + body(HEX, 24) + "-" + body(HEX, 146), "cloudflare-origin-key"),
    ("VAULT_TOKEN={} vault kv get secret/app", "hvs." + body(WORD, 95), "vault-token"),
    ("vault login {}", "s." + body(ALNUM, 24), "vault-token"),
    ("TFE_TOKEN={}", body(ALNUM, 14) + ".atlasv1." + body(WORD, 67), "terraform-token"),
    ("PULUMI_ACCESS_TOKEN={}", "pul-" + body(HEX, 40), "pulumi-token"),
    ("DATABRICKS_TOKEN={}", "dapi" + body(HEX, 32), "databricks-token"),
    ("supabase link --token {}", "sbp_" + body(HEX, 40), "supabase-token"),
    ("DOPPLER_TOKEN={}", "dp.pt." + body(ALNUM, 43), "doppler-token"),
    ("tailscale up --authkey {}", "tskey-auth-" + body(ALNUM, 17) + "-" + body(ALNUM, 32), "tailscale-key"),
    # Payments
    ("stripe.api_key = '{}'", "sk_live_" + body(ALNUM, 24), "stripe-key"),
    ("STRIPE_SECRET_KEY={}", "sk_test_" + body(ALNUM, 99), "stripe-key"),
    ("stripe listen prints {}", "whsec_" + body(ALNUM, 32), "webhook-secret"),
    ("restricted key {}", "rk_live_" + body(ALNUM, 40), "stripe-key"),
    ("SQUARE_ACCESS_TOKEN={}", "sq0atp-" + body(WORD, 22), "square-token"),
    ("square: {}", "EAAA" + body(WORD, 60), "square-token"),
    ("braintree {}", "access_token$production$" + body(LOWER, 16) + "$" + body(HEX, 32), "braintree-token"),
    ("SHOPIFY_ADMIN_TOKEN={}", "shpat_" + body(HEX, 32), "shopify-token"),
    ("plaid {}", "access-sandbox-" + uuid(), "plaid-token"),
    ("PAYPAL_SECRET={}", "E" + body(WORD, 79), "paypal-secret"),
    ("RAZORPAY_KEY_SECRET={}", body(ALNUM, 24), "razorpay-secret"),
    # Messaging
    ("SLACK_BOT_TOKEN={}", "xoxb-" + body(DEC, 12) + "-" + body(DEC, 12) + "-" + body(ALNUM, 24), "slack-token"),
    ("app level {}", "xapp-1-A" + body(UPPER, 10) + "-" + body(DEC, 13) + "-" + body(HEX, 64), "slack-token"),
    (
        "curl -X POST https://hooks.slack.com/services/{}",
        "T" + body(UPPER, 10) + "/B" + body(UPPER, 10) + "/" + body(ALNUM, 24),
        "slack-webhook",
    ),
    ("post to https://discord.com/api/webhooks/{}", body(DEC, 18) + "/" + body(WORD, 68), "discord-webhook"),
    ("client.run('{}')", "MT" + body(ALNUM, 22) + "." + body(WORD, 6) + "." + body(WORD, 38), "discord-token"),
    ("bot token {} for the alerts group", body("123456789", 10) + ":AAE" + body(WORD, 32), "telegram-token"),
    ("TWILIO_AUTH_TOKEN={}", body(HEX, 32), "twilio-token"),
    ("twilio api key {}", "SK" + body(HEX, 32), "twilio-key"),
    ("SENDGRID_API_KEY={}", "SG." + body(WORD, 22) + "." + body(WORD, 43), "sendgrid-key"),
    ("curl -s --user 'api:{}' https://api.mailgun.net/v3", "key-" + body(HEX, 32), "mailgun-key"),
    ("MAILCHIMP_API_KEY={}", body(HEX, 32) + "-us14", "mailchimp-key"),
    ("X-Postmark-Server-Token: {}", uuid(), "postmark-token"),
    ("brevo {}", "xkeysib-" + body(HEX, 64) + "-" + body(ALNUM, 16), "brevo-key"),
    (
        "https://acme.webhook.office.com/webhookb2/{}",
        uuid() + "@" + uuid() + "/IncomingWebhook/" + body(HEX, 32) + "/" + uuid(),
        "teams-webhook",
    ),
    # Package registries
    ("//registry.example.com/:_authToken={}", "npm_" + body(ALNUM, 36), "npm-token"),
    ("TWINE_PASSWORD={}", "pypi-" + "AgEIcHlwaS5vcmc" + body(WORD, 120), "pypi-token"),
    ("GEM_HOST_API_KEY={}", "rubygems_" + body(HEX, 48), "rubygems-key"),
    ("docker login -u me -p {}", "dckr_pat_" + body(WORD, 27), "dockerhub-token"),
    ("cargo login {}", "cio" + body(ALNUM, 32), "crates-token"),
    ("nuget push -k {}", "oy2" + body(LOWER, 43), "nuget-key"),
    # Monitoring
    ("DD_API_KEY={} # datadog", body(HEX, 32), "datadog-key"),
    ("NEW_RELIC_API_KEY={}", "NRAK-" + body(UPPER, 27), "newrelic-key"),
    ("SENTRY_AUTH_TOKEN={}", "sntryu_" + body(HEX, 64), "sentry-token"),
    ("SENTRY_DSN=https://{}@o4501.ingest.sentry.io/42", body(HEX, 32), "url-token"),
    ("Grafana: {}", "glsa_" + body(ALNUM, 32) + "_" + body(HEX, 8), "grafana-token"),
    ("grafana cloud {}", "glc_" + body(ALNUM, 60), "grafana-token"),
    ("Api-Token {}", "dt0c01." + body(UPPER, 24) + "." + body(UPPER, 64), "dynatrace-token"),
    # Databases
    ("DATABASE_URL=postgres://app:{}@db.internal:5432/app", body(ALNUM, 16), "url-password"),
    ("redis://:{}@cache.internal:6379/0", body(ALNUM, 24), "url-password"),
    ("mongodb+srv://svc:{}@cluster0.ab1cd.mongodb.net/?retryWrites=true", body(ALNUM, 12), "url-password"),
    ("amqp://worker:{}@mq:5672/prod and then it hung", body(ALNUM, 10), "url-password"),
    ("mysql://root:{}@localhost/shop", "p@" + body(ALNUM, 8), "url-password"),
    ("pscale password {}", "pscale_pw_" + body(WORD, 43), "planetscale-token"),
    ("Server=db;User Id=sa;Password={};Encrypt=true", body(ALNUM, 14), "password"),
    ("mysql -u root -p{} shop", body(ALNUM, 12), "login"),
    ("redis-cli -h cache -a {} ping", body(ALNUM, 20), "login"),
    ("PGPASSWORD={} psql -h db", body(ALNUM, 12), "password"),
    # Tokens and keys in general
    ("Authorization: Bearer {}", jwt(), "jwt"),
    ("id_token={}&state=1", jwt(), "jwt"),
    ("curl -H 'Authorization: Bearer {}' https://api.test", body(HEX, 40), "authorization"),
    ('-H "Authorization: Token {}"', body(HEX, 40), "authorization"),
    ("Authorization: Basic {}", "dXNlcjpwYXNz" + "d29yZDEyMw==", "basic-auth"),
    ("send it as bearer {}", body(ALNUM, 40), "bearer-token"),
    ("curl -u " + "admin:{} https://jenkins.local/job/x/build", body(ALNUM, 14), "login"),
    ("curl --user 'svc:{}' https://api.test", "x!" + body(ALNUM, 10), "login"),
    ("sshpass -p '{}' ssh root@10.0.0.1", body(ALNUM, 12), "login"),
    ("machine api.github.com login octocat password {}", body(ALNUM, 20), "password"),
    ("oc login --token={}", "sha256~" + body(WORD, 43), "openshift-token"),
    ("age key {}", "AGE-SECRET-KEY-1" + body("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), "age-key"),
    ("tls.key: {}", "LS0tLS1CRUdJTiBSU0Eg" + body(B64, 200), "private-key"),
    ("Cookie: theme=dark; sessionid={}; lang=en", body(LOWER, 32), "session"),
    ("Set-Cookie: JSESSIONID={}; Path=/; HttpOnly", body("0123456789ABCDEF", 32), "session"),
    ("cookie connect.sid={}", "s%3A" + body(ALNUM, 32) + "." + body(ALNUM, 43), "session"),
    # Assignments
    ("password: {}", "hunter2" + "x!", "password"),
    ("my db password is {}, please do not share", "Tr0ub4dor" + "&3", "password"),
    ("**Password:** `{}`", "Hunter2" + "xyz!", "password"),
    ('{{"username": "admin", "password": "{}"}}', "P@ss" + "w0rd" + "91", "password"),
    ("  passphrase: '{}'", body(ALNUM, 18), "password"),
    ("IDENTIFIED BY PASSWORD '{}'", body(ALNUM, 16), "password"),
    ("api_key = {}", body(ALNUM, 32), "api-key"),
    ("X-Api-Key: {}", body(ALNUM, 24), "api-key"),
    ("let apiKey: string = '{}';", body(ALNUM, 32), "api-key"),
    ('var apiToken string = "{}"', body(ALNUM, 32), "token"),
    ('System.setProperty("API_TOKEN", "{}")', body(ALNUM, 32), "token"),
    ("https://api.test/v1?access_token={}&page=2", body(ALNUM, 40), "token"),
    ('{{\\"client_secret\\": \\"{}\\"}}', body(HEX, 40), "secret"),
    ('"clientSecret" => "{}"', body(ALNUM, 30), "secret"),
    ("SECRET_KEY_BASE={}", body(HEX, 128), "api-key"),
    ("<apiToken>{}</apiToken>", body(ALNUM, 30), "token"),
    ('<add key="ClearTextPassword" value="{}" />', "33f!!" + "lloppa", "password"),
    ("- name: API_TOKEN\n  value: {}", body(ALNUM, 30), "token"),
    ("./deploy --api-key {} --env prod", body(HEX, 32), "api-key"),
    ("use the token {} until Friday", body(ALNUM, 40), "token"),
    ("TOTP secret: {}", body(B32, 16), "secret"),
    ("PrivateKey = {}", body(B64, 43) + "=", "api-key"),
    ("signing_key: |\n  {}", body(ALNUM, 48), "api-key"),
    # Values that hold a word: a stand-in or an echo only where that word stands alone
    ("password={}", "hunter2" + "supersecret", "password"),
    ("password: {}", "hunter2" + "supersecret", "password"),
    ('PASSWORD = "{}"', "hunter2" + "supersecret", "password"),
    ("pwd is {}", "hunter2" + "supersecret", "password"),
    ("The db password is {}.", "hunter2" + "supersecret", "password"),
    ("mysqldump --password {} shop", "hunter2" + "supersecret", "password"),
    ("DB_PASSWORD={}", "Xk29" + "fooBar7", "password"),
    ("DB_PASSWORD={}", "Xk29!" + "fooBar7", "password"),
    ("export DB_PASSWORD='{}' && run", "Xk29!" + "fooBar7", "password"),
    ("password={}", "Xk29" + "exampleBar7", "password"),
    ("passphrase is {}", "correct!" + "horse", "password"),
    ("passwd: {}", "Secret" + "Tunnel123!", "password"),
    ("'password': '{}'", "super" + "secret1", "password"),
    ("login_pwd={}", "Xk29" + "fooBar7", "password"),
    ("mypwd={}", "Xk29" + "fooBar7", "password"),
    ("password={}", "4711" + "0815", "password"),
    ("client_secret={}", "hunter2" + "supersecret", "secret"),
    ("secret: {}", "Xk29!" + "foo", "secret"),
    ("token={}", "abc" + "12345", "token"),
    ("access_key: {}", "hunter2" + "x", "api-key"),
    ("api key: {}", "abcd" + "1234", "api-key"),
    ("private_key={}", "Xk29" + "fooBar7", "api-key"),
    ("Authorization: Bearer {}", "abc.def." + "ghijklmnop", "authorization"),
    ("curl -H 'Authorization: Bearer {}' https://api.test", "abc.def." + "ghijklmnop", "authorization"),
    ("authorization: bearer {}", "abcd" + "12345", "authorization"),
]

PRIVATE_KEYS = [
    "before\n{}\nafter",
    'credentials.json has "private_key": "{}", rotate it',
    "the user pasted {} by mistake",
]

ORDINARY_LINES: list[str] = [
    # Prose with the words that secrets use
    "the token expires after 5 minutes",
    "press any key to continue",
    "author: me",
    "auth is handled by the gateway, so the service never sees a password",
    "The API key is read from the environment at start-up.",
    "secrets are rotated every 90 days; see docs/security.md:12",
    "password must be at least 8 characters and contain 1 digit",
    "Password: 8-64 characters, no spaces",
    "the secret is base64-encoded before it is mounted",
    "the password is case-sensitive.",
    "key takeaway: lease 2 expires before lease 1",
    "a session key is derived with HKDF-SHA256 from the shared secret",
    "unexpected token: '}' at line 12 column 5",
    "SyntaxError: Unexpected token < in JSON at position 0",
    "primary key: (tenant_id, user_id)",
    "foreign key constraint fk_orders_2024_user failed",
    "the cache key: user:42:profile:v3",
    "design token: color-blue-500",
    "credential helper: " + "osxkeychain2",
    "we pass: 128, fail: 0, skip: 3",
    "--- PASS: TestParseToken2 (0.00s)",
    "PASS: test_redaction_of_12_lines",
    "bypass: level3-cache",
    "the monkey: banana42 test is flaky",
    "keyboard: qwerty2",
    "compat: py311-linux-x86_64",
    "signature: def redact(text: str) -> tuple[str, tuple[str, ...]]",
    "cookie: accepted",
    "login: octocat",
    "bearer token authentication is required",
    "Basic auth is off for oauth2-proxy-7.4.0",
    "auth: oauth2",
    "auth: github-app-installation-v2",
    "token: bearer",
    "token_type: Bearer",
    "session: 12 of 40 lines were dropped",
    "password reset link sent to user 4711",
    "add a password field to the sign-up form (see issue #1234)",
    "pat: patch the loader first",
    "he said the pass was level3 or higher",
    # Identifiers that are no secrets
    "request 5eb4223e-5008-46e5-be67-c7b8f2732305 took 42 ms",
    "trace_id: 4bf92f3577b34da6a3ce929d0e0e4736",
    "commit 4f2c9e1 moved the token check into the hook",
    "reverted 4f2c9e1d3b5a7c9e1f3b5d7a9c1e3f5b7d9a1c3e because auth broke",
    "flag 01J8ZQ4X7M2N3P4Q5R6S7T8V9W was claimed by worker 3",
    "image digest sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 was pushed",
    "secret: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
    "md5: 5d41402abc4b2a76b9719d911017c592  archive.tar.gz",
    'etag: W/"33a64df551425fcc55e4d42a148795d9f25f89d4"',
    '"encryptionKey": "arn:aws:kms:us-west-2:417498243647:key/c9fe2447-0795-4fda-afbe-8464574ae162"',
    "bucket key: exports/2024/05/report-1.csv",
    "next_page_token: CAUQAA2024",
    "continuation token: 42-of-99",
    "csrf_token is checked in middleware2",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx4Z1Q2dUpLQ0Z2b0N3bXJ5 me@host",
    "client_id: 1234567890-app",
    "key_id: 9C2A1B7F",
    "kms_key_id=555ea4a3-d53a-4412-9c66-3a7cb667b0d6",
    "token_count: 128000, max_tokens=4096",
    "tokens: 12345",
    "total tokens used: 1_204_330",
    "eos_token: <|im_end|>",
    "tokenizer: gpt-4o-mini-2024-07-18",
    "model=claude-opus-4-5-20251101 max_tokens=8192",
    "secret_name=my-app-config",
    "secretName: tls-secret-2024",
    "secretKeyRef: {name: db-2, key: tls.crt}",
    "password_hash: argon2id$v=19$m=65536",
    "hash with argon2id, password: argon2id",
    "api_version: v1beta1",
    "keystore.type=pkcs12",
    "AWS region eu-central-1, account 123456789012",
    '"Sid": "EC2ReadOnlyPermissions"',
    # Code
    "token = get_token(user)",
    "token = tokens[0]",
    "key = sha256(payload2).hexdigest()",
    "password: str",
    "password: str | None = None",
    "password = Column(String(128))",
    "password: z.string().min(8).max(64)",
    "password = user1.password",
    "password: props.form?.password!",
    'API_KEY = os.environ["API_KEY"]',
    'token = os.getenv("GITHUB_TOKEN", "")',
    "const token = process.env.SLACK_TOKEN_V2;",
    "api_key: settings.OPENAI_API_KEY,",
    "secret = secrets.token_hex(32)",
    "token: OAuth2Token",
    "private_key: " + "ed25519.Ed25519PrivateKey",
    "key: PKCS12PrivateKeyTypes | None,",
    "def rotate(self, key: bytes, token: str) -> None:",
    "if token == expected_token: return 200",
    "for key, value in sorted(table.items()):",
    "sorted(rows, key=lambda row: row.created_at)",
    "map[string]Token{}",
    "assert password != other_password2",
    'parser.add_argument("--token", help="API token")',
    "private static final String TOKEN_KEY = TokenKeys.PRIMARY_TOKEN_KEY_V2;",
    "export const API_KEY_HEADER = 'x-api-key-v2'",
    "uses: actions/checkout@v4 with token: ${{ secrets.GITHUB_TOKEN }}",
    "key: ${{ runner.os }}-pip-${{ hashFiles('requirements.txt') }}",
    "password: {{ .Values.db.password }}",
    "RUN --mount=type=secret,id=npmrc2,target=/root/.npmrc npm ci",
    "kubectl get secret db-credentials-v2 -o yaml",
    "echo $TOKEN | gh auth login --with-token",
    "docker run -p 8080:80 -u 1000:1000 nginx:1.27",
    "ssh -i ~/.ssh/id_ed25519 git@github.com",
    "gpg --export-secret-keys 9C2A1B7F > backup.asc",
    # Stand-ins
    "GITHUB_TOKEN=<your-token>",
    "password=changeme",
    "password: changeme123",
    "api_key: your-api-key-here-2024",
    "token=xxxxxxxxxxxxxxxx",
    "PASSWORD=${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD_1",
    "set PASSWORD=%DB_PASSWORD%",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_API_KEY",
    "Authorization: Basic ...",
    "secret: ****************",
    "password = example1234",
    "api-key: 0xDEADBEEF",
    "xoxb-your-token-here",
    "password = db_password2",
    "password=newPassword1",
    "password=DB_PASSWORD2",
    "password: String!",
    "token = response2",
    "secret: postgres16",
    "token=release2024",
    "token: base64url",
    'password=os.environ["X"]',
    "password = getpass()",
    "password: required",
    "password=<password>",
    "password=foobar12",
    "private_key: /etc/ssl/k8s-12345.pem",
    "Authorization: Bearer config.auth.token",
    "Authorization: Bearer header.payload.signature",
    "Authorization: Bearer tokens are described at docs.acme.test",
    # Addresses, paths, versions
    "https://github.com/acme/app/pull/4711#issuecomment-1234567890",
    "http://localhost:8080/@scope/pkg?x=1",
    "ssh://git@github.com/acme/app.git",
    "see src/api-v2/handlers.py:42 and src/token_store.py:17:5",
    "src/holdfast/capture/redaction.py:101: error: Name 'key' is not defined",
    "/home/me/.cache/pip/wheels/9f/86/d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b82",
    "node_modules/.pnpm/jsonwebtoken@9.0.2/node_modules/jsonwebtoken/index.js",
    "npm_config_registry=https://registry.example.com/",
    "pip install pyjwt==2.8.0 cryptography>=42.0.5",
    "keyring 25.2.1 -> 25.3.0, secretstorage 3.3.3",
    "io.jsonwebtoken:jjwt-jackson:0.11.2",
    "PWD=/srv/app/src/holdfast2",
    "pwd: /home/me/projects/app-2",
    "redis://cache.internal:6379/0",
    "postgres://db.internal:5432/app_v2",
    "mail me@acme.test about https://acme.test/login",
    "token endpoint: https://auth.acme.test/oauth2/v1/token",
    "0.0.0.0:8443 key exchange X25519, cipher TLS_AES_256_GCM_SHA384",
    "2026-07-01T10:00:00Z token refresh took 3.2s",
    "password changed at: 2026-07-01T10:00:00Z",
    "TODO(auth): drop legacy_token_v1 after 2026-09-01",
    "-----BEGIN PUBLIC KEY----- is fine to share",
    "[redacted:github-token] was here",
    "GITHUB_TOKEN=[redacted:github-token]",
    "Größe: 12 Schlüssel, Passwort vergessen? naïve café ☕",
    "鍵: 値 トークンは5分で切れる",
]

# Lines that the sieve lets through and the rules then leave alone.
NEAR_LINES: list[str] = [
    "docker login --password-stdin reads the password from standard input",
    "echo $PASSWORD | docker login -u me --password-stdin",
    'echo "${{ secrets.REGISTRY_TOKEN }}" | docker login ghcr.io -u me --password-stdin',
    "aws ecr get-login-password | docker login --username AWS --password-stdin 123.dkr.ecr.eu-west-1.amazonaws.com",
    "cat token.txt | gh auth login --with-token",
    "htpasswd -b needs the file, the user and the password",
    "htpasswd -c .htpasswd me",
    "openssl enc -aes-256-cbc -pass env:PASS -in a -out b",
    "openssl enc -aes-256-cbc -k $PASS -in a -out b",
    "openssl req -newkey rsa:2048 -keyout key.pem -out cert.pem",
    "Set-Cookie: theme=dark; Path=/; Max-Age=3600; SameSite=Lax",
    "Cookie: lang=en; theme=dark; tz=Europe/Berlin",
    "curl -b jar.txt -c jar.txt https://example.org/login?next=/home",
    "parse the cookie: name=value pairs are split at the semicolon",
    "the seed phrase is stored in the vault and never leaves the machine that made it",
    "seed: users orders items carts prices stock taxes coupons refunds sales notes tags",
    "mnemonic: a word that helps people remember things like the colours and the planets",
    "a recovery phrase is twelve or more words that people write down and keep with their papers",
    "set the seed to 42 and run the tests again, then with another seed for the other worker",
    "persona_production_database_url and tss_configuration_manager are names",
    "the password is required!",
    "printf(&quot;Password is correct.&quot;);",
    '"SessionToken": "' + "AQoDYXdzEPT//////////wEXAMPLE" + 'tc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAe"',
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "key: abcd1234",
    "idempotency key: " + "7f3c9a1e-2b4d-4c6e-8f0a-1b2c3d4e5f60",
    "session_id=5eb4223e-5008-46e5-be67-c7b8f2732305",
    "key=" + "01J8ZQ4X7M2N3P4Q5R6S7T8V9W",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
    '"S3Key": "867139942017-PHIDetection-4750034166536cdb52ffa3295a1b00a3/"',
    "public_key = ssh-ed25519-AAAAC3NzaC1lZDI1NTE5",
    "clientId = 73082700-1f09-405b-80d0-3131bfd6272d",
    "apiVersion: external-secrets.io/v1beta1",
    '"AWS::SecretsManager::Secret": "c85175a4ebcce361"',
    "serial 1480452973145, Sid Stmt1480452973145",
    "return Password(value=PasswordField1)",
    '("tokens", "symbol2label")',
    '# METHOD can be "trust", "md5", "password", "scram-sha-256"',
    "withCredentials([usernamePassword(credentialsId: '29f63271-dc2f-4734-8221-5b31b5169bac')])",
    "vault kv get -field=password secret/app/db1",
    "curl -u user:pass https://api.test",
    'curl -u "$USER:$PASS" https://api.test/v2',
    'curl -sL --user "$GITHUB_USERNAME:$GITHUB_PASSWORD" "$GITHUB_URL"',
    "mysql -u root -p shop < dump-2024.sql",
    "git config user.signingkey 9C2A1B7FD3E4",
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
    "postgres://user:password@localhost:5432/app",
    "postgres://${DB_USER}:${DB_PASS}@db/app",
    "https://<user>:<password>@host/path",
    "npm_package_version=1.2.3-rc.1",
    "assets/main.key-7a388b69018576d24b59331fd60aab0c.js",
    "the PEM starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----",
]


def sample(shape: str) -> str:
    out = ""
    for piece in re.split(r"(<\w+:[\d+-]+>)", shape):
        if piece[:1] != "<":
            out += piece
            continue
        name, _, size = piece[1:-1].partition(":")
        alphabet = [chr(code) for code in range(33, 127) if re.fullmatch(f"[{RUNS[name]}]", chr(code))]
        out += body("".join(alphabet), int(size.rstrip("+").partition("-")[0]))
    return out


def ids(rows: list[tuple[str, str, str]]) -> list[str]:
    return [f"{at}-{row[-1]}" for at, row in enumerate(rows)]


@pytest.mark.parametrize(("line", "secret", "label"), SECRET_LINES, ids=ids(SECRET_LINES))
def test_only_the_secret_is_replaced_and_it_is_named(line: str, secret: str, label: str) -> None:
    assert redact(line.format(secret)) == (line.format(f"[redacted:{label}]"), (label,))


@pytest.mark.parametrize("line", ORDINARY_LINES + NEAR_LINES)
def test_a_line_without_a_secret_stays_as_it_is(line: str) -> None:
    assert redact(line) == (line, ())


def test_the_lists_are_long_enough_to_mean_something() -> None:
    assert len(SECRET_LINES) >= 120
    assert len(set(ORDINARY_LINES)) >= 150


@pytest.mark.parametrize("at", range(len(KNOWN)), ids=[f"{at}-{row[0]}" for at, row in enumerate(KNOWN)])
def test_every_known_beginning_is_found(at: int) -> None:
    label, prefixes, shape = KNOWN[at]
    for prefix in prefixes.split():
        lead, _, rest = shape.rpartition("{}")
        made = sample(rest)
        while prefix.lower().encode() in WEAK_PREFIXES and redaction.is_wordy(made.lower().encode()):
            made = sample(rest)  # behind a beginning that is a word too, only a body that is none is told
        token = sample(lead) + prefix + made
        kept = prefix if prefix.endswith("/") else ""
        assert redact(f"see {token} there") == (f"see {kept}[redacted:{label}] there", (label,))


@pytest.mark.parametrize("at", range(len(NAMED)), ids=[f"{at}-{row[0]}" for at, row in enumerate(NAMED)])
def test_every_named_vendor_is_found(at: int) -> None:
    """A body of fourteen characters is now and then a word by chance, so two in eight may be taken for one."""
    label, vendors, shapes = NAMED[at]
    for vendor in vendors.split():
        for shape in shapes.split():
            found = [redact(f"{vendor}_API_KEY = '{sample(shape)}'") for _ in range(8)]
            hits = [
                labels[0] for text, labels in found if labels and text.endswith(f"_API_KEY = '[redacted:{labels[0]}]'")
            ]
            assert len(hits) >= 6
            # A vendor's token with a beginning of its own, and a shape that two vendors share, may go by another row.
            assert all(hit == label or any(hit == row[0] for row in KNOWN + NAMED) for hit in hits)


def test_every_row_told_by_its_surroundings_is_found() -> None:
    texts = {
        "private key": pem(),
        "private-lines": f"Private-Lines: 2\n{body(B64, 64)}\n{body(B64, 40)}\nPrivate-MAC: 1",
        "eyj": jwt(),
        "akia": f"AKIA{body(B32, 16)},{body(B64, 40)}",
        "a.b.c": f"MT{body(ALNUM, 22)}.{body(WORD, 6)}.{body(WORD, 38)}",
        "q~": f"{body(ALNUM, 3)}8Q~{body(ALNUM, 34)}",
        "sha256~": f"sha256~{body(WORD, 43)}",
        "_mmk": f"{body(ALNUM, 6)}_{body(ALNUM, 29)}_mmk",
        "access_token$": f"access_token$sandbox${body(LOWER, 16)}${body(HEX, 32)}",
        "contribsys__com": f"BUNDLE_GEMS__CONTRIBSYS__COM: {body(HEX, 8)}:{body(HEX, 8)}",
        "facebook": f"facebook {body('123456789', 16)}|{body(ALNUM, 27)}",
        "://": f"ftp://me:{body(ALNUM, 10)}@host",
        "authorization": f"Authorization: {uuid()}",
        "bearer": f"Bearer {body(ALNUM, 30)}",
        "-u": f"curl -u me:{body(ALNUM, 10)} host",
        "kind:": f"apiVersion: v1\nkind: Secret\ndata:\n  extra: {body(ALNUM, 40)}\n",
        "flyv1 ": f"FlyV1 {body(WORD, 120)}",
        "astracs:": f"AstraCS:{body(ALNUM, 24)}:{body(HEX, 64)}",
        "==:": f"{body(ALNUM, 22)}==:{body(ALNUM, 32)}",
        "seed words": f"seed phrase: {seed_words(12)}",
        "stdin": f"echo {body(ALNUM, 12)} | docker login -u me --password-stdin",
        "htpasswd": f"htpasswd -cb users.txt me {body(ALNUM, 10)}",
        "openssl": f"openssl enc -aes-256-cbc -k {body(ALNUM, 10)} -in a -out b",
        "cookie": f"Set-Cookie: sid={body(ALNUM, 26)}; Path=/; HttpOnly",
    }
    assert texts.keys() == {clue for _, clue, _ in TOLD}
    for label, clue, _ in TOLD:
        assert label in redact(texts[clue])[1], clue


def test_every_word_that_ends_a_name_is_heard() -> None:
    only_with_a_vendor = {"client_id", "clientid", "client-id", "access_id", "accessid", "login"}
    for label, words in ASSIGNED:
        for word in words.split():
            if word not in only_with_a_vendor:
                left = {"sid": "connect.", "key": "api_"}.get(word, "?" if label == "signature" else "")
                assert redact(f"{left}{word}={body(ALNUM, 40)}")[1] == (label,), word


def test_the_sieve_knows_what_the_table_needs() -> None:
    clues = {clue for _, clue, _ in TOLD}
    prefixes = {prefix.lower() for _, row, _ in KNOWN for prefix in row.split()} | {"eyj"}
    words = {word for _, row in ASSIGNED for word in row.split()}
    assert {prefix.decode() for prefix in PREFIXES} == prefixes
    assert clues - set(redaction.MARKERS + redaction.HEADERS + redaction.COMMANDS) - prefixes == {
        *("a.b.c", "://", "-u", "kind:", "stdin", "cookie", "seed words"),
    }
    assert {word for row in redaction.WORDS.values() for word in row} == words
    assert all(word.startswith(stem) for stem, row in redaction.WORDS.items() for word in row)
    assert prefixes >= {prefix.decode() for prefix in WEAK_PREFIXES}


def test_labels_are_short_words_in_lower_case() -> None:
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+){0,3}", label) for label in LABELS)


@pytest.mark.parametrize("around", PRIVATE_KEYS)
@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
@pytest.mark.parametrize("newline", ["\n", " ", "\\n", "\r\n"])
def test_a_private_key_is_replaced_as_a_whole(around: str, kind: str, newline: str) -> None:
    key = pem(kind).replace("\n", newline)
    assert redact(around.format(key)) == (around.format("[redacted:private-key]"), ("private-key",))


@pytest.mark.parametrize("newline", ["\n", " ", "\\n"])
def test_a_private_key_without_its_end_is_replaced_to_the_end_of_its_base64(newline: str) -> None:
    key = pem().replace("\n", newline).split("-----END")[0].rstrip().removesuffix("\\n")
    assert redact(f"log: {key} and the rest was cut") == (
        "log: [redacted:private-key] and the rest was cut",
        ("private-key",),
    )


def test_an_encrypted_private_key_goes_with_its_headers() -> None:
    head = f"{BEGIN}RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{body('0123456789ABCDEF', 32)}"
    rows = f"{body(B64, 64)}\n{body(B64, 64)}"
    assert redact(f"{head}\n\n{rows}")[0] == "[redacted:private-key]"


def test_several_secrets_are_named_in_order_of_place() -> None:
    line = f"a ghp_{body(ALNUM, 36)} b AKIA{body(B32, 16)} c password=hunter2x9 d"
    text = "a [redacted:github-token] b [redacted:aws-key-id] c password=[redacted:password] d"
    assert redact(line) == (text, ("github-token", "aws-key-id", "password"))


def test_a_new_secret_beside_an_old_placeholder_is_the_only_one_reported() -> None:
    line = f"[redacted:password] and npm_{body(ALNUM, 36)}"
    assert redact(line) == ("[redacted:password] and [redacted:npm-token]", ("npm-token",))


def test_tokens_without_a_gap_leave_nothing_behind() -> None:
    first, second = body(ALNUM, 36), body(ALNUM, 36)
    text, labels = redact(f"ghp_{first}ghp_{second}")
    assert first not in text
    assert second not in text
    assert "github-token" in labels


def test_a_record_is_cleaned_at_every_depth_and_its_keys_are_left() -> None:
    token = f"ghp_{body(ALNUM, 36)}"
    inner = {"plain": "x", "count": 3}
    record: dict[str, object] = {
        "a": f"use {token}",
        "b": [1, None, (token, "y"), {"c": token}],
        "inner": inner,
        token: True,
    }
    clean, labels = redact_record(record)
    assert clean == {
        "a": "use [redacted:github-token]",
        "b": [1, None, ("[redacted:github-token]", "y"), {"c": "[redacted:github-token]"}],
        "inner": inner,
        token: True,
    }
    assert clean["inner"] is inner
    assert labels == ("github-token",) * 3
    assert record["a"] == f"use {token}"


def test_a_record_without_a_secret_is_the_same_object() -> None:
    record: dict[str, object] = {"a": ["x", {"b": "the token expires"}], "n": 1.5, "t": ("k",)}
    clean, labels = redact_record(record)
    assert clean is record
    assert labels == ()


FRAGMENTS = st.sampled_from(
    [
        *(
            "password",
            "token",
            "api_key",
            "secret",
            "=",
            ":",
            " ",
            '"',
            "'",
            "\n",
            "\\n",
            "-",
            "--",
            " is ",
            "://",
            "@",
        ),
        *(f"{BEGIN}RSA PRIVATE KEY-----", f"{END}RSA PRIVATE KEY-----", f"ghp_{body(ALNUM, 36)}", jwt()),
        *(f"AKIA{body(B32, 16)}", f"sk-ant-{body(WORD, 60)}", body(B64, 64), body(HEX, 32), uuid(), "hunter2x"),
        *("Bearer ", "Authorization: Basic ", "dXNlcjpwYXNz", "curl -u me:", "machine ", "heroku_", "value", "SG."),
        *("[redacted:password]", "[redacted:", "[redacted:github-token]", "]", "_", "/", "é", "\ud800", "\0", "<", "$"),
        *("hooks.slack.com/services/", "?sig=", "&x=", "cookie: session", "12345678:AAE", "kind: secret\ndata:\n  a: "),
    ]
)
TEXTS = st.lists(st.one_of(FRAGMENTS, st.text(max_size=8)), max_size=14).map("".join)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    clean, labels = redact(text)
    assert redact(clean) == (clean, ())
    assert set(labels) <= LABELS


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(), max_size=200))
def test_no_text_raises(text: str) -> None:
    clean, labels = redact(text)
    assert (clean == text) == (labels == ())


@settings(max_examples=200, deadline=None)
@given(st.text("bdfghlmnorz ÄÖ\ud83d.,;!?()\n\t", max_size=300))
def test_a_text_without_a_clue_is_unchanged(text: str) -> None:
    assert redact(text) == (text, ())


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a", "=", "key=", "-"])
def test_a_megabyte_of_anything_is_done_in_time(unit: str) -> None:
    text = (unit * 1_000_000)[:1_000_000]
    start = time.process_time()
    assert redact(text) == (text, ())
    assert time.process_time() - start < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        *("key=", "key: ", "password ", 'token="', "ghp_", "sk-", "eyJ-", "://a:b", "@", "\n", "\\n", "a.", "é", "SK"),
        *(f"{BEGIN}PRIVATE KEY-----", "bearer ", "curl -u ", "[redacted:password]", "password=a1b2c3d4 ", "mysql -p "),
    ],
)
def test_the_rules_take_no_longer_when_they_are_loaded_and_led_on(unit: str) -> None:
    text = (unit * 200_000)[:200_000]
    start = time.process_time()
    redact(f"password=hunter2x9 {text}")
    assert time.process_time() - start < 5


def fresh(code: str) -> set[str]:
    """The modules that a bare interpreter has loaded after the code."""
    program = f"import sys; sys.path.insert(0, {str(SRC)!r})\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_import_loads_nothing_else() -> None:
    before = fresh("")
    after = fresh("import holdfast.capture.redaction")
    ours = {f"holdfast.capture.{name}" for name in ("redaction", "redaction_tokens")}
    assert after - before <= {"__future__", "holdfast", "holdfast.capture", *ours}


def test_an_ordinary_line_does_not_load_the_rules() -> None:
    loaded = fresh(f"from holdfast.capture.redaction import redact\nfor line in {ORDINARY_LINES!r}: redact(line)")
    assert not loaded & {"re", "holdfast.capture.redaction_match", "holdfast.capture.redaction_rules"}


def test_a_secret_loads_them() -> None:
    line = f"GITHUB_TOKEN=ghp_{body(ALNUM, 36)}"
    loaded = fresh(f"from holdfast.capture.redaction import redact\nredact({line!r})")
    assert {"re", "holdfast.capture.redaction_match", "holdfast.capture.redaction_rules"} <= loaded


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.sampled_from(["apple", "river", "stone", "cloud", "window", "silver", "pencil"]), max_size=30),
    st.sampled_from(["seed phrase: ", "mnemonic = ", "recovery phrase:\n", "the words are "]),
)
def test_only_a_whole_seed_phrase_behind_its_label_is_one(words: list[str], label: str) -> None:
    text = f"{label}{' '.join(words)}"
    is_phrase = len(words) in (12, 15, 18, 21, 24) and not label.startswith("the")
    assert redact(text)[1] == (("seed-phrase",) if is_phrase else ())


def is_no_stand_in(value: str) -> bool:
    """Nothing that a manual would write: "password" alone is piped in every second one."""
    varied = len(set(value.lower())) > 5 and any(sign.isdigit() for sign in value)
    return varied and not redaction.is_stand_in(value.lower().encode())


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(st.text(alphabet=ALNUM, min_size=8, max_size=40).filter(is_no_stand_in))
def test_a_piped_password_is_found_whatever_letters_it_has(secret: str) -> None:
    clean, labels = redact(f"echo {secret} | docker login -u me --password-stdin registry.example.org")
    assert labels
    assert secret not in clean.split()


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "docker login --password-stdin <<< ",
        "echo a | docker ",
        "htpasswd -b a ",
        "openssl -k a ",
        "cookie: a=b; ",
        "seed ",
    ]
    + ["seed phrase: apple ", "mnemonic ", "Set-Cookie: ", "openssl ", "==:", "00D", "curl -b a=b "],
)
def test_the_work_of_the_later_rules_grows_with_the_text_and_not_faster(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece)) + "9aB"
        times = []
        for _ in range(3):
            began = time.process_time()
            redact(text)
            times.append(time.process_time() - began)
        return min(times)

    assert seconds(80_000) < 40 * seconds(8_000) + 0.1
