"""What known tokens begin with, for the sieve of `redaction`; a test holds it equal to what the rule table needs."""

from __future__ import annotations

# What known tokens begin with, in lower case. In a URL-like one the host is the beginning.
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
