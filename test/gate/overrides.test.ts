import { describe, expect, it } from 'vitest';
import type { Gate } from '../../src/gate/gate.ts';
import type { SeveritySetting } from '../../src/model/finding.ts';
import { resolveConfig } from '../../src/settings/config.ts';
import { project } from '../support/bodies.ts';
import { laterRefusal } from '../support/errors.ts';
import { brief, gate, PROJECT_URL, patch, type TestGateOptions } from '../support/gate.ts';

type Rules = Record<string, SeveritySetting>;
type Written = { files?: string | string[]; paths?: string | string[]; rules: Rules };

async function overriding(written: Written[], options: TestGateOptions = {}): Promise<Gate> {
  const { overrides } = (await resolveConfig({ overrides: written }, {}, {}, '/repo')).config;
  return gate({ ...options, overrides });
}

const ODD = { ...project(), owner: 1 };
const UNKNOWN = 'schema.unknown-field';
const AMBIGUOUS = 'request.ambiguous-path';

/** The severity that an unknown field has in a request; undefined: none. */
function severity(gate: Gate, url: string, headers?: string[]): string | undefined {
  const { verdict } = gate.inspect(patch(url, ODD, headers));
  return verdict.findings.find(({ rule }) => rule === UNKNOWN)?.severity;
}

/** What a rule would give, and what the override of one path makes of it. */
const onlyAt = (paths: string | string[], to: SeveritySetting, base: Rules = {}) =>
  overriding([{ paths, rules: { [UNKNOWN]: to } }], { severities: base });

describe('an override by path', () => {
  it('holds for its paths alone', async () => {
    const to = await onlyAt('/accounts/*/projects/42', 'error');
    expect(severity(to, PROJECT_URL)).toBe('error');
    expect(to.inspect(patch(PROJECT_URL, ODD)).verdict).toMatchObject({ outcome: 'block', status: 422 });
    expect(severity(to, '/api/v2/accounts/current/projects/43')).toBe('warn');
    expect(severity(to, '/api/v2/accounts/current/projects/421')).toBe('warn');
  });

  it.each([
    ...['/accounts/*/projects/42', '/api/v2/accounts/*/projects/42', 'accounts/*/projects/4?'],
    ...['/**/projects/{41,42}', '/accounts/**', '**'],
  ])(
    '%s means a request, whatever stands before its path, its query, and one slash at its end',
    async (glob) => {
      const to = await onlyAt(glob, 'off');
      for (const url of [
        ...['/accounts/current/projects/42', '/drafts/accounts/current/projects/42', PROJECT_URL],
        ...['/', '?a=b/projects/7'].map((end) => PROJECT_URL + end),
        `http://elsewhere.example.com${PROJECT_URL}`,
      ])
        expect([url, severity(to, url)]).toEqual([url, undefined]);
    },
  );

  it('is refused where no operation has such a path', async () => {
    const refused = (glob: string) =>
      laterRefusal(
        'bad-config',
        overriding([{ rules: { [UNKNOWN]: 'off' } }, { paths: ['**', glob], rules: { [UNKNOWN]: 'off' } }]),
      );
    expect(await refused('/api/v2/**')).toBe(
      'overrides[1].paths[1]: no operation has a path like "/api/v2/**" (begin it with **, or with one of: /accounts)',
    );
    expect(await refused('projects/42')).toContain('no operation has a path like "projects/42"');
  });
});

describe('the way in which a path is written', () => {
  /** A project that is not 42, or 42 in a way that is not plain. */
  const TRICKS: [string, string[]?][] = [
    ['//accounts/current/projects/42'],
    ['/accounts/current/projects/%34%32'],
    ['/accounts/current/projects/42;x'],
    ['/accounts/current/projects/7/../42'],
    ['/accounts/current/Projects/42'],
    ['/accounts/current/projects/42%2f'],
    ['/accounts/current/projects/042'],
    ['/accounts/CURRENT/projects/42'],
    [
      '/accounts/current/projects/7',
      ['content-type', 'application/json', 'x-original-url', '/accounts/current/projects/42'],
    ],
    ['/accounts/current/projects/7?/accounts/current/projects/42'],
  ];

  it.each(TRICKS)('makes nothing milder: %s', async (url, headers) => {
    const milder = await overriding(
      [
        {
          paths: ['**/projects/42', '/accounts/current/**', '**/Projects/**', '**'],
          rules: { [UNKNOWN]: 'off', [AMBIGUOUS]: 'off', 'request.path-parameter': 'off' },
        },
      ],
      { severities: { [UNKNOWN]: 'error' }, guard: 'off' },
    );
    const { verdict } = milder.inspect(patch(url, ODD, headers));
    expect(verdict.outcome).toBe('block');
    expect(severity(milder, PROJECT_URL)).toBeUndefined();
  });
});

describe('overrides', () => {
  it('count before rules, and the later ones before the earlier ones', async () => {
    const to = await overriding(
      [
        { paths: '**/projects/*', rules: { [UNKNOWN]: 'error', 'schema.required': 'warn' } },
        { paths: '**/projects/42', rules: { [UNKNOWN]: 'off' } },
      ],
      { severities: { [UNKNOWN]: 'warn', 'schema.type': 'off' } },
    );
    const said = (url: string, body: unknown) => brief(to.inspect(patch(url, body)).verdict.findings).sort();
    const body = { owner: 1, name: 1, environments: [{ id: 1, name: 'A', isEnabled: true }] };
    expect(said(PROJECT_URL, body)).toEqual(['schema.required warn /languages']);
    expect(said('/accounts/1/projects/1', body)).toEqual([
      'schema.required warn /languages',
      `${UNKNOWN} error /owner`,
    ]);
    expect(said('/accounts/1/features/1', { owner: 1, name: 1 })).toEqual([`${UNKNOWN} warn /owner`]);
  });

  it('never silence the guard', async () => {
    const rules: Rules = { 'project.empty-list': 'off', 'request.duplicate-key': 'off', [AMBIGUOUS]: 'off' };
    for (const validation of ['enforce', 'warn', 'off'] as const) {
      const to = await overriding([{ paths: '**', rules }], { validation });
      const of = (url: string, body: unknown) => to.inspect(patch(url, body)).verdict;
      expect(of(PROJECT_URL, { ...project(), environments: [] })).toMatchObject({
        outcome: 'block',
        status: 409,
      });
      expect(of(PROJECT_URL, '{"environments":[],"environments":[{}]}').outcome).toBe('block');
      expect(of('/accounts/current//projects/42', project())).toMatchObject({
        outcome: 'block',
        status: 400,
      });
    }
  });

  it.each([
    [
      { 'schema.unknwon-field': 'off' },
      '["schema.unknwon-field"]: there is no such rule (did you mean "schema.unknown-field"?)',
    ],
    [{ 'request.json': 'warn' }, '["request.json"] cannot be "warn"'],
  ])('of rules that cannot be set are refused, with their place: %j', async (rules, message) => {
    const good = { paths: '**', rules: { [UNKNOWN]: 'off' } } as const;
    expect(
      await laterRefusal('bad-config', overriding([good, { paths: '**', rules: rules as Rules }])),
    ).toContain(`overrides[1].rules${message}`);
  });
});
