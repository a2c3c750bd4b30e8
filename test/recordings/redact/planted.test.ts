/** Realistic secrets, each in the place in which services have it, and values that only look like some. */
import { expect, it } from 'vitest';
import { redactBytes, redactHeader, redactPath, redactQuery } from '../../../src/recordings/redact/redact.ts';
import { DEFAULT_REDACTION } from '../../../src/recordings/redact/redaction.ts';

let state = 4711;
function random(length: number, letters: string): string {
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return letters[Math.floor(state / 2 ** 16) % letters.length];
  }).join('');
}
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const LETTERS = LOWER + LOWER.toUpperCase() + DIGITS;
const an = (length: number) => random(length, LETTERS);
const hex = (length: number) => random(length, '0123456789abcdef');
const up = (length: number) => random(length, LOWER.toUpperCase() + DIGITS);
const url = (length: number) => random(length, `${LETTERS}-_`);
const uuid = () => [8, 4, 4, 4, 12].map(hex).join('-');
/** By itself it looks like nothing. */
const word = () => `Tulpe-${random(3, LOWER)}-${random(3, DIGITS)}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const json = (value: unknown) => JSON.stringify(value);

/** Of vendors, without a name that tells. */
const TOKENS = [
  ...[`ghp_${an(36)}`, `gho_${an(36)}`, `github_pat_${an(22)}_${an(59)}`, `glpat-${url(20)}`],
  ...[`xoxb-${random(12, DIGITS)}-${random(12, DIGITS)}-${an(24)}`, `xapp-1-A${up(10)}-${hex(64)}`],
  ...[`sk_live_${an(24)}`, `rk_test_${an(99)}`, `whsec_${an(32)}`, `npm_${an(36)}`, `pypi-AgEI${url(60)}`],
  ...[`dop_v1_${hex(64)}`, `shpat_${hex(32)}`, `hf_${an(34)}`, `hvs.${url(90)}`, `dp.pt.${an(43)}`],
  ...[`SG.${url(22)}.${url(43)}`, `sk-proj-${url(48)}`, `sk-ant-api03-${url(93)}AA`, `sk-or-v1-${hex(64)}`],
  ...[`ya29.${url(120)}`, `GOCSPX-${url(28)}`, `lin_api_${an(40)}`, `secret_${an(43)}`, `ntn_${an(46)}`],
  ...[`pul-${hex(40)}`, `rubygems_${hex(48)}`, `sbp_${hex(40)}`, `pscale_tkn_${url(43)}`, `figd_${url(40)}`],
  ...[`glsa_${an(32)}_${hex(8)}`, `dckr_pat_${url(27)}`, `tfp_${an(44)}_${an(14)}`, `CFPAT-${url(43)}`],
  ...[
    `pat${an(14)}.${hex(64)}`,
    `PMAK-${hex(24)}-${hex(34)}`,
    `NRAK-${up(27)}`,
    `dapi${hex(32)}`,
    `SK${hex(32)}`,
  ],
  ...[
    `key-${hex(32)}`,
    `${hex(32)}-us12`,
    `AIza${url(35)}`,
    `AKIA${random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  ],
  ...[
    `sdk-${uuid()}`,
    `pat-na1-${uuid()}`,
    `EAAB${an(120)}`,
    `ATATT3${url(180)}`,
    `AGE-SECRET-KEY-1${up(58)}`,
  ],
  ...[`shippo_live_${hex(40)}`, `sq0atp-${url(22)}`, `phc_${an(43)}`, `aio_${an(28)}`, `fo1_${url(43)}`],
  ...[`M${an(25)}.${url(6)}.${url(38)}`, `${an(14)}.atlasv1.${url(60)}`, `1234567890:AA${url(33)}`],
  ...[`${base64('{"alg":"RS256"}')}.${base64('{"sub":"1"}').replace(/=+$/, '')}.${url(86)}`],
].map((token) => token.replace(/[-_]$/, '7'));

const NAMED_IN_JSON = `
  storageKey accountAccessKey signing_key licenseKey licence-key bearer basicAuth proxyAuth psk pw dbPw secret_key_base mnemonic
  seedPhrase connect.sid sessionID Passwort kennwort wachtwoord contraseña contrasena senha motDePasse hasło haslo lösenord пароль
  密码 パスワード 비밀번호 parola şifre adgangskode kataSandi encryptionKeys masterKey preSharedKey webhook_secret app-secret
  consumerSecret twoFactorCode backupCodes pinCode otp_secret refresh-token x-amz-security-token oauthVerifier sasToken
`
  .trim()
  .split(/\s+/);

