import { describe, expect, test } from 'vitest';
import { redactParams, redactText } from './redact.ts';

// Made here, so that no scanner takes this file for a leak.
const mixed = (length: number): string => 'aB3dE5gH7jK9mN1pQ2sT4uV6wX8yZ0'.repeat(12).slice(0, length);
const lower = (length: number): string => 'a1b2c3d4e5f6g7h8i9j0'.repeat(12).slice(0, length);
const hex = (length: number): string => '0a1b2c3d4e5f6789'.repeat(12).slice(0, length);
const upper = (length: number): string => 'A1B2C3D4E5F6G7H8'.repeat(12).slice(0, length);
const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const secrets: Record<string, string> = {
  'RSA key': `-----BEGIN RSA PRIVATE KEY-----\n${mixed(64)}\n-----END RSA PRIVATE KEY-----`,
  'OpenSSH key': `-----BEGIN OPENSSH PRIVATE KEY-----\n${mixed(64)}\n-----END OPENSSH PRIVATE KEY-----`,
  'a key cut short': `-----BEGIN PRIVATE KEY-----\n${mixed(40)}`,
  'PGP key': `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${mixed(64)}\n-----END PGP PRIVATE KEY BLOCK-----`,
  age: `AGE-SECRET-KEY-1${upper(58)}`,
  'AWS id': `AKIA${upper(16)}`,
  'AWS temporary id': `ASIA${upper(16)}`,
  'AWS secret': `aws_secret_access_key = ${mixed(40)}`,
  'Google API key': `AIza${mixed(35)}`,
  'Google token': `ya29.${mixed(60)}`,
  'Google client secret': `GOCSPX-${mixed(28)}`,
  'Google refresh token': `1//0${mixed(60)}`,
  'Azure storage': `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${mixed(86)}==;EndpointSuffix=y`,
  'Azure bus': `Endpoint=sb://x;SharedAccessKeyName=y;SharedAccessKey=${mixed(43)}=`,
  'Azure client secret': `abc8Q~${mixed(34)}`,
  DigitalOcean: `dop_v1_${hex(64)}`,
  Heroku: `HRKU-AA${mixed(58)}`,
  Netlify: `nfp_${mixed(36)}`,
  Supabase: `sbp_${hex(40)}`,
  PlanetScale: `pscale_tkn_${mixed(43)}`,
  Databricks: `dapi${hex(32)}`,
  Tailscale: `tskey-auth-${mixed(12)}-${mixed(24)}`,
  'GitHub token': `ghp_${mixed(36)}`,
  'GitHub app token': `ghs_${mixed(36)}`,
  'GitHub fine-grained': `github_pat_${mixed(22)}_${mixed(59)}`,
  GitLab: `glpat-${mixed(20)}`,
  'GitLab runner': `glrt-${mixed(20)}`,
  Atlassian: `ATATT3xFfGF0${mixed(60)}`,
  npm: `npm_${mixed(36)}`,
  PyPI: `pypi-AgEIcHlwaS5vcmc${mixed(80)}`,
  RubyGems: `rubygems_${hex(48)}`,
  'crates.io': `cio${mixed(32)}`,
  Docker: `dckr_pat_${mixed(27)}`,
  Vault: `hvs.${mixed(90)}`,
  Terraform: `${mixed(14)}.atlasv1.${mixed(60)}`,
  Doppler: `dp.pt.${mixed(43)}`,
  Pulumi: `pul-${hex(40)}`,
  OpenAI: `sk-${mixed(48)}`,
  'OpenAI project': `sk-proj-${mixed(60)}`,
  Anthropic: `sk-ant-api03-${mixed(90)}`,
  OpenRouter: `sk-or-v1-${hex(64)}`,
  HuggingFace: `hf_${mixed(34)}`,
  Groq: `gsk_${mixed(52)}`,
  Replicate: `r8_${mixed(37)}`,
  'Stripe live': `sk_live_${mixed(24)}`,
  'Stripe restricted': `rk_live_${mixed(24)}`,
  'Stripe webhook': `whsec_${mixed(32)}`,
  'Slack bot': `xoxb-123456789012-1234567890123-${mixed(24)}`,
  'Slack app': `xapp-1-A012345-1234567890-${hex(40)}`,
  'Slack hook': `https://hooks.slack.com/services/T00000000/B00000000/${mixed(24)}`,
  'Discord hook': `https://discord.com/api/webhooks/123456789012345678/${mixed(68)}`,
  Discord: `M${mixed(24)}.${mixed(6)}.${mixed(30)}`,
  Telegram: `123456789:AA${mixed(33)}`,
  SendGrid: `SG.${mixed(22)}.${mixed(43)}`,
  Mailgun: `key-${hex(32)}`,
  Mailchimp: `${hex(32)}-us21`,
  Twilio: `SK${hex(32)}`,
  Shopify: `shpat_${hex(32)}`,
  Square: `sq0atp-${mixed(22)}`,
  Linear: `lin_api_${mixed(40)}`,
  Notion: `ntn_${mixed(46)}`,
  Airtable: `pat${mixed(14)}.${hex(64)}`,
  Figma: `figd_${mixed(40)}`,
  Postman: `PMAK-${hex(24)}-${hex(34)}`,
  Grafana: `glsa_${mixed(32)}_${hex(8)}`,
  'New Relic': `NRAK-${upper(27)}`,
  Sentry: `sntryu_${hex(64)}`,
  LaunchDarkly: `sdk-${uuid}`,
  JWT: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${mixed(43)}`,
  bearer: `Authorization: Bearer ${mixed(32)}`,
  basic: 'Authorization: Basic YWRhOmh1bnRlcjItaHVudGVyMg==',
  'header token': `Authorization: Token ${lower(40)}`,
  'password in an address': 'postgres://ada:hunter2@db.example/work',
  'password with an at sign': 'mysql://root:p@ss:w0rd@db.example/work',
  'password without a user': 'redis://:hunter2@cache.example:6379',
  'an assignment': 'password=letmein',
  'an environment line': 'export DB_PASSWORD="hunter2hunter2"',
  'a YAML line': 'api_key: 9f8e7d6c5b4a',
  'a JSON field': '{"clientSecret":"Tr0ub4dor&3x"}',
  'a flag': 'deploy --api-token 9f8e7d6c5b4a3f2e',
  'a query': 'https://api.example/v1?access_token=9f8e7d6c5b4a&page=2',
};

/** What must not be seen of each: the whole, or of those that stand in something else, this. */
const cores: Record<string, string> = {
  'AWS secret': mixed(40),
  'Azure storage': mixed(86),
  'Azure bus': mixed(43),
  'Slack hook': mixed(24),
  'Discord hook': mixed(68),
  bearer: mixed(32),
  basic: 'YWRhOmh1bnRlcjItaHVudGVyMg',
  'header token': lower(40),
  'password in an address': 'hunter2',
  'password with an at sign': 'ss:w0rd',
  'password without a user': 'hunter2',
  'an assignment': 'letmein',
  'an environment line': 'hunter2',
  'a YAML line': '9f8e7d6c5b4a',
  'a JSON field': 'Tr0ub4dor&3x',
  'a flag': '9f8e7d6c5b4a3f2e',
  'a query': '9f8e7d6c5b4a',
};

describe('a secret is hidden wherever it stands', () => {
  test.each(Object.entries(secrets))('%s', (name, secret) => {
    for (const text of [secret, `It is ${secret} and nothing else`, `"${secret}"`, `line one\n${secret}\nline three`, `(${secret})`]) {
      const clean = redactText(text);
      expect(clean).toContain('[redacted]');
      expect(clean).not.toContain(cores[name] ?? secret);
      expect(redactText(clean)).toBe(clean);
    }
  });

  test.each(Object.entries(secrets).filter(([, secret]) => secret.length >= 18))('%s, in base64', (_, secret) => {
    for (const encoding of ['base64', 'base64url'] as const)
      for (const before of ['', ' ', ': ', 'user: ', 'The password is on the next line\n']) {
        const code = Buffer.from(before + secret).toString(encoding);
        for (const text of [code, `data: ${code}`, `"${code}"`]) expect(redactText(text)).not.toContain(code.replace(/=+$/, ''));
      }
  });

  test('the rest of the text stays', () => {
    expect(redactText('postgres://ada:hunter2@db.example/work')).toBe('postgres://ada:[redacted]@db.example/work');
    expect(redactText(`curl -H "Authorization: Bearer ${mixed(32)}" https://api.example`)).toBe(
      'curl -H "Authorization: [redacted]" https://api.example',
    );
    expect(redactText('user=ada password=hunter2 host=db')).toBe('user=ada password=[redacted] host=db');
    expect(redactText(`{"apiKey":"${mixed(20)}","page":2}`)).toBe('{"apiKey":"[redacted]","page":2}');
  });
});

