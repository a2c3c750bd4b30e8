import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import type { Approval } from '../../src/model/approval.ts';
import { tellOfApprovals } from '../../src/server/approval-webhook.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { laterRefusal } from '../support/errors.ts';
import { holdTimers } from '../support/held-timers.ts';
import { freePort, startTarget } from '../support/target.ts';

const PENDING: Approval = {
  id: 'k3f9x2ab',
  status: 'pending',
  held: false,
  requestedAt: '2026-11-23T08:00:00.000Z',
  expiresAt: '2026-11-23T08:10:00.000Z',
  method: 'PATCH',
  url: '/api/v2/accounts/current/projects/42?note=x',
  record: { account: 'current', kind: 'project', id: '42' },
  client: '10.0.0.7',
  effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
};
const pending = (id: string, members: Partial<Approval> = {}): Approval => ({ ...PENDING, id, ...members });

/** A chat, and the webhook of a gate that has it. */
async function startChat(
  answer: (res: ServerResponse, count: number) => void = (res) => res.end('ok'),
  { uiUrl, url, env = {} }: { uiUrl?: string; url?: string; env?: Record<string, string> } = {},
) {
  const chat = await startTarget((_req, res) => answer(res, chat.received.length));
  const notices: string[] = [];
  const listeners = new Set<(approval: Approval) => void>();
  const close = await tellOfApprovals({
    url: url ?? `${chat.url}/services/hush`,
    approvals: {
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    uiUrl: () => uiUrl,
    notice: (text) => notices.push(text),
    env,
  });
  onTestFinished(close);
  return {
    ...{ chat, notices, close },
    tell: (approval: Approval) => {
      for (const listener of listeners) listener(approval);
    },
    told: (count: number) => expect.poll(() => chat.received).toHaveLength(count),
    said: (count: number) => expect.poll(() => notices).toHaveLength(count),
    messages: () => chat.received.map(({ body }) => JSON.parse(String(body))),
  };
}

it('tells of one by a POST that chats and programs read', async () => {
  const { tell, told, chat, messages } = await startChat(undefined, { uiUrl: 'http://127.0.0.1:4020/' });
  tell(pending('a', { who: 'ci' }));
  await told(1);
  expect(chat.received[0]).toMatchObject({
    method: 'POST',
    url: '/services/hush',
    headers: { 'content-type': 'application/json' },
  });
  expect(messages()).toEqual([
    {
      text: `\`PATCH /api/v2/accounts/current/projects/42\` of \`ci\` would delete 1 environment and waits for approval, until 2026-11-23 08:10 UTC:
\`\`\`
- environment 2 "Staging" will be deleted permanently
\`\`\`
http://127.0.0.1:4020/#/approvals/a
patchgate approve a`,
      id: 'a',
      method: 'PATCH',
      path: '/api/v2/accounts/current/projects/42',
      record: PENDING.record,
      effects: PENDING.effects,
      expiresAt: PENDING.expiresAt,
      link: 'http://127.0.0.1:4020/#/approvals/a',
    },
  ]);
});

it('has no link where there is no page', async () => {
  const { tell, told, messages } = await startChat();
  tell(pending('a'));
  await told(1);
  expect(messages()[0]).not.toHaveProperty('link');
  expect(messages()[0].text).toMatch(/permanently\n```\npatchgate approve a$/);
});

it('calls nobody by what a name says', async () => {
  const { tell, told, messages } = await startChat();
  const name = '<!channel> @all &amp; https://evil.test\n\u202e';
  tell(pending('a', { effects: [{ kind: 'environment-deleted', id: 1, name }] }));
  await told(1);
  expect(messages()[0].text.split('\n')[2]).toBe(
    '- environment 1 "&lt;!channel&gt; @\u200ball &amp;amp; https:\u200b//evil.test\ufffd\ufffd" will be deleted permanently',
  );
});

it.each([
  '[Approve here](evil.example/login)',
  'evil.com/approve',
  'a`b``` *bold* _it_ ~no~ [x](evil.com)',
  '`',
  '\n```\nevil.com/approve\n',
])('has nothing of data outside of code: %j', async (data) => {
  const { tell, told, messages } = await startChat();
  const effects: Approval['effects'] = [{ kind: 'environment-deleted', id: 1, name: data }];
  tell(pending('a', { who: data, method: data, url: `/${data}`, effects }));
  await told(1);
  const outside = messages()[0].text.replace(/```[\s\S]*?```|`[^`]*`/g, 'CODE');
  expect(outside).toBe(
    'CODE of CODE would delete 1 environment and waits for approval, until 2026-11-23 08:10 UTC:\nCODE\npatchgate approve a',
  );
});

it('tells of each pending one once, one after the other', async () => {
  const open: ServerResponse[] = [];
  const { tell, told, messages } = await startChat((res) => open.push(res));
  tell(pending('a', { held: true }));
  tell(pending('b'));
  tell(pending('a'));
  tell(pending('c', { status: 'approved' }));
  await told(1);
  open[0]?.end();
  await told(2);
  open[1]?.end();
  tell(pending('d'));
  await told(3);
  expect(messages().map(({ id }) => id)).toEqual(['a', 'b', 'd']);
});

it.each<[string, (res: ServerResponse) => void, string]>([
  ['a refusal', (res) => res.writeHead(404).end(), 'it answers with the status 404'],
  ['a redirect', (res) => res.writeHead(302, { Location: '/other' }).end(), 'it answers with the status 302'],
  ['a reset', (res) => res.socket?.destroy(), 'UND_ERR_SOCKET'],
])('says %s once, and that it works again', async (_, fails, why) => {
  const { tell, said, told, notices, chat } = await startChat((res, count) =>
    count < 3 ? fails(res) : res.end(),
  );
  tell(pending('a'));
  tell(pending('b'));
  await told(2);
  await said(1);
  tell(pending('c'));
  await said(2);
  expect(notices).toEqual([
    `THE APPROVAL WEBHOOK FAILS: ${why}. The chat is not told of all approvals. They can be given all the same.`,
    'the approval webhook works again',
  ]);
  expect(chat.received.map(({ url }) => url)).toEqual(Array(3).fill('/services/hush'));
});

it('never says the address', async () => {
  const url = `http://127.0.0.1:${await freePort()}/services/hush`;
  const { tell, close, notices } = await startChat(undefined, { url });
  tell(pending('a'));
  await close();
  expect(notices).toEqual([expect.stringMatching(/^THE APPROVAL WEBHOOK FAILS: ECONNREFUSED\. /)]);
  expect(notices[0]).not.toMatch(/hush|127\.0\.0\.1/);
});

it('goes by the proxy of the environment, and says what that answers', async () => {
  const proxy = await startConnectProxy({
    instead: (_, socket) => void socket.end('HTTP/1.1 403 Filtered\r\n\r\n'),
  });
  const { tell, said, notices } = await startChat(undefined, {
    url: 'https://chat.test:8443/services/hush',
    env: { HTTPS_PROXY: proxy.url.replace('//', '//me:s3cret@') },
  });
  tell(pending('a'));
  await said(1);
  expect(proxy.asked).toEqual(['chat.test:8443']);
  expect(notices[0]).toContain(
    `THE APPROVAL WEBHOOK FAILS: the proxy ${proxy.url} gave no connection to the chat: it answered 403 Forbidden. `,
  );
});

it('goes straight to a chat that NO_PROXY names, and to one without TLS', async () => {
  const proxy = await startConnectProxy();
  const env = { HTTPS_PROXY: proxy.url };
  const plain = await startChat(undefined, { env });
  plain.tell(pending('a'));
  await plain.told(1);
  const url = `https://127.0.0.1:${await freePort()}/services/hush`;
  const exempt = await startChat(undefined, { url, env: { ...env, NO_PROXY: '127.0.0.0/8' } });
  exempt.tell(pending('a'));
  await exempt.said(1);
  expect(exempt.notices[0]).toContain('ECONNREFUSED');
  expect(proxy.asked).toEqual([]);
});

it('leaves no connection to a silent proxy open when it ends', { tags: 'slow' }, async () => {
  const proxy = await startConnectProxy({ instead: () => undefined });
  const { tell, close, notices } = await startChat(undefined, {
    url: 'https://chat.test/services/hush',
    env: { HTTPS_PROXY: proxy.url },
  });
  tell(pending('a'));
  await expect.poll(() => proxy.asked).toHaveLength(1);
  await close();
  await expect.poll(() => proxy.sockets.size).toBe(0);
  expect(notices).toEqual([expect.stringContaining('the gate stopped before it had answered')]);
});

it('does not start with what is no proxy', async () => {
  const env = { HTTPS_PROXY: 'socks5://me:s3cret@proxy:1080' };
  const said = await laterRefusal('bad-usage', startChat(undefined, { url: 'https://chat.test/', env }));
  expect(said).toContain('NO_PROXY');
});

it('bounds what waits, and says so', { tags: 'slow' }, async () => {
  const open: ServerResponse[] = [];
  const { tell, told, said, notices } = await startChat((res, count) =>
    count > 1 ? res.end() : open.push(res),
  );
  for (let i = 0; i < 103; i++) tell(pending(`a${i}`));
  await said(1);
  expect(notices[0]).toContain('100 approvals wait to be told');
  await told(1);
  open[0]?.end();
  await told(101);
});

it('gives up on a chat that does not answer, and goes on', async () => {
  const patience = holdTimers(5000);
  const { tell, told, said, notices } = await startChat((res, count) => count > 1 && res.end());
  tell(pending('a'));
  tell(pending('b'));
  await told(1);
  patience.goOff();
  await said(2);
  await told(2);
  expect(notices[0]).toContain('it does not answer within 5s');
});

it('waits briefly for a chat when it ends, and tells it nothing more', async () => {
  const patience = holdTimers(1000);
  const { tell, told, close, chat, notices } = await startChat(() => undefined);
  tell(pending('a'));
  tell(pending('b'));
  await told(1);
  const closed = close();
  expect([patience.running(), notices]).toEqual([1, []]);
  patience.goOff();
  await closed;
  tell(pending('c'));
  await close();
  expect(chat.received).toHaveLength(1);
  expect(notices).toEqual([expect.stringContaining('the gate stopped before it had answered')]);
});
