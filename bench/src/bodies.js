/**
 * The costliest bodies that are known within the limit of 5 MiB: what a hostile client would send. Each is one that was
 * expensive once, or would be where the gate did work for every error, name or level of nesting.
 */
const LIMIT = 5 * 1024 * 1024;

const list = (count, item, glue = ',') => Array.from({ length: count }, (_, i) => item(i)).join(glue);
const pad = (count) => 'x'.repeat(count);
const project = (languages, environments) =>
  `{"name":"p","languages":[${languages}],"environments":[${environments}]}`;
const open = (value) => `{"variables":[{"id":1,"dataType":"json","defaultValue":{"a":${value}}}]}`;
const UNSAFE = '9007199254740993';

/** What they are compared with: as large as valid bodies get, within the limits of bytes and of values. */
export const valid = {
  project: body(
    'updateProject',
    project(
      '"GO"',
      list(49_000, (i) => `{"id":${i},"name":"${pad(60)}${i}","isEnabled":${i === 0}}`),
    ),
  ),
  feature: body(
    'updateFeature',
    `{"variables":[${list(39_000, (i) => `{"id":${i},"variableName":"${pad(45)}${i}","dataType":"string","defaultValue":"v${i}"}`)}]}`,
  ),
  draft: body(
    'updateDraft',
    `{"urls":[${list(66_000, (i) => `{"type":"url","value":"https://e.example/${pad(20)}${i}"}`)}]}`,
  ),
};

export const hostile = {
  'many tiny errors': body(
    'updateProject',
    project(
      '"GO"',
      list(199_000, () => '{}'),
    ),
  ),
  'wrong values': body(
    'updateProject',
    project(
      list(190_000, (i) => `"${pad(15)}${i}"`),
      '',
    ),
  ),
  'unsafe numbers': body(
    'updateProject',
    project(
      list(190_000, (i) => `${UNSAFE}${i}`),
      '',
    ),
  ),
  'unsafe numbers, deep': body(
    'updateFeature',
    open('['.repeat(110) + list(190_000, () => UNSAFE) + ']'.repeat(110)),
  ),
  'unsafe numbers, far apart': body('updateFeature', open(`[${list(190_000, () => UNSAFE, ',\n\n\n\n\n')}]`)),
  'unsafe keys': body('updateFeature', `{"variables":[${list(95_000, () => `{"__proto__":"${pad(30)}"}`)}]}`),
  'long numbers': body('updateFeature', open(`[${list(16_800, () => `1${'7'.repeat(300)}`)}]`)),
  'one long number': body('updateFeature', open(`0.${'0'.repeat(LIMIT - 200)}1`)),
  'deep nesting': body('updateFeature', '{"a":'.repeat(LIMIT / 5)),
  'many nested lists': body(
    'updateFeature',
    open(`[${list(1500, () => '['.repeat(120) + ']'.repeat(120))}]`),
  ),
  escapes: body('updateFeature', `{"description":"${'\\u00e9'.repeat(870_000)}"}`),
  'duplicate keys': body('updateFeature', `{${list(190_000, () => '"\\u006eame\\u0061\\u0061":1')}}`),
  'colliding keys': body('updateFeature', open(`{${list(190_000, (i) => `"${i * 16_384}":"${pad(8)}"`)}}`)),
  'different keys': body('updateFeature', `{${list(19_900, (i) => `"k${i}${pad(200)}":1`)}}`),
  'misspelt keys': body(
    'updateFeature',
    `{${list(19_900, (i) => `"n_${misspelt(i)}ame${'_'.repeat(200)}":1`)}}`,
  ),
  'one URL': body('updateDraft', `{"primaryUrl":"https://${'é'.repeat(2_600_000)}"}`),
  'many URLs': body(
    'updateDraft',
    `{"urls":[${list(66_000, (i) => `{"value":"https://é${i}.example/${pad(30)}"}`)}]}`,
  ),
  'long hosts': body(
    'updateDraft',
    `{"urls":[${list(5000, () => `{"value":"https://${'a.'.repeat(490)}/"}`)}]}`,
  ),
  'long names': body(
    'updateDraft',
    `{"integrations":{${list(79, (i) => `"${'~'.repeat(65_000)}${i}":{"enabled":1,"x":1,"Enabled":1}`)}}}`,
  ),
  'wrong URLs': body('updateDraft', `{"urls":[${list(66_000, (i) => `{"value":"ftp:${pad(45)}${i}"}`)}]}`),
  'values of the wrong type': body(
    'updateFeature',
    `{"variables":[${list(33_000, () => '{"dataType":"integer","id":1}')}],"variations":[{"variables":[${list(33_000, () => `{"variableId":1,"value":"${pad(60)}"}`)}]}]}`,
  ),
  'broken at its end': body(
    'updateProject',
    `${project(
      '"GO"',
      list(49_000, (i) => `{"id":${i},"name":"${pad(60)}","isEnabled":false}`),
    )},`,
  ),
  'empty lines': body('updateFeature', '\n'.repeat(LIMIT)),
};

function misspelt(number) {
  return number.toString(2).replaceAll('1', '_').replaceAll('0', '-');
}

/** @throws Error where a body would be refused for its length alone */
function body(operation, text) {
  const bytes = Buffer.from(text);
  if (bytes.length > LIMIT) throw new Error(`a body has ${bytes.length} bytes: ${text.slice(0, 60)}…`);
  return { operation, bytes };
}
