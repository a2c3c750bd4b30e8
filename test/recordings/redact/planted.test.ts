/** Realistic secrets, each in the place in which services have it, and values that only look like some. */
import { expect, it } from 'vitest';
import {
  redactBytes,
  redactHeader,
  redactPath,
  redactQuery,
  redactUrl,
} from '../../../src/recordings/redact/redact.ts';
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
const TOKENS = `
ghp_${an(36)} gho_${an(36)} github_pat_${an(22)}_${an(59)} glpat-${url(20)}
xoxb-${random(12, DIGITS)}-${random(12, DIGITS)}-${an(24)} xapp-1-A${up(10)}-${hex(64)} sk_live_${an(24)}
rk_test_${an(99)} whsec_${an(32)} npm_${an(36)} pypi-AgEI${url(60)} dop_v1_${hex(64)} shpat_${hex(32)}
hf_${an(34)} hvs.${url(90)} dp.pt.${an(43)} SG.${url(22)}.${url(43)} sk-proj-${url(48)}
sk-ant-api03-${url(93)}AA sk-or-v1-${hex(64)} ya29.${url(120)} GOCSPX-${url(28)} lin_api_${an(40)}
secret_${an(43)} ntn_${an(46)} pul-${hex(40)} rubygems_${hex(48)} sbp_${hex(40)} pscale_tkn_${url(43)}
figd_${url(40)} glsa_${an(32)}_${hex(8)} dckr_pat_${url(27)} tfp_${an(44)}_${an(14)} CFPAT-${url(43)}
pat${an(14)}.${hex(64)} PMAK-${hex(24)}-${hex(34)} NRAK-${up(27)} dapi${hex(32)} SK${hex(32)} key-${hex(32)}
${hex(32)}-us12 AIza${url(35)} AKIA${random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')} sdk-${uuid()}
pat-na1-${uuid()} EAAB${an(120)} ATATT3${url(180)} AGE-SECRET-KEY-1${up(58)} shippo_live_${hex(40)}
sq0atp-${url(22)} phc_${an(43)} aio_${an(28)} fo1_${url(43)} M${an(25)}.${url(6)}.${url(38)}
${an(14)}.atlasv1.${url(60)} 1234567890:AA${url(33)}
${base64('{"alg":"RS256"}')}.${base64('{"sub":"1"}').replace(/=+$/, '')}.${url(86)}
`
  .trim()
  .split(/\s+/)
  .map((token) => token.replace(/[-_]$/, '7'));

const NAMED_IN_JSON = `
  storageKey accountAccessKey signing_key licenseKey licence-key bearer basicAuth proxyAuth psk pw dbPw secret_key_base mnemonic
  seedPhrase connect.sid sessionID Passwort kennwort wachtwoord contraseña contrasena senha motDePasse hasło haslo lösenord пароль
  密码 密碼 パスワード 비밀번호 암호 parola şifre adgangskode kataSandi encryptionKeys masterKey preSharedKey webhook_secret app-secret
  consumerSecret twoFactorCode backupCodes pinCode otp_secret refresh-token x-amz-security-token oauthVerifier sasToken
`
  .trim()
  .split(/\s+/);