type Planted = [what: string, text: (secret: string) => string, contentType?: string];
/** Texts that name the secret. */
const TEXTS: Planted[] = [
  ['JSON Patch', (s) => json([{ op: 'replace', path: '/settings/password', value: s }])],
  ['name and value', (s) => json({ env: [{ name: 'DB_PASSWORD', value: s }] })],
  ['key and value', (s) => json([{ key: 'X-Api-Key', value: s, enabled: true }])],
  ['Key and Value', (s) => json({ Tags: [{ Key: 'client-secret', Value: s }] })],
  ['a pair', (s) => json({ headers: [['Authorization', s]] })],
  ['a field', (s) => json({ fields: [{ field: 'password', value: s }] })],
  ['JSON in JSON', (s) => json({ body: json({ data: json({ token: s }) }) })],
  ['a connection string', (s) => json({ dsn: `postgres://app:${s}@db.example:5432/x` })],
  ['an AMQP URL', (s) => `amqp://guest:${s}@mq.example/`],
  ['a Redis URL', (s) => json({ url: `redis://:${s}@cache.example:6379/0` })],
  [
    'SQL Server',
    (s) => json({ c: `Server=tcp:x.example,1433;Database=a;User ID=b;Password=${s};Encrypt=True;` }),
  ],
  ['pwd', (s) => json({ c: `Driver={SQL};Uid=a;Pwd=${s};` })],
  [
    'Azure',
    (s) => json({ c: `Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=${base64(s.repeat(3))};` }),
  ],
  ['JDBC', (s) => json({ c: `jdbc:mysql://h/db?user=a&password=${s}` })],
  ['a signed URL', (s) => json({ u: `https://h.example/x?X-Amz-Signature=${s}&X-Amz-Expires=60` })],
  ['a SAS', (s) => json({ u: `https://h.example/x?sv=2022&sig=${s}` })],
  ['Slack', () => json({ u: `https://hooks.slack.com/services/T0AB12CD3/B0AB12CD4/${SLACK}` })],
  ['Discord', () => `https://discord.com/api/webhooks/123456789012345678/${SLACK}${SLACK}`],
  ['Teams', () => `https://a.webhook.office.com/webhookb2/${SLACK}${SLACK}@1/IncomingWebhook/x/y`],
  ['Authorization: Token', (s) => `curl -H 'Authorization: Token ${s}' https://h.example`],
  ['Authorization: Bearer', (s) => `GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${s}\r\n\r\n`],
  ['Authorization in JSON', (s) => json({ log: `sent Authorization: Token ${s}` })],
  ['Basic', (s) => `Authorization: Basic ${base64(`me:${s}`)}`],
  ['a Cookie', (s) => `Cookie: theme=dark; connect.sid=${s}`],
  ['Set-Cookie', (s) => `Set-Cookie: session_id=${s}; Path=/; HttpOnly`],
  ['YAML', (s) => `db:\n  user: a\n  password: ${s}\n`],
  ['YAML, quoted', (s) => `db:\n  user: a\n  password: "${s}"\n`],
  ['a block of YAML', (s) => `tls:\n  private_key: |\n    ${s}\n    more\n  other: b\n`],
  ['a list of YAML', (s) => `env:\n  - name: a\n    apiKey: '${s}'\n`],
  ['INI', (s) => `[db]\nuser = a\npassword = ${s}\n`],
  ['.env', (s) => `A=1\nSTRIPE_SECRET=${s}\nexport DB_PASSWORD="${s}"\n`],
  ['properties', (s) => `spring.datasource.password=${s}\n`],
  ['TOML', (s) => `[auth]\ntoken = '${s}'\n`],
  ['XML', (s) => `<login><user>a</user><password>${s}</password></login>`],
  ['SOAP', (s) => `<wsse:Password Type="text">${s}</wsse:Password>`],
  ['CDATA', (s) => `<a><secret><![CDATA[${s}]]></secret></a>`],
  ['an attribute', (s) => `<connection user="a" password="${s}"/>`],
  ['.NET', (s) => `<add key="ApiSecret" value="${s}" />`],
  ['a property', (s) => `<property name="db.password">${s}</property>`],
  ['a property list', (s) => `<dict><key>apiToken</key><string>${s}</string></dict>`],
  ['a form', (s) => `user=a&password=${s}&x=1`, 'application/x-www-form-urlencoded'],
  ['a nested form', (s) => `user%5Bpassword%5D=${s}`, 'application/x-www-form-urlencoded'],
  ['a form of parts', (s) => part('password', s), 'multipart/form-data; boundary=zz'],
  ['a part of JSON', (s) => part('data', json({ clientSecret: s })), 'multipart/form-data; boundary=zz'],
  ['GraphQL', (s) => json({ query: `mutation { login(user: "a", password: "${s}") { id } }` })],
  [
    'variables of GraphQL',
    (s) => json({ query: 'mutation M($t: String!) { x(t: $t) }', variables: { apiKey: s } }),
  ],
  ['events', (s) => `event: a\ndata: {"access_token":"${s}"}\n\n`],
  ['lines', (s) => `{"a":1}\n{"refreshToken":"${s}"}\n`],
  ['cut JSON', (s) => `{"a":[1,2],"token":"${s}`],
  ['broken JSON', (s) => `{a: 1, "password": "${s}",}`],
  ['JSON5', (s) => `{ password: '${s}', a: 1 }`],
  ['Ruby', (s) => `{"password"=>"${s}"}`],
  ['Python', (s) => `{'api_key': '${s}', 'a': None}`],
  ['a command', (s) => `deploy --user a --password ${s} --force`],
  ['a flag', (s) => `deploy --api-key=${s}`],
  ['a log line', (s) => `2026-11-24 INFO login user=a token=${s} ip=1.2.3.4`],
  ['an escaped log', (s) => `{"message":"got {\\"password\\":\\"${s}\\"}"}`],
  ['an encoded URL', (s) => `next=https%3A%2F%2Fh%2F%3Faccess_token%3D${s}%26a%3D1`],
  ['a PEM', () => json({ pem: `-----BEGIN EC PRIVATE KEY-----\n${SLACK}\n-----END EC PRIVATE KEY-----` })],
  ['OAuth', (s) => json({ grant_type: 'authorization_code', code: s, client_id: 'a' })],
  ['a session', () => json({ session: SLACK })],
  ['an environment', () => json({ environmentKey: SLACK })],
];
const SLACK = an(24);

