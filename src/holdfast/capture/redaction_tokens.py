"""Tokens of vendors, as data: how they begin, and the shapes of those that only a vendor's name gives away."""

from __future__ import annotations

# The beginnings of known tokens, in lower case, for the sieve of `redaction`; a test holds them equal to what the rule
# table needs. In a URL-like one the host is the beginning.
PREFIXES = b"""
00d 1//0 1000. 4b1d a3- a3t aaaaaaaaaaaaaaaaaaaaaa aact_hmlg_ aact_prod_ aae aaf aag aah abia absk acca
access-development- access-production- access-sandbox- age-secret-key-1 aik_ci_ aik_client_ aik_secret_ aiza akcp
akia akid amzn.mws. apa91b api- api_live. api_live_ca. api_live_us. api_org_ api_sandbox. apify_api_ apk_
apk_user_ app_usr- aq.ab8rn6 aqvn asia atatt3 atbb atctt3 atlasv1. atstt3 atta authress_ avns_ bedrock-api-key-
bkaa_ bkaj_ bkar_ bkct_ bkpat_ bkps_ bkpt_ bkua_ bsa cais ccdb1_ ccipat_ cciprj_ cfat_ cfk_ cfpat- cfut_
chat.googleapis.com/v1/spaces/ cio clojars_ cmvmd cnvca cog_ configcat-sdk-1/ csa_ csk- da2- dapi dbtc_ dbtu_
dckr_oat_ dckr_pat_ ddo_ ddp_ dg9ro discord.com/api/webhooks/ discordapp.com/api/webhooks/ dnkey- doo_v1_ dop_v1_
dor_v1_ dp. dsp_ dt0c01. dt0s01. dt0s02. dt0s08. dt0s16. duffel_live_ duffel_test_ dvc_client_ dvc_mobile_
dvc_server_ e2b_ eaa eaaa endr+ esecret_ essu_ exo ext_ eyj eyjrijoi ezak eztk fc- figd_ figu_ fio-u-
flwpubk_test- flwseck- flwseck_test- fm1a_ fm1r_ fm2_ fo1_ fw_ gb_api_ gcntfy- ghe_ gho_ ghp_ ghr_ ghs_ ghu_
github_pat_ glagent- glc_ glcbt- gldt- glffct- glft- glimt- gloas- glpat- glptt- glrt- glrtr- glsa_ glsoat- glwt-
gocspx- gr1348941 gsk_ hcaik_ hcbik_ hcxik_ hf_ hooks.slack.com/services/ hooks.slack.com/triggers/
hooks.slack.com/workflows/ hooks.zapier.com/hooks/catch/ hrku- hvb. hvr. hvs. ico- igaa igqv ion_ iqojb3jpz2lu
jina_ key- key_ lin_api_ lin_oauth_ lip_ ls0tls1crudjtibeu0eg ls0tls1crudjtibfqybq ls0tls1crudjtibftknswvbu
ls0tls1crudjtibpuevou1nii ls0tls1crudjtibqr1agufjjvkfurs ls0tls1crudjtibquklwqvrf ls0tls1crudjtibsu0eg lsv2_pt_
lsv2_sk_ ltai maker.ifttt.com/trigger/ mdb_sa_sk_ mercury_production_ mergify_application_key_ mid-server- mlsn.
n8n_api_ napi_ nfp_ npg_ npm_ nrak- nrii- nriq- nrjs- nrra- ntn_ nvapi- ops_eyj ory_at_ ory_pat_ os_v2_app_
os_v2_org_ oy2 p8e- pa- packagist_ort_ packagist_out_ packagist_uut_ pat pat- pat. pcsk_ pdl_live_apikey_
pdl_sdbx_apikey_ persona_production_ persona_sandbox_ phc_ phx_ pina_ pk. pk_ pmak- pnb_ pnu_ polar_at_ polar_oat_
polar_pat_ pplx- prd- prf_ prf_cli_ pscale_app_ pscale_oauth_ pscale_pw_ pscale_tkn_ pul- pypi-ag r8_ ramp_id_
ramp_sec_ rdme_ re_ rgapi- rk_live_ rk_prod_ rk_test_ rnd_ rootly_ rpa_ rubygems_ rzp_live_ rzp_test_ s-s4t2af-
s-s4t2ud- s. samsara_api_ sat. sb-mid-server- sb_secret_ sbp_ sc_ scauth_ sdk- secret- secret_ sg. sgp_
shippo_live_ shippo_test_ shpat_ shpca_ shppa_ shpss_ shptka_ sk sk- sk-admin- sk-ant- sk-api- sk-lf- sk-none-
sk-or- sk-proj- sk-svcacct- sk. sk_ sk_live_ sk_org_ sk_prod_ sk_sbox_ sk_test_ sl. sm_aat_ sm_pat_ sm_sat_
sntrys_ sntryu_ sq0atp- sq0csp- sqa_ sqp_ squ_ sts. swmkey-1- swmtkn-1- syt_ t1. tfp_ tgp_v1_ tk-us- tk. tskey-
tss_ tvly- ucat_ unkey_ v1.0- vca_ vci_ vck_ vcp_ vcr_ vercel_blob_rw_ vtwn_ waka_ wandb_v1_
webhook.office.com/webhookb2/ whsec_ wrka-eyj wrkaau-eyj wrkaeu-eyj wrkajp-eyj wrkasg-eyj wrkaus-eyj xai- xapp-
xau_ xkeysib- xnd_development_ xnd_production_ xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs-
xsmtpsib- xwfp- ya29. yc zpka_ zxlk
""".split()

