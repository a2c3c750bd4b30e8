import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { gateMatchers } from '../../../src/testing/matchers/gate-matchers.ts';
import '../../support/matchers.ts';
import { draft, project } from '../../support/bodies.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const body = { ...project(), colour: 'red' };

describe('the matchers', () => {
  // They are the same for all files of this process.
  afterEach(async () => expect.extend(await gateMatchers()));

  it('judge by the settings that they are made with', async () => {
    expect(body).toPassGate('updateProject');
    expect.extend(await gateMatchers({ overrides: [{ rules: { 'schema.unknown-field': 'error' } }] }));
    expect(body).not.toPassGate('updateProject');
    expect.extend(await gateMatchers({ failOn: 'warn' }));
    expect(body).not.toPassGate('updateProject');
    expect(body).toPassGate('updateProject', { failOn: 'error' });
  });

  it('judge whatever validation and guard say, but by the guard where it is on', async () => {
    const smaller = { ...project(), environments: project().environments.slice(1) };
    const before = { state: project() };
    expect(smaller).toPassGate('updateProject', before);
    expect.extend(await gateMatchers({ validation: 'off', guard: 'on' }));
    expect(smaller).not.toPassGate('updateProject', before);
    expect(smaller).toDelete({ environments: [1] }, project());
    expect({}).not.toPassGate('updateProject');
    expect(draft()).toPassGate('updateDraft');
  });

  it('read the config file that is named', async () => {
    const config = join(temporaryFolder(), 'patchgate.config.json');
    writeFileSync(config, JSON.stringify({ overrides: [{ rules: { 'schema.required': 'warn' } }] }));
    expect.extend(await gateMatchers({ config } as object));
    expect({ name: 'Checkout', environments: project().environments }).toPassGate('updateProject');
  });

  it('are not made of settings that are wrong', async () => {
    await expect(gateMatchers({ overrides: [{ rules: { 'schema.unknown': 'error' } }] })).rejects.toThrow(
      'there is no such rule',
    );
    await expect(gateMatchers({ contract: '/nowhere' })).rejects.toThrow('/nowhere');
  });
});