const harmless = [
  'Write the parser',
  'Add password reset flow',
  'Password: required field',
  'token: string',
  'secret: optional',
  'password: must be at least 12 characters',
  'token bucket algorithm for rate limits',
  'Rename token to session',
  'const token = getToken()',
  'password=args.password',
  'apiKey: process.env.API_KEY',
  `API_KEY=${'$'}{API_KEY}`,
  'password: <your password>',
  'token=xxxxxxxx',
  'Set PGPASSWORD, or the whole address in CLEO_DATABASE_URL',
  'the access key of the cabinet',
  'secret: null',
  'token: undefined,',
  'password = None',
  'private key rotation',
  'Bearer tokens are checked in the gateway',
  'Basic authentication is not supported',
  'basic understanding-of-the-architecture',
  'pk_users_primary_key_constraint',
  'sk_learn_pipeline_configuration_file',
  'task-sk-estimators-and-pipelines',
  'risk-assessment-for-the-new-release',
  'sk-SK locale',
  'npm_config_registry',
  'npm_package_version_from_environment',
  'hf_transfer',
  'gh_pages branch',
  'pypi-publish workflow',
  'key-value store for sessions',
  'api-gateway-timeout-configuration',
  'sdk-release-notes-2026',
  'SG.1 is a security group',
  'v1.0-beta.2',
  'v1.0.0-rc.1+build.5114f85',
  'dapi endpoint',
  'https://example.org/docs?page=2&sort=token',
  'https://user@example.org/path',
  'https://example.org:8443/a:b@c',
  'ssh://git@github.com:22/owner/repo.git',
  'git@github.com:owner/repo.git',
  'mailto:ada@example.org',
  'postgres://ada@db.example:5432/work',
  'file:///home/ada/notes.md',
  '12:30:45 started',
  'localhost:5432',
  '2026-01-01T00:00:00.000Z',
  'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'd41d8cd98f00b204e9800998ecf8427e',
  uuid,
  'session-20260101T000000-3f2504e0',
  '20260101T000000000Z-manual',
  'T001, T002 and T1000',
  'E-T012 → SG-T003',
  'src/operations/admin/audit-verify.test.ts',
  'C:\\Users\\ada\\AppData\\Local\\Temp\\cleo-test-3f2504e0',
  '/home/ada/projects/a-very-long-folder-name-with-many-words/index.ts',
  'node_modules/@photostructure/sqlite/prebuilds/linux-x64/@photostructure+sqlite.glibc.node',
  'aVeryLongCamelCaseIdentifierThatGoesOnAndOn',
  'a_very_long_snake_case_identifier_that_goes_on',
  'ANOTHER_LONG_CONSTANT_NAME_IN_UPPER_CASE',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'The quick brown fox jumps over the lazy dog',
  'Zażółć gęślą jaźń, 他们为什么不说中文, 😀👍🏽',
  'Lorem ipsum dolor sit amet, consectetur adipiscing elit',
  '{"title":"Write the parser","priority":"high","labels":["core","parser"]}',
  'SELECT id, token FROM sessions WHERE secret IS NOT NULL',
  'password_hash = argon2id(password)',
  'AKIA is the prefix of an access key id',
  'ghp_ is how such tokens begin',
  'eyJ starts every JWT',
  '-----BEGIN CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----',
  'Authorization: required',
  'auth: token or session',
  'tokens: 1500',
  'max_tokens=4096',
  'token_count: 1234567',
  'estimate tokens: about 12000 for the pack',
  'passwd: files nis',
  'secret-scanning: enabled',
  'The secret: test first.',
  'pwd: prints the working folder',
  'access-token: expired',
  'passphrase: correct-horse-battery',
  '{"password":"Your login password"}',
  '{"token": "string", "required": true}',
  'a1b2c3',
  '+49 30 1234567',
  'IBAN DE89 3704 0044 0532 0130 00',
  '4111 1111 1111 1111',
  '192.168.178.1:8080',
  '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
  'image: registry.example/app@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
];
const generated = Array.from({ length: 110 }, (_, i) => {
  const n = (i * 2654435761) % 2 ** 32;
  const words = ['parser', 'release', 'gateway', 'worker', 'schema', 'cache', 'token', 'index'];
  const word = words[n % words.length]!;
  return [
    `${n.toString(16).padStart(8, '0')}-${uuid.slice(9)}`,
    `${word}-${n.toString(36)}-${word}.ts`,
    `Fix ${word} of T${String(n % 1000).padStart(3, '0')} (#${n % 10_000})`,
    `${hex(40).slice(i % 16)}${hex(i % 16)}`,
    `v${n % 20}.${n % 7}.${n % 13}-${word}.${n % 5}`,
    `/srv/${word}/${n.toString(16)}/${word}_${i}.log:${n % 500}`,
    Buffer.from(`The ${word} number ${n} is fine`).toString('base64'),
  ][i % 7]!;
});