/** Texts that name the secret. Forms of parts, YAML blocks and nested markup are read as any text, by one pass: § is one that looks like nothing, ¤ a random word, ¶ credentials in base64, ␤ and ␍ the ends of lines. */
const TEXTS = String.raw`
[{"op":"replace","path":"/settings/password","value":"§"}]
{"env":[{"name":"DB_PASSWORD","value":"§"}]}
{"a":1}␤{"name":"DB_PASSWORD","value":"§"}
data: {"name":"DB_PASSWORD", "value": "§"}
[{"op":"add","path":"/settings/password","value":"§"},{"op":
{"API Key":"§"}
{"mot de passe":"§"}
{"mật khẩu":"§","كلمة المرور":"§"}
{"API/key":"§"}
[{"key":"X-Api-Key","value":"§","enabled":true}]
{"Tags":[{"Value":"§","Key":"client-secret"}]}
{"headers":[["Authorization","§"]]}
{"fields":[{"field":"password","value":"§"}]}
{"body":"{\"data\":\"{\\\"token\\\":\\\"§\\\"}\"}"}
{"tok\u0065n" : "§"}
{"dsn":"postgres://app:§@db.example:5432/x"}
amqp://guest:§@mq.example/
{"url":"redis:\/\/:§@cache.example:6379\/0"}
{"log":"{\"url\":\"redis:\\/\\/:§@cache.example\"}"}
{"c":"Server=tcp:x.example,1433;Database=a;User ID=b;Password=§;Encrypt=True;"}
{"c":"Driver={SQL};Uid=a;Pwd=§;"}
{"c":"Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=§;"}
{"c":"jdbc:mysql://h/db?user=a&password=§"}
{"u":"https://h.example/x?X-Amz-Signature=§&X-Amz-Expires=60"}
{"u":"https://h.example/x?sv=2022&sig=§"}
{"u":"https://hooks.slack.com/services/T0AB12CD3/B0AB12CD4/¤"}
https://discord.com/api/webhooks/123456789012345678/¤
https://a.webhook.office.com/webhookb2/¤@1/IncomingWebhook/x/y
curl -H 'Authorization: Token §' https://h.example
GET / HTTP/1.1␤Host: h␤Authorization: Bearer §␤␤
{"log":"sent Authorization: Token §"}
Authorization: Basic ¶
Cookie: theme=dark; connect.sid=§
Set-Cookie: session_id=§; Path=/; HttpOnly
db:␤  user: a␤  password: §␤
db:␤  user: a␤  password: "§"␤
env:␤  - name: a␤    apiKey: '§'␤
[db]␤user = a␤password = §␤
A=1␤STRIPE_SECRET=§␤export DB_PASSWORD="§"␤
spring.datasource.password=§␤
[auth]␤token = '§'␤
<login><user>a</user><password>§</password></login>
<wsse:Password Type="text">§</wsse:Password>
<connection user="a" password="§"/>
[form]user=a&password=§&x=1
[form]user%5Bpassword%5D=§
[form]a=1&api+key=§
--zz␍␤Content-Disposition: form-data; name="data"␍␤␍␤{"clientSecret":"§"}␍␤--zz--␍␤
{"query":"mutation { login(user: \"a\", password: \"§\") { id } }"}
{"query":"mutation M($t: String!) { x(t: $t) }","variables":{"apiKey":"§"}}
event: a␤data: {"access_token":"§"}␤␤
{"a":1}␤{"refreshToken":"§"}␤
{"a":[1,2],"token":"§
{a: 1, "password": "§",}
{ password: '§', a: 1 }
{"password"=>"§"}
{'api_key': '§', 'a': None}
deploy --api-key=§
psql --password § -h db
<add key="Password" value="§"/>
password%253D§
sk_live_¤-----BEGIN PRIVATE KEY-----␤§␤-----END PRIVATE KEY-----
{"h":"Basic ¶"}
2026-11-24 INFO login user=a token=§ ip=1.2.3.4
{"message":"got {\"password\":\"§\"}"}
next=https%3A%2F%2Fh%2F%3Faccess_token%3D§%26a%3D1
{"pem":"-----BEGIN EC PRIVATE KEY-----\n¤\n-----END EC PRIVATE KEY-----"}
-----BEGIN RSA PRIVATE KEY-----␤¤ and no end
{"grant_type":"authorization_code","code":"¤","client_id":"a"}
{"session":"¤"}
{"environmentKey":"¤"}
{"auths":{"ghcr.example":{"auth":"¶"}}}
{"attributes":[{"name":"password","values":["§"]}]}
{"dsn":"me:§@tcp(db.example:3306)/x"}
{"hash":"$2b$10$¤¤"}
{ :password=>"§" }
Cookie: theme=dark; session=§
<Password><![CDATA[§]]></Password>
<meta name="csrf-token" content="§">
<name>db.password</name><value>§</value>
- name: DB_PASSWORD␤  value: §
- name: DB_CREDENTIAL␤  value: host=db user=me password='§'
DB_PASSWORD=§␤NOW=$(date)
login password=§␤at Foo.bar();
{"value":"§","type":"SecureString","name":"DB_PASSWORD"}␤{"a":1}␤
data: {"pairs":[["password","§"]]}␤␤
{"ParameterKey":"DBPassword","ParameterValue":"§"}
root:$6$saltsalt$¤¤:19000
client-key: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0t¤
---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----␤¤␤---- END SSH2 ENCRYPTED PRIVATE KEY ----
`
  .trim()
  .split('\n');
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
  const readable = TEXTS.filter((line) => {
    const [secret, random] = [`${word()}x${an(6)}4`, an(24)];
    const coded = base64(`me:${secret}`);
    const text = line
      .replace('[form]', '')
      .replaceAll('§', secret)
      .replaceAll('¤', random)
      .replaceAll('¶', coded)
      .replaceAll('␤', '\n')
      .replaceAll('␍', '\r');
    const type = line.startsWith('[form]') ? 'application/x-www-form-urlencoded' : undefined;
    const clean = redacted(text, type);
    expect(redacted(clean, type)).toBe(clean);
    return clean === text || [secret, random, coded].some((one) => clean.includes(one));
  });
  // One random word of some twenty has too few turns.
  expect(readable.length, readable.join('\n')).toBeLessThan(3);
});

