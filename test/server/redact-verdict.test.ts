import { describe, expect, it } from 'vitest';
import { redactionOf } from '../../src/recordings/redact/redaction.ts';
import { quotingNoSecrets } from '../../src/server/redact-verdict.ts';
import { gate } from '../support/gate.ts';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;
const redaction = redactionOf({ redact: ['dataType', '/environments/*/type'] });
const quoting = quotingNoSecrets(gate(), redaction);

function findingsOf(url: string, body: unknown) {
  const headers = ['Content-Type', 'application/json'];
  return quoting.inspect({ method: 'PATCH', url, headers, body: Buffer.from(JSON.stringify(body)) }).verdict
    .findings;
}

describe('a gate that quotes no secrets', () => {
  it.each([
    ['looks like one', { name: 'n', [GITHUB]: 1 }],
    ['looks like one and is long', { name: `${'x'.repeat(60)} ${GITHUB}`, variables: GITHUB }],
    ['stands in a URL', { urls: [{ url: `nowhere ${GITHUB}`, type: 'url' }] }],
  ])('hides what %s', (_, body) => {
    const findings = findingsOf('/api/v2/accounts/current/features/7', body);
    expect(JSON.stringify(findings)).not.toContain(GITHUB.slice(0, 20));
  });

  it('hides one in the path, even where it is cut', () => {
    const path = `/api/v2/accounts/eyJhbGciOiJub25lIn0.${'a1B2'.repeat(50)}.x/features/7`;
    const findings = findingsOf(path, { name: 'n' });
    expect(findings.map(({ message }) => message)).toContain(
      'the path is not as it must be; it holds a secret',
    );
    expect(JSON.stringify(findings)).not.toContain('a1B2');
  });

  it('says all else as it is', () => {
    const plain = gate();
    const body = Buffer.from('{"name": 1}');
    const request = { method: 'PATCH', url: '/api/v2/accounts/current/projects/42', headers: [], body };
    expect(quoting.inspect(request)).toEqual(plain.inspect(request));
    expect(quoting.inspect(request).verdict.findings.length).toBeGreaterThan(0);
  });
});
