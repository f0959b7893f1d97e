/** A key format that a provider documents or that its keys are known by. `body` is a regular expression source. */
interface ProviderKey {
  readonly kind: string;
  readonly body: string;
}

/**
 * Key formats with a fixed prefix. Each begins with literal text, so a scan costs one pass; lengths are bounded from
 * below only as far as the provider states them.
 */
export const PROVIDER_KEYS: readonly ProviderKey[] = [
  { kind: 'aws-access-key', body: '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}' },
  { kind: 'github-token', body: 'gh[pousr]_[A-Za-z0-9]{36,255}' },
  { kind: 'github-token', body: 'github_pat_[A-Za-z0-9_]{40,255}' },
  { kind: 'gitlab-token', body: 'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.-]{20,255}' },
  { kind: 'slack-token', body: 'xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,255}' },
  { kind: 'slack-token', body: 'xapp-\\d-[A-Za-z0-9-]{10,255}' },
  { kind: 'slack-webhook', body: 'hooks\\.slack\\.com/(?:services|workflows)/[A-Za-z0-9_/+-]{20,255}' },
  { kind: 'discord-webhook', body: 'discord(?:app)?\\.com/api/webhooks/\\d{16,20}/[A-Za-z0-9_-]{40,255}' },
  { kind: 'anthropic-key', body: 'sk-ant-[a-z0-9]{2,16}-[A-Za-z0-9_-]{20,255}' },
  { kind: 'openai-key', body: 'sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,255}' },
  { kind: 'openai-key', body: 'sk-(?:or-v1-|lf-)?[A-Za-z0-9]{20,255}' },
  { kind: 'stripe-key', body: '[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,255}' },
  { kind: 'webhook-secret', body: 'whsec_[A-Za-z0-9+/]{24,255}={0,2}' },
  { kind: 'google-key', body: 'AIza[A-Za-z0-9_-]{35}' },
  { kind: 'google-oauth', body: 'GOCSPX-[A-Za-z0-9_-]{20,64}' },
  { kind: 'google-oauth', body: 'ya29\\.[A-Za-z0-9_-]{20,1024}' },
  { kind: 'google-oauth', body: '1//0[A-Za-z0-9_-]{30,255}' },
  { kind: 'npm-token', body: 'npm_[A-Za-z0-9]{36,255}' },
  { kind: 'pypi-token', body: 'pypi-[A-Za-z0-9_-]{50,512}' },
  { kind: 'rubygems-token', body: 'rubygems_[0-9a-f]{48}' },
  { kind: 'crates-token', body: 'cio[A-Za-z0-9]{32}' },
  { kind: 'nuget-key', body: 'oy2[a-z0-9]{43}' },
  { kind: 'docker-token', body: 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,64}' },
  { kind: 'huggingface-token', body: '(?:hf|api_org)_[A-Za-z0-9]{30,64}' },
  { kind: 'sendgrid-key', body: 'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}' },
  { kind: 'mailgun-key', body: 'key-[0-9a-f]{32}' },
  { kind: 'twilio-key', body: 'SK[0-9a-f]{32}' },
  { kind: 'digitalocean-token', body: 'do[oprt]_v1_[0-9a-f]{64}' },
  { kind: 'shopify-token', body: 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}' },
  { kind: 'linear-key', body: 'lin_(?:api|oauth)_[A-Za-z0-9]{32,64}' },
  { kind: 'notion-token', body: 'ntn_[A-Za-z0-9]{40,64}' },
  { kind: 'notion-token', body: 'secret_[A-Za-z0-9]{43}' },
  { kind: 'databricks-token', body: 'dapi[0-9a-f]{32}' },
  { kind: 'doppler-token', body: 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,64}' },
  { kind: 'vault-token', body: 'hv[sbr]\\.[A-Za-z0-9_-]{24,512}' },
  { kind: 'figma-token', body: 'fig[dou]_[A-Za-z0-9_-]{32,64}' },
  { kind: 'airtable-token', body: 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}' },
  { kind: 'new-relic-key', body: 'NRAK-[A-Z0-9]{27}' },
  { kind: 'sentry-token', body: 'sntry[su]_[A-Za-z0-9_=+/-]{40,512}' },
  { kind: 'grafana-token', body: 'gl(?:sa|c)_[A-Za-z0-9_=+/]{32,512}' },
  { kind: 'supabase-token', body: 'sb(?:p|_secret)_[A-Za-z0-9_-]{24,64}' },
  { kind: 'planetscale-token', body: 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}' },
  { kind: 'age-key', body: 'AGE-SECRET-KEY-1[A-Z0-9]{58}' },
  { kind: 'posthog-key', body: 'ph[xc]_[A-Za-z0-9]{32,64}' },
  { kind: 'groq-key', body: 'gsk_[A-Za-z0-9]{40,64}' },
  { kind: 'replicate-token', body: 'r8_[A-Za-z0-9]{37,64}' },
  { kind: 'perplexity-key', body: 'pplx-[A-Za-z0-9]{40,64}' },
  { kind: 'xai-key', body: 'xai-[A-Za-z0-9]{60,128}' },
  { kind: 'postman-key', body: 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}' },
  { kind: 'atlassian-token', body: 'ATATT3[A-Za-z0-9_=.-]{60,255}' },
  { kind: 'jwt', body: 'eyJ[A-Za-z0-9_-]{8,2048}\\.[A-Za-z0-9_-]{8,8192}\\.[A-Za-z0-9_-]{10,1024}' },
];

/** Key formats whose prefix is not at the start or is no literal. */
export const SHAPED_KEYS: readonly ProviderKey[] = [
  { kind: 'telegram-token', body: '\\d{8,10}:AA[A-Za-z0-9_-]{33}' },
  { kind: 'mailchimp-key', body: '[0-9a-f]{32}-us\\d{1,2}' },
  { kind: 'terraform-token', body: '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}' },
  { kind: 'azure-client-secret', body: '[A-Za-z0-9_~.-]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}' },
  { kind: 'discord-token', body: '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,45}' },
];