const HARMLESS = `
cus_${an(14)}
evt_${an(24)}
pi_${an(24)}
price_${an(24)}
prod_${an(14)}
ch_${an(24)}
${uuid()}
${uuid().toUpperCase()}
${hex(40)}
${hex(64)}
${hex(32)}
${hex(7)}
${hex(40)}...${hex(40)}
${hex(7)}...${hex(7)}
sha256:${hex(64)}
sha256-${base64(an(32))}
W/"${hex(32)}"
md5-${hex(32)}
urn:uuid:${uuid()}
req_${an(16)}
Root=1-${hex(8)}-${hex(24)}
00-${hex(32)}-${hex(16)}-01
01ARZ3NDEKTSV4RRFFQ69G5FAV
how-to-run-an-experiment-in-2026-with-feature-flags
MyFeatureFlagForIOS17AndAndroid14Users
checkout_button_v2
vendors~main.8f3b1c9e7a2d4f6b0c1e.chunk.js
https://cdn.example.com/a/8f3b1c9e7a2d.css?v=12
en-US,en;q=0.9
${base64('gid://shopify/Product/123456789')}
${base64('{"cursor":1234,"id":"abc"}')}
${base64('cursor:v2:2026-11-24')}
2026-11-24T10:00:00.000Z
Tue, 24 Nov 2026 10:00:00 GMT
10.0.0.1:8080
[::1]:4010
me@example.com
https://example.com:8080/a/b?page=2&limit=10
mailto:me@example.com
arn:aws:s3:::bucket/folder/file-2026.csv
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36
application/vnd.api+json; version=2
no-cache, max-age=0
type User { token: String! }
the password is wrong
Password: required
Enter your token: it is in the mail
Basic information about bearer certificates
key=value
a=b&c=d
state=NY&code=10001
token
password
function f() { var token = get("abc"); return token; }
const apiKey = config.apiKey;
x => x.token === y
<div class="password-field">x</div>
.token-list { color: red }
input[name="password"]
$("#token").val();
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4
v1.2.3-beta.4+build.567
org.springframework.boot.autoconfigure
com.example.app2.MainActivity
ip-10-0-12-34.eu-west-1.compute.internal
ip-10-0-12-34.eu-west-1.compute
nginx-deployment-66b6c48dd5-7x9kq
api-thdjmrz86s-l7h5z
python-3-12-to-3-13-migration
registry.example/app:latest-${hex(40)} and section-${hex(32)}
max_tokens: 4096
tokens used: 1532
{"tokens":15}
page_token=2
nextPageToken: abc
idempotency_key=a-1
/api/v2/accounts/current/projects/42/features/${hex(24)}
feature-key-2026
experiment_key_checkout
#ff00aa
Lorem ipsum dolor sit amet, consectetur adipiscing elit 2026
The session ended at 10:00
secret santa 2026
sk-3f2504e0-4f89-11d3-9a0c-0305e82c3301
risk-assessment-of-a-very-long-name-indeed
Basic information about bearer certificates-of-authenticity
https://example.com:8080/a?b=c@d and me@example.com:22
https://example.com/@user:name
-----BEGIN CERTIFICATE-----
npm_config_registry and gh_pages
hf_model, do_v1_x and hooks.slack.com/docs
query Q($token: String!) { user(token: $token) { token, secret } }
token: is needed
a Map<Token> of names
the password = a word
<Password/>
token: ""
the "token" of <token> x
with --token and --password or --secret alone
mutation { add(key: "a b", auth: "c") }
the login page, and password manager2
api key: see the docs
<entry key="password">Your password</entry>
`
  .trim()
  .replaceAll('\n', '¶')
  .replaceAll('␤', '\n')
  .split('¶');