function part(name: string, value: string): string {
  return `--zz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--zz--\r\n`;
}

function redacted(text: string, contentType?: string): string {
  return redactBytes(Buffer.from(text), contentType, DEFAULT_REDACTION).toString();
}

it(`leaves no token readable (${TOKENS.length})`, () => {
  const places = (token: string) => [
    redacted(json({ note: `use ${token}, please` })),
    redacted(json({ list: [{ a: token }] })),
    redacted(`line\nx ${token}\n`),
    redactPath(`/share/${token}/edit`, DEFAULT_REDACTION),
    redactQuery(`a=1&x=${token}`, DEFAULT_REDACTION),
    redactHeader('x-debug', token, DEFAULT_REDACTION),
  ];
  const bare = (token: string) => token.split(':').at(-1) as string;
  expect(TOKENS.filter((token) => places(token).some((text) => text.includes(bare(token))))).toEqual([]);
});

it(`leaves nothing readable that a name in JSON tells (${NAMED_IN_JSON.length})`, () => {
  const readable = NAMED_IN_JSON.filter((name) => {
    const secret = word();
    return redacted(json({ a: [{ [name]: secret }] })).includes(secret);
  });
  expect(readable).toEqual([]);
});

it(`leaves nothing readable that a text tells (${TEXTS.length})`, () => {
  const readable = TEXTS.filter(([, text, contentType]) => {
    const secret = `${word()}x${an(6)}4`;
    const clean = redacted(text(secret), contentType);
    expect(redacted(clean, contentType)).toBe(clean);
    return [secret, SLACK, base64(secret.repeat(3)), base64(`me:${secret}`)].some((one) =>
      clean.includes(one),
    );
  });
  expect(readable.map(([what]) => what)).toEqual([]);
});

