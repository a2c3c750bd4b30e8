import { expect, it } from 'vitest';
import { gateOf } from '../../src/app/gate.ts';
import { recordMode } from '../../src/app/recording.ts';
import { type Given, resolve } from '../support/config.ts';
import { laterRefusal } from '../support/errors.ts';

/** Why there is no gate for such a config. */
async function refused(given: Given): Promise<string> {
  const { config } = await resolve(given);
  return laterRefusal('bad-config', gateOf(config, true));
}

it.each([
  [
    '{"rules": {"schema.tpye": "warn"}}',
    'rules["schema.tpye"] in patchgate.config.json:3:17: there is no such rule',
  ],
  [
    '{"rules": {"request.json": "warn"}}',
    'rules["request.json"] in patchgate.config.json:3:17 cannot be "warn"',
  ],
  ['{"paths": ["/x"], "rules": {"schema.type": "off"}}', 'paths[0] in patchgate.config.json:3:'],
])(
  'says where in the config file it is wrong, though only the contract shows that: %s',
  async (one, says) => {
    expect(await refused({ file: `{"overrides": [\n\n     ${one}\n]}` })).toContain(`overrides[0].${says}`);
    expect(await refused({ file: {}, flags: { overrides: [JSON.parse(one)] } })).toContain(
      'in the settings given',
    );
  },
);

it('records nothing by accident on a CI machine, and says so', () => {
  const said: string[] = [];
  const modeOf = (record: Parameters<typeof recordMode>[0]['record'], CI?: string) =>
    recordMode({ record }, { CI }, (text) => said.push(text));
  for (const CI of ['true', 'True', '1', 'woodpecker']) {
    for (const record of ['once', 'new_episodes'] as const) {
      expect(modeOf(record, CI)).toBe('none');
      expect(said.pop()).toBe(`CI is set: --record ${record} replays only, as none does`);
    }
    for (const record of [undefined, 'all', 'none'] as const) expect(modeOf(record, CI)).toBe(record);
  }
  for (const CI of [undefined, '', 'false', 'False', '0']) expect(modeOf('once', CI)).toBe('once');
  expect(said).toEqual([]);
});