const HARMLESS_BODIES = `
{"key":"checkout-button"} {"key":"feature_2026_b"} {"code":"SUMMER-2026"} {"auth":"required"} {"session":"checkout"}
{"tokenType":"Bearer"} {"passwordPolicy":"strong"} {"hasPassword":true} {"password":null} {"token":""} {"tokens":15}
{"publicKey":"MIIB${an(40)}"} {"primaryKey":"id"} {"cacheKey":"${hex(32)}"} {"sortKey":"a#b"} {"commit":"${hex(40)}"}
{"trackingCode":"1Z999AA10123456784"} {"kind":"ConfigMap","data":{"a":"b1"}} {"headers":["Accept","a/b2"]}
{"hash":"${hex(64)}"} {"etag":"${an(32)}"} {"requestId":"${an(32)}"} {"nextCursor":"${an(48)}"} {"nonce":"12"}
{"auth.token.provider":"okta"} {"checksum":"${base64(an(24))}"} {"secretName":"db"} {"signatureAlgorithm":"RS256"} [["theme","dark"]] ["token","email"]
{"variables":[{"variableName":"token","dataType":"string","defaultValue":"plain-4711"}]}
{"variables":[{"name":"key","value":"plain"}],"variations":[{"name":"B","key":"variation-b"}]}
[{"op":"replace","path":"/name","value":"Checkout"}] [{"key":"pageToken","value":"2"},{"name":"password","value":""}]
`
  .trim()
  .split(/\s+/);

it(`hides nothing that is harmless (${HARMLESS.length + HARMLESS_BODIES.length})`, () => {
  const hidden = HARMLESS.filter(
    (text) => redacted(text, 'text/plain') !== text || redacted(json([text])) !== json([text]),
  );
  expect(hidden).toEqual([]);
  expect(HARMLESS_BODIES.filter((body) => redacted(body) !== body)).toEqual([]);
});