const HARMLESS = [
  ...[`cus_${an(14)}`, `evt_${an(24)}`, `pi_${an(24)}`, `price_${an(24)}`, `prod_${an(14)}`, `ch_${an(24)}`],
  ...[
    uuid(),
    uuid().toUpperCase(),
    hex(40),
    hex(64),
    hex(32),
    hex(7),
    `${hex(40)}...${hex(40)}`,
    `${hex(7)}...${hex(7)}`,
  ],
  ...[
    `sha256:${hex(64)}`,
    `sha256-${base64(an(32))}`,
    `W/"${hex(32)}"`,
    `md5-${hex(32)}`,
    `urn:uuid:${uuid()}`,
  ],
  ...[
    `req_${an(16)}`,
    `Root=1-${hex(8)}-${hex(24)}`,
    `00-${hex(32)}-${hex(16)}-01`,
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  ],
  ...[
    'how-to-run-an-experiment-in-2026-with-feature-flags',
    'MyFeatureFlagForIOS17AndAndroid14Users',
    'checkout_button_v2',
  ],
  ...[
    'vendors~main.8f3b1c9e7a2d4f6b0c1e.chunk.js',
    'https://cdn.example.com/a/8f3b1c9e7a2d.css?v=12',
    'en-US,en;q=0.9',
  ],
  ...[
    base64('gid://shopify/Product/123456789'),
    base64('{"cursor":1234,"id":"abc"}'),
    base64('cursor:v2:2026-11-24'),
  ],
  ...[
    '2026-11-24T10:00:00.000Z',
    'Tue, 24 Nov 2026 10:00:00 GMT',
    '10.0.0.1:8080',
    '[::1]:4010',
    'me@example.com',
  ],
  ...[
    'https://example.com:8080/a/b?page=2&limit=10',
    'mailto:me@example.com',
    'arn:aws:s3:::bucket/folder/file-2026.csv',
  ],
  ...[
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
    'application/vnd.api+json; version=2',
    'no-cache, max-age=0',
  ],
  ...[
    'type User { token: String! }',
    'the password is wrong',
    'Password: required',
    'Enter your token: it is in the mail',
  ],
  ...[
    'Basic information about bearer certificates',
    'key=value',
    'a=b&c=d',
    'state=NY&code=10001',
    'token',
    'password',
  ],
  ...[
    'function f() { var token = get("abc"); return token; }',
    'const apiKey = config.apiKey;',
    'x => x.token === y',
  ],
  ...[
    '<div class="password-field">x</div>',
    '.token-list { color: red }',
    'input[name="password"]',
    '$("#token").val();',
  ],
  ...[
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4',
    'v1.2.3-beta.4+build.567',
  ],
  ...[
    'org.springframework.boot.autoconfigure',
    'com.example.app2.MainActivity',
    'ip-10-0-12-34.eu-west-1.compute.internal',
  ],
  ...[
    'max_tokens: 4096',
    'tokens used: 1532',
    '{"tokens":15}',
    'page_token=2',
    'nextPageToken: abc',
    'idempotency_key=a-1',
  ],
  ...[
    `/api/v2/accounts/current/projects/42/features/${hex(24)}`,
    'feature-key-2026',
    'experiment_key_checkout',
    '#ff00aa',
  ],
  ...[
    'Lorem ipsum dolor sit amet, consectetur adipiscing elit 2026',
    'The session ended at 10:00',
    'secret santa 2026',
  ],
];
const HARMLESS_MEMBERS: [string, unknown][] = [
  ['key', 'checkout-button'],
  ['key', 'feature_2026_b'],
  ['code', 'SUMMER-2026'],
  ['auth', 'required'],
  ['session', 'checkout'],
  ['tokenType', 'Bearer'],
  ['passwordPolicy', 'strong'],
  ['hasPassword', true],
  ['password', null],
  ['token', ''],
  ['tokens', 15],
  ['publicKey', `MIIB${an(40)}`],
  ['primaryKey', 'id'],
  ['cacheKey', hex(32)],
  ['sortKey', 'a#b'],
  ['commit', hex(40)],
  ['hash', hex(64)],
  ['etag', an(32)],
  ['requestId', an(32)],
  ['nextCursor', an(48)],
  ['checksum', base64(an(24))],
  ['secretName', 'db'],
  ['nonce', '12'],
  ['signatureAlgorithm', 'RS256'],
];

it(`hides nothing that is harmless (${HARMLESS.length + HARMLESS_MEMBERS.length})`, () => {
  const hidden = HARMLESS.filter(
    (text) => redacted(text, 'text/plain') !== text || redacted(json([text])) !== json([text]),
  );
  expect(hidden).toEqual([]);
  const bodies = [
    ...HARMLESS_MEMBERS.map(([name, value]) => json({ [name]: value })),
    json({ variables: [{ variableName: 'token', dataType: 'string', defaultValue: 'plain-4711' }] }),
    json({ variables: [{ name: 'key', value: 'plain' }], variations: [{ name: 'B', key: 'variation-b' }] }),
    json([{ op: 'replace', path: '/name', value: 'Checkout' }]),
    json([['theme', 'dark']]),
  ];
  expect(bodies.filter((body) => redacted(body) !== body)).toEqual([]);
});