test('what is harmless stays as it is', () => {
  expect(harmless.length + generated.length).toBeGreaterThanOrEqual(200);
  expect([...harmless, ...generated].filter((text) => redactText(text) !== text)).toEqual([]);
});

test('a long text is gone through in time that follows its length', () => {
  const time = (text: string): number => {
    const began = performance.now();
    redactText(text);
    return performance.now() - began;
  };
  for (const piece of ['a', 'a-', 'a_', 'token ', 'password=', '-----BEGIN PRIVATE KEY-----', 'x://y:', 'eyJ.', 'sk-', `${mixed(30)} `])
    expect(time(piece.repeat(200_000 / piece.length))).toBeLessThan(1500);
});

describe('parameters', () => {
  test.each([
    'password',
    'apiToken',
    'access_token',
    'client-secret',
    'DB_PASSWORD',
    'authorization',
    'privateKey',
    'credentials',
    'apiKey',
    'secrets',
  ])('what is called %s is hidden whatever it is', (name) => {
    expect(redactParams({ [name]: 'plain', deep: [{ [name]: 'plain' }] })).toEqual({
      [name]: '[redacted]',
      deep: [{ [name]: '[redacted]' }],
    });
  });

  test.each(['title', 'tokens', 'author', 'passing', 'secretary', 'compass', 'key', 'tokenizer'])('%s is not', (name) => {
    expect(redactParams({ [name]: 'plain' })).toEqual({ [name]: 'plain' });
  });

  test('long texts are kept as length and hash; numbers, lists and nothing as they are', () => {
    expect(redactParams({ description: 'x'.repeat(1001) })).toEqual({
      description: { length: 1001, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(redactParams({ description: 'x'.repeat(1000), limit: 5, labels: ['a'], none: null, yes: true })).toEqual({
      description: 'x'.repeat(1000),
      limit: 5,
      labels: ['a'],
      none: null,
      yes: true,
    });
  });

  test('what both databases cannot keep is made so that they can', () => {
    expect(redactParams({ title: 'a\ud800b' })).toEqual({ title: 'a\ufffdb' });
  });
});

test('files that were handed over are told by their number, length and hash', () => {
  const content = [
    { name: 'a.md', text: 'x'.repeat(600) },
    { name: 'b.md', text: 'y'.repeat(600) },
  ];
  expect(redactParams({ content })).toEqual({
    content: { items: 2, length: 1200, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(redactParams({ content: [{ name: 'a.md', text: 'short' }] })).toEqual({ content: [{ name: 'a.md', text: 'short' }] });
  expect(redactParams({ content: [null, 7, ['x']], tasks: content })).toEqual({ content: [null, 7, ['x']], tasks: content });
});