/** By name, in queries, forms and JSON alike. */
const SECRET_NAMES = `
  password passwd pwd newPassword currentPassword password_confirmation DB_PASSWORD dbpassword smtp_pass userPwd PASSWORD2
  passwords passphrase keyPassphrase passcode passwordHash password_hash hashedPassword basicAuthPassword
  secret secrets clientSecret client_secret webhookSecret stripeWebhookSecret1 CONNECTION_SECRET secretValue SecretString
  token tokens accessToken access_token ACCESS_TOKEN accesstoken refreshToken idToken oauth_token oauthTokenSecret authToken
  csrfToken csrf_token _csrf xsrfToken sessionToken deviceToken bearerToken x-access-token nextAccessToken exchange_token
  personalAccessTokens tokenValue apiKey api_key apikey API-KEY APIKey APIkey SDKkey apiKeys sdkKey envSdkKey sdk_key SDKKey privateKey
  privateKeyPem ssh_private_key secretKey secretAccessKey aws_secret_access_key signingKey encryptionKey masterKey
  subscriptionKey licenseKey deployKey webhookKey accountKey sharedKey hmacKey authKey appKey clientKey
  sessionId session_id JSESSIONID PHPSESSID connectSessionIds otp totp otpCode mfaCode 2faCode verification_code recoveryCodes
  authCode deviceCode codeVerifier jwt userJwt credentials dbCredential authorization x-authorization signature oauth_signature
`
  .trim()
  .split(/\s+/);

const PLAIN_NAMES = `
  page pageToken page_token nextToken nextPageToken next_page_token prevToken continuationToken cursor cursorToken syncToken
  tokenCount token_count tokenType tokenExpiresAt max_tokens promptTokens tokenId secretName secretArn passwordPolicy
  password_length passwordResetUrl hasPassword isSecret requiresToken key keys code sid auth variationKey featureKey flagKey
  eventKey projectKey environmentKey publicKey primaryKey foreignKey cacheKey sortKey idempotencyKey idempotency_key keyboard
  monkey hotkey keyId requestId userId sessionTimeout session author authority errorCode statusCode countryCode postalCode
  passed bypass compass tokenizer secretary signatureAlgorithm emailSignature designToken lockToken scope grant email
`
  .trim()
  .split(/\s+/);

const SECRET_HEADERS = `
  Authorization Proxy-Authorization Cookie X-Api-Key Api-Key X-Auth-Token X-Auth-Key X-Auth Token Private-Token Job-Token
  X-Vault-Token X-Amz-Security-Token X-Goog-Api-Key Ocp-Apim-Subscription-Key DD-API-KEY DD-APPLICATION-KEY Fastly-Key
  X-Hub-Signature X-Hub-Signature-256 Stripe-Signature X-Slack-Signature Cf-Access-Jwt-Assertion Cf-Access-Client-Secret
  X-Amzn-Oidc-Data X-Amzn-Oidc-Accesstoken X-Registry-Auth X-Sentry-Auth X-Functions-Key X-User-Jwt X-GitHub-OTP X-Session-Id
  X-License-Key X-Shopify-Access-Token X-CSRFToken X-ApiKey X-Acme-Signing-Secret X-Tenant-Key PayPal-Transmission-Sig
`
  .trim()
  .split(/\s+/);

const PLAIN_HEADERS = `
  Idempotency-Key X-Idempotency-Key Surrogate-Key X-Cache-Key X-Request-Id X-Correlation-Id X-Continuation-Token
  X-Next-Page-Token X-Token-Count X-Author Lock-Token X-Amz-Version-Id X-Key-Id X-Password-Policy Accept-Language Signature-Input
`
  .trim()
  .split(/\s+/);

const FORM = 'application/x-www-form-urlencoded';
const inAllPlaces = (name: string, value: string) => [
  redacted(json({ a: [{ [name]: value }] })),
  redacted(json({ note: json({ [name]: value }) })),
  redacted(`a=b\n${name}=${value}\n`),
  redacted(`a=b&${name}=${value}`, FORM),
  redactQuery(`a=b&${name}=${value}`, DEFAULT_REDACTION),
  redactQuery(`user[${name}]=${value}`, DEFAULT_REDACTION),
  redactUrl(`/next?a=b#${name}=${value}`, DEFAULT_REDACTION),
];