# Beginnings that are also ordinary words; only a body that is no word makes them worth a look.
WEAK_PREFIXES = frozenset(
    (
        b" 00d 1000. a3- aae aaf aag aah api- api_live. api_live_ca. api_live_us. api_sandbox. apk_ bsa cais cio"
        b" cog_ dp. eaa endr+ exo ext_ fc- fw_ ion_ key- key_ lip_ oy2 p8e- pa- pat pat- pat. persona_production_"
        b" persona_sandbox_ pina_ pk. pk_ prd- prf_ prf_cli_ re_ rpa_ s. sat. sc_ sdk- secret- secret_ sk sk-"
        b" sk-api- sk. sk_ sl. sts. t1. tk. tss_ unkey_ vtwn_ waka_ yc"
    ).split()
)

UUID = "<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:12>"

# Rows for tokens without a beginning of their own; `redaction_rules` says how a row is read.
NAMED: tuple[tuple[str, str, str], ...] = (
    ("aws-secret-key", "aws amazon", "<b64:40>"),
    ("gcp-key", "gcp google", "<word:24+>"),
    ("azure-storage-key", "account azure storage", "<b64:86>=="),
    ("azure-key", "azure sharedaccess", "<b64:43>="),
    ("azure-devops-token", "azure devops", "<lower:52> <alnum:84>"),
    ("alibaba-secret", "alibaba aliyun", "<alnum:30>"),
    ("tencent-secret", "tencent", "<alnum:32>"),
    ("heroku-key", "heroku", UUID),
    ("vercel-token", "vercel", "<alnum:24>"),
    ("netlify-token", "netlify", "<pad:40-46>"),
    ("cloudflare-key", "cloudflare cf_api", "<word:40> <hex:37>"),
    ("linode-token", "linode", "<hex:64>"),
    ("vultr-key", "vultr", "<upper:36>"),
    ("hetzner-token", "hetzner hcloud", "<alnum:64>"),
    ("scaleway-secret", "scaleway scw", UUID),
    ("ibm-cloud-key", "ibm bluemix", "<word:44>"),
    ("ovh-secret", "ovh", "<alnum:32>"),
    ("railway-token", "railway", UUID),
    ("fastly-token", "fastly", "<pad:32>"),
    ("okta-token", "okta", "00<pad:40>"),
    ("auth0-secret", "auth0", "<word:64>"),
    ("meraki-key", "meraki", "<hex:40>"),
    ("ngrok-token", "ngrok", "<alnum:20-30>_<alnum:15-30>"),
    ("bitwarden-token", "bitwarden bws_", "0." + UUID + ".<pad:20+>"),
    ("cohere-key", "cohere co_api", "<alnum:40>"),
    ("mistral-key", "mistral", "<alnum:32>"),
    ("azure-openai-key", "openai", "<hex:32> <alnum:84>"),
    ("deepgram-key", "deepgram", "<hex:40>"),
    ("assemblyai-key", "assemblyai", "<hex:32>"),
    ("together-key", "together", "<hex:64>"),
    ("wandb-key", "wandb", "<hex:40>"),
    ("pinecone-key", "pinecone", UUID),
    ("privateai-key", "privateai private_ai private-ai", "<lower:32>"),
    ("bitbucket-credential", "bitbucket", "<alnum:32> <pad:64>"),
    ("atlassian-token", "atlassian jira confluence", "<alnum:24>"),
    ("gitea-token", "gitea forgejo codeberg", "<hex:40>"),
    ("sourcegraph-token", "sourcegraph", "<hex:40>"),
    ("linear-secret", "linear", "<hex:32>"),
    ("codecov-token", "codecov", "<alnum:32> " + UUID),
    ("snyk-token", "snyk", UUID),
    ("sonar-token", "sonar", "<pad:40>"),
    ("travis-token", "travis", "<alnum:22>"),
    ("drone-token", "drone", "<alnum:32>"),
    ("jenkins-token", "jenkins", "<hex:34>"),
    ("jfrog-token", "jfrog artifactory bintray xray", "<alnum:73> <alnum:64>"),
    ("launchdarkly-token", "launchdarkly", "<pad:40>"),
    ("datadog-key", "datadog dd_a", "<hex:32> <alnum:40>"),
    ("newrelic-key", "newrelic new_relic new-relic", "<alnum:64> <hex:36>NRAL <hex:40>"),
    ("sentry-token", "sentry", "<hex:64>"),
    ("sumologic-token", "sumo", "<alnum:64> su<alnum:12>"),
    ("rollbar-token", "rollbar", "<hex:32>"),
    ("bugsnag-key", "bugsnag", "<hex:32>"),
    ("honeycomb-key", "honeycomb", "<alnum:22> <hex:32>"),
    ("splunk-token", "splunk", UUID),
    ("loggly-token", "loggly", UUID),
    ("pagerduty-key", "pagerduty", "<pad:20> <hex:32>"),
    ("opsgenie-key", "opsgenie", UUID),
    ("amplitude-key", "amplitude", "<hex:32>"),
    ("segment-key", "segment", "<alnum:32>"),
    ("elastic-key", "elastic", "<b64:56-64>=="),
    ("confluent-key", "confluent", "<alnum:16> <alnum:64> <b64:64>"),
    ("algolia-key", "algolia", "<alnum:32>"),
    ("meilisearch-key", "meili", "<alnum:40-64>"),
    ("postmark-token", "postmark", UUID),
    ("twilio-token", "twilio", "<hex:32>"),
    ("mailgun-key", "mailgun", "pubkey-<hex:32> <hex:32>-<hex:8>-<hex:8>"),
    ("mailchimp-key", "mailchimp mandrill", "<hex:32>-us<dec:1-2> <word:22>"),
    ("vonage-secret", "vonage nexmo", "<alnum:16>"),
    ("messagebird-key", "messagebird message_bird message-bird", "<alnum:25> " + UUID),
    ("sendbird-token", "sendbird", "<hex:40> " + UUID),
    ("pushover-token", "pushover", "<lower:30>"),
    ("pusher-secret", "pusher", "<hex:20>"),
    ("mattermost-token", "mattermost", "<lower:26>"),
    ("rocketchat-token", "rocketchat rocket_chat", "<word:43>"),
    ("gitter-token", "gitter", "<word:40>"),
    ("zendesk-key", "zendesk", "<alnum:40>"),
    ("intercom-key", "intercom", "<pad:60>"),
    ("discord-secret", "discord", "<hex:64> <dec:18-19> <pad:32>"),
    ("telegram-token", "telegr", "<dec:5-16>:A<word:34>"),
    ("twitch-token", "twitch", "<alnum:30>"),
    ("twitter-key", "twitter", "<alnum:25> <alnum:45> <alnum:50> <dec:15-25>-<alnum:20-40>"),
    ("facebook-secret", "facebook fb_app", "<hex:32>"),
    ("linkedin-secret", "linkedin linked_in linked-in", "<alnum:14> <alnum:16>"),
    ("reddit-secret", "reddit", "<word:27-30>"),
    ("spotify-secret", "spotify", "<hex:32>"),
    ("flickr-key", "flickr", "<alnum:32>"),
    ("vimeo-token", "vimeo", "<hex:32>"),
    ("giphy-key", "giphy", "<alnum:32>"),
    ("steam-key", "steam", "<hex:32>"),
    ("tmdb-key", "tmdb", "<hex:32>"),
    ("paypal-secret", "paypal", "<word:80>"),
    ("braintree-key", "braintree", "<hex:32>"),
    ("razorpay-secret", "razorpay", "<alnum:24>"),
    ("adyen-key", "adyen", "AQE<b64:60+>"),
    ("mollie-key", "mollie", "live_<alnum:30> test_<alnum:30>"),
    ("gocardless-token", "gocardless", "live_<pad:40> sandbox_<pad:40>"),
    ("lob-key", "lob", "live_<hex:35> test_<hex:35> live_pub_<hex:31> test_pub_<hex:31>"),
    ("plaid-secret", "plaid", "<alnum:24> <alnum:30>"),
    ("finicity-key", "finicity", "<hex:32> <alnum:20>"),
    ("freshbooks-token", "freshbooks", "<alnum:64>"),
    ("squarespace-key", "squarespace", UUID),
    ("etsy-token", "etsy", "<alnum:24>"),
    ("coinbase-token", "coinbase", "<word:64>"),
    ("binance-key", "binance", "<alnum:64>"),
    ("kraken-key", "kraken", "<any:80-90>"),
    ("kucoin-key", "kucoin", "<hex:24> " + UUID),
    ("bittrex-key", "bittrex", "<alnum:32>"),
    ("ethereum-key", "ethereum eth_ wallet", "0x<hex:64> <hex:64>"),
    ("infura-secret", "infura alchemy", "<word:32>"),
    ("etherscan-key", "etherscan", "<upper:34>"),
    ("adafruit-key", "adafruit", "<word:32>"),
    ("adobe-credential", "adobe", "<hex:32>"),
    ("airtable-key", "airtable", "<alnum:17>"),
    ("asana-credential", "asana", "<dec:16> <alnum:32> <dec:1>/<dec:16>:<hex:32>"),
    ("beamer-token", "beamer", "b_<pad:44>"),
    ("contentful-token", "contentful", "<pad:43>"),
    ("dropbox-key", "dropbox", "<alnum:15> <alnum:11>AAAAAAAAAA<pad:43>"),
    ("hubspot-key", "hubspot", UUID),
    ("trello-key", "trello", "<hex:32> <alnum:32>"),
    ("typeform-token", "typeform", "<pad:44>"),
    ("coda-token", "coda", UUID),
    ("shortcut-token", "shortcut clubhouse", UUID),
    ("looker-secret", "looker", "<alnum:20> <alnum:24>"),
    ("mapbox-token", "mapbox", "pk.<alnum:60>.<alnum:22>"),
    ("finnhub-token", "finnhub", "<alnum:20>"),
    ("alphavantage-key", "alphavantage alpha_vantage", "<upper:16>"),
    ("polygon-key", "polygon", "<word:32>"),
    ("rapidapi-key", "rapidapi", "<word:50>"),
    ("nytimes-key", "nytimes newyorktimes new-york-times", "<pad:32>"),
    ("newsapi-key", "newsapi", "<hex:32>"),
    ("openweather-key", "openweather", "<hex:32>"),
    ("virustotal-key", "virustotal", "<hex:64>"),
    ("shodan-key", "shodan", "<alnum:32>"),
    ("yandex-key", "yandex", "<word:39-42>"),
    ("maxmind-key", "maxmind", "<alnum:16>"),
    ("assemblyai-key", "assemblyai", "<alnum:32>"),
    ("bitly-token", "bitly", "<hex:40>"),
    ("box-token", "box_ boxapp", "<alnum:32>"),
    ("circleci-token", "circleci circle_ci", "<hex:40>"),
    ("civo-key", "civo", "<alnum:50>"),
    ("clickhouse-key", "clickhouse", "<alnum:20>"),
    ("cloudinary-secret", "cloudinary", "<word:27>"),
    ("coveralls-token", "coveralls", "<alnum:32-40>"),
    ("datadog-key", "datadog", "<alnum:32>"),
    ("datagov-key", "datagov data.gov data_gov", "<alnum:40>"),
    ("disqus-key", "disqus", "<alnum:64>"),
    ("gumroad-token", "gumroad", "<word:43> <hex:64>"),
    ("jumpcloud-key", "jumpcloud", "<alnum:40>"),
    ("kagi-key", "kagi", "<alnum:11>.<alnum:43>"),
    ("openweather-key", "openweather", "<alnum:32>"),
    ("polymarket-key", "polymarket", UUID),
    ("wakatime-key", "wakatime", UUID),
    ("wandb-key", "weightsandbiases weights_and_biases", "<hex:40>"),
    ("weatherstack-key", "weatherstack", "<alnum:32>"),
    ("zai-key", "zai_ zhipu", "<hex:32>.<alnum:16>"),
)
