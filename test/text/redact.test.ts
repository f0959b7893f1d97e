import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isOnlySecret, redactSecrets } from '../../src/text/index.ts';
import { createRandom, type Random } from './random.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALNUM = LOWER + UPPER + DIGITS;
const B64 = `${ALNUM}+/`;
const URL64 = `${ALNUM}-_`;
const HEX = '0123456789abcdef';

/** Secrets are made when the test runs, so that the repository holds none, not even a dead one. */
const KINDS: Readonly<Record<string, (random: Random) => string>> = {
  'aws-access-key': (r) => `AK${'IA'}${r.text(`${UPPER}234567`, 16)}`,
  'aws-secret-key': (r) => r.text(B64, 40),
  'github-token': (r) => `gh${r.pick(['p', 'o', 's', 'u', 'r'])}_${r.text(ALNUM, 36)}`,
  'github fine-grained': (r) => `github_${'pat'}_${r.text(ALNUM, 22)}_${r.text(ALNUM, 59)}`,
  'gitlab-token': (r) => `gl${'pat'}-${r.text(URL64, 20)}`,
  'slack-token': (r) => `xo${'xb'}-${r.text(DIGITS, 12)}-${r.text(DIGITS, 12)}-${r.text(ALNUM, 24)}`,
  'openai-key': (r) => `sk-${'proj'}-${r.text(URL64, 48)}`,
  'old openai-key': (r) => `s${'k'}-${r.text(ALNUM, 48)}`,
  'anthropic-key': (r) => `sk-${'ant'}-api03-${r.text(URL64, 90)}`,
  'stripe-key': (r) => `sk_${'live'}_${r.text(ALNUM, 24)}`,
  'google-key': (r) => `AI${'za'}${r.text(URL64, 35)}`,
  'npm-token': (r) => `np${'m'}_${r.text(ALNUM, 36)}`,
  'pypi-token': (r) => `py${'pi'}-${r.text(URL64, 120)}`,
  'huggingface-token': (r) => `h${'f'}_${r.text(ALNUM, 34)}`,
  'sendgrid-key': (r) => `S${'G'}.${r.text(URL64, 22)}.${r.text(URL64, 43)}`,
  'digitalocean-token': (r) => `do${'p'}_v1_${r.text(HEX, 64)}`,
  'vault-token': (r) => `hv${'s'}.${r.text(URL64, 90)}`,
  jwt: (r) => {
    const parts = [
      { alg: 'HS256', typ: 'JWT' },
      { sub: r.text(DIGITS, 10), name: r.text(LOWER, 8) },
    ];
    return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${r.text(URL64, 43)}`;
  },
  'private-key': (r) =>
    `-----BEGIN ${r.pick(['RSA ', 'EC ', 'OPENSSH ', ''])}PRIVATE ${'KEY'}-----\n${Array.from({ length: r.int(2, 20) }, () => r.text(B64, 64)).join('\n')}\n-----END PRIVATE ${'KEY'}-----`,
  'short private-key': (r) => `-----BEGIN PRIVATE ${'KEY'}-----\n${r.text(B64, 48)}\n-----END PRIVATE ${'KEY'}-----`,
  'private key without end': (r) => `-----BEGIN RSA PRIVATE ${'KEY'}-----\n${r.text(B64, 64)}\n${r.text(B64, 64)}`,
  'url-password': (r) => `postgres://svc:${r.text(ALNUM, r.int(8, 24))}@db.internal:5432/app`,
  authorization: (r) => `Authorization: Basic ${r.text(ALNUM, 30)}==`,
  bearer: (r) => `curl -H "Authorization: Bearer ${r.text(URL64, 40)}"`,
  'registry token': (r) => `//registry.local/:_${'auth'}Token=${r.text(ALNUM, 36)}`,
  'named password': (r) => `DB_PASS${'WORD'}=${r.text(ALNUM, 10)}${r.text(DIGITS, 2)}${r.pick(['!', '%', '#', '+'])}`,
  'named key': (r) => `"api_${'key'}": "${r.text(ALNUM, 32)}"`,
  'named secret': (r) => `client_${'secret'} = '${r.text(`${URL64}~.`, 40)}'`,
  'named hex': (r) => `SECRET_KEY_${'BASE'}: ${r.text(HEX, 64)}`,
  'yaml token': (r) => `  auth_${'token'}: ${r.text(LOWER + DIGITS, 32)}`,
};

/** The part of a sample that must not survive: its longest run of key characters after the label. */
function leftovers(sample: string, redacted: string): boolean {
  const runs = sample.match(/[A-Za-z0-9+/_-]{16,}|[A-Za-z0-9!%#+]{8,}/g) ?? [];
  const longest = runs
    .filter((run) => !/BEGIN|PRIVATE|registry|SECRET_KEY|PASSWORD|Authoriz|_token|_secret|internal|postgres/i.test(run))
    .sort((a, b) => b.length - a.length)[0];
  return longest !== undefined && redacted.includes(longest);
}

const SAMPLES = 300;

describe('redactSecrets', () => {
  it.each(Object.entries(KINDS))('M112: catches at least 98 % of: %s', (_, make) => {
    const random = createRandom(7);
    let missed = 0;
    for (let i = 0; i < SAMPLES; i++) {
      const sample = make(random);
      const text = random.pick([`Set it to ${sample} and retry.`, sample, `export X; ${sample}`, `{\n  ${sample}\n}`]);
      const { text: redacted } = redactSecrets(text);
      if (!redacted.includes('[redacted:') || leftovers(sample, redacted)) missed += 1;
    }
    expect(missed / SAMPLES).toBeLessThanOrEqual(0.02);
  });

  const harmless: Readonly<Record<string, (random: Random) => string>> = {
    uuid: (r) =>
      `${r.pick(['id', 'job', 'request_id', 'token_id'])}: ${r.text(HEX, 8)}-${r.text(HEX, 4)}-4${r.text(HEX, 3)}-a${r.text(HEX, 3)}-${r.text(HEX, 12)}`,
    'git sha': (r) => `${r.pick(['commit', 'at', 'revert', 'sha:'])} ${r.text(HEX, r.pick([7, 12, 40]))}`,
    'sha512 integrity': (r) =>
      `"integrity": "sha512-${createHash('sha512').update(r.text(ALNUM, 9)).digest('base64')}"`,
    'sha256 digest': (r) => `sha256:${createHash('sha256').update(r.text(ALNUM, 9)).digest('hex')}`,
    'base64 of prose': (r) => Buffer.from(r.words(r.int(4, 30))).toString('base64'),
    placeholder: (r) =>
      r.pick([
        'API_KEY=your-api-key-here',
        'token: <token>',
        `password: $${'{'}DB_PASSWORD}`,
        'SECRET=changeme',
        `sk-${'x'.repeat(32)}`,
        'Authorization: Bearer $TOKEN',
        'postgres://user:password@localhost/db',
        'api_key: "xxxxxxxxxxxxxxxx"',
        'AKIAIOSFODNN7EXAMPLE',
      ]),
    code: (r) =>
      r.pick([
        'const token = await getToken(session, 32);',
        'password: string;',
        'if (secretKey.length < minSecretLength) throw new SecretTooShortError();',
        'auth: config.auth ?? defaultAuthProvider',
        'maxTokens: 4096, tokenizer: bert_base_uncased_v2',
        'api_key = os.environ["SERVICE_API_KEY"]',
        'secretName: my-app-database-credentials-v2',
        'const accessToken1 = accessToken2;',
        'token = parseAuthorizationToken(header)',
        'passwordHash.verify(password)',
        'key-value pairs, sk-folding-cube-container',
        'import { tokenise } from "./tokenise.ts"',
      ]),
    prose: (r) => `The ${r.words(12)} token: ${r.words(3)}.`,
    'paths and names': (r) => `src/${r.words(3).replaceAll(' ', '/')}/${r.words(2).replaceAll(' ', '-')}.test.ts`,
    version: (r) =>
      `left-pad@${r.int(0, 9)}.${r.int(0, 99)}.${r.int(0, 9)} needs node >= 20, token limit: ${r.int(1000, 200000)}`,
  };

  it.each(Object.entries(harmless))('M113: leaves at least 99 % unchanged of: %s', (_, make) => {
    const random = createRandom(11);
    const wrong: string[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      const text = make(random);
      if (redactSecrets(text).text !== text) wrong.push(text);
    }
    expect(wrong.length / SAMPLES, wrong.slice(0, 5).join('\n')).toBeLessThanOrEqual(0.01);
  });

  it('names what it took out and counts it by kind', () => {
    const random = createRandom(3);
    const make = KINDS['npm-token'];
    const text = `a ${make?.(random)} b ${make?.(random)}`;
    expect(redactSecrets(text)).toEqual({
      text: 'a [redacted:npm-token] b [redacted:npm-token]',
      redactions: [{ kind: 'npm-token', count: 2 }],
    });
  });

  it('keeps the name and the host around a secret', () => {
    const random = createRandom(5);
    const password = random.text(ALNUM, 18);
    expect(redactSecrets(`postgres://svc:${password}@db/app`).text).toBe(
      'postgres://svc:[redacted:url-password]@db/app',
    );
    expect(redactSecrets(`export API_KEY="${random.text(ALNUM, 32)}"`).text).toBe(
      'export API_KEY="[redacted:named-secret]"',
    );
  });

  it('changes nothing the second time', () => {
    const random = createRandom(13);
    for (const make of Object.values(KINDS)) {
      const once = redactSecrets(`x ${make(random)} y ${make(random)}`).text;
      expect(redactSecrets(once)).toEqual({ text: once, redactions: [] });
    }
  });
});

describe('isOnlySecret', () => {
  it('M23: knows a text that is nothing but a secret', () => {
    const random = createRandom(17);
    for (const [kind, make] of Object.entries(KINDS)) {
      if (kind === 'bearer' || kind === 'url-password' || kind === 'registry token') continue;
      expect(isOnlySecret(` ${make(random)}\n`), kind).toBe(true);
    }
    expect(isOnlySecret(`rotate ${KINDS['npm-token']?.(random)} weekly`)).toBe(false);
    expect(isOnlySecret('no secret here')).toBe(false);
  });
});