it(`leaves nothing readable that a name tells, in any place (${SECRET_NAMES.length})`, () => {
  const readable = SECRET_NAMES.filter((name) => {
    const secret = word();
    return inAllPlaces(name, secret).some((text) => text.includes(secret));
  });
  expect(readable).toEqual([]);
  const value = word();
  expect(SECRET_HEADERS.filter((name) => redactHeader(name, value, DEFAULT_REDACTION) === value)).toEqual([]);
});

it(`leaves names that only look like those of secrets (${PLAIN_NAMES.length})`, () => {
  const hidden = PLAIN_NAMES.filter((name) => {
    const value = word();
    return !inAllPlaces(name, value).every((text) => text.includes(value));
  });
  expect(hidden).toEqual([]);
  const value = word();
  expect(PLAIN_HEADERS.filter((name) => redactHeader(name, value, DEFAULT_REDACTION) !== value)).toEqual([]);
});

const PLAIN_PATHS = [
  ...['/records/550e8400-e29b-41d4-a716-446655440000', '/orders/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ...['/commits/2fd4e1c67a2d28fced849ee1bb76e7391b93eb12', '/accounts/current/tokens/42'],
  '/blobs/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '/users/507f1f77bcf86cd799439011/keys/507f1f77bcf86cd799439012',
  '/posts/how-to-run-an-experiment-in-2026-with-feature-flags',
  ...['/flags/MyFeatureFlagForIOS17AndAndroid14Users', '/assets/vendors~main.8f3b1c9e7a2d4f6b0c1e.chunk.js'],
  '/addresses?state=NY&code=10001&key=home-page-banner-2026',
];

const JS = `(function () { var token = "js-4711"; const password = 'js-4712'; f({ apiKey: "js-4713" }, "?secret=js-4714"); })();`;
const PAGE = `<html><script>var token = "js-4715"; x = {"password": "js-4716"};</script><input password="js-4717"></html>`;

it('leaves paths and code as they are', () => {
  expect(PLAIN_PATHS.filter((path) => redactUrl(path, DEFAULT_REDACTION) !== path)).toEqual([]);
  expect(redacted(JS, 'text/javascript')).toBe(JS);
  expect(redacted(PAGE, 'text/html')).toBe(PAGE);
  const draft = {
    variations: [{ editorData: { stack: [{ op: { html: PAGE } }] }, deployContent: [{ jsString: JS }] }],
  };
  expect(redacted(json(draft))).toBe(json(draft));
});

/** What a query or a path makes a secret; S is one that looks like nothing. */
const IN_URLS = [
  ...['sig=S&se=2026-11-22', 'X-Amz-Signature=S&X-Amz-Date=20261122T000000Z', 'X-Amz-Credential=S'],
  ...['X-Goog-Signature=S', 'SAMLResponse=S', 'client_assertion=S'],
].map((query) => `/callback?${query}`);
const LOOKUPS = ['key', 'code', 'auth'].map((name) => `/lookup?${name}=${an(40)}`);
const SECRET_PATHS = [
  ...[`/a;jsessionid=${hex(24)}`, `/share/${an(40)}`, `/hooks/${random(48, LOWER + DIGITS)}`],
  ...[`/tokens/${hex(40)}`, `/api-keys/${hex(32)}`, `/environments/${hex(32)}/settings`, `/reset/${an(32)}`],
  ...[`/share/${an(64)}/edit`, `/bot/ghp_${an(36)}/send`, `/datafiles/${an(32)}.json`],
];

it('leaves no secret of a URL readable', () => {
  const named = IN_URLS.filter((url) => {
    const secret = word();
    return redactUrl(url.replace('=S', `=${secret}`), DEFAULT_REDACTION).includes(secret);
  });
  expect(named).toEqual([]);
  const readable = [...LOOKUPS, ...SECRET_PATHS].filter((url) => {
    const secret = /[^/=]{24,}/.exec(url.replace('jsessionid', ''))?.[0] as string;
    return redactUrl(url, DEFAULT_REDACTION).includes(secret);
  });
  expect(readable).toEqual([]);
});
