import { setImmediate } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { PatchgateError, systemCode } from '../errors.ts';
import type { Approvals } from '../guard/approvals.ts';
import { splitTarget } from '../http/http.ts';
import { readTargetTls } from '../http/tls.ts';
import type { Approval } from '../model/approval.ts';
import { losesEnvironment } from '../model/effect.ts';
import { TroubleNotices } from '../recordings/store/trouble-notices.ts';
import { plain } from '../reporters/colours.ts';
import { firstEffects } from '../reporters/plan.ts';
import { amount, unlinked, visible } from '../reporters/wording.ts';
import { addressOf } from '../upstreams/target.ts';
import { targetProxyOf } from '../upstreams/target-proxy.ts';
import { createTunnels } from '../upstreams/tunnel.ts';

interface WebhookOptions {
  /** A secret. */
  url: string;
  approvals: Pick<Approvals, 'subscribe'>;
  /** Where the page is; undefined: there is none. */
  uiUrl?: (() => string | undefined) | undefined;
  /** Takes one notice for people. */
  notice(text: string): void;
  /** Says by which proxy the chat is reached. */
  env: Readonly<Record<string, string | undefined>>;
}

/** Milliseconds that the chat may take, and that a stop waits for it. */
const PATIENCE = 5000;
const PATIENCE_OF_STOP = 1000;
/** Approvals that wait to be told, and ids of those that were. */
const MOST_WAITING = 100;
const MOST_IDS = 1000;

const RISKS = {
  untold: 'The chat is not told of all approvals. They can be given all the same.',
};

/**
 * Tells a chat of each approval that is pending: one POST each, one after the other, and none of them again. No answer of the gate waits
 * for that.
 *
 * @returns ends it
 * @throws PatchgateError `bad-config` where the URL holds a password, `bad-usage` where the environment names no proxy
 */
export async function tellOfApprovals(options: WebhookOptions): Promise<() => Promise<void>> {
  const { url, approvals, uiUrl, notice, env } = options;
  const chat = { url: new URL(url) };
  const { username, password } = chat.url;
  if (username !== '' || password !== '') {
    throw new PatchgateError(
      'bad-config',
      '--approval-webhook: the URL has a name or a password before its host',
      {
        hint: 'take the URL of an incoming webhook: its path is the secret',
      },
    );
  }
  const proxy = targetProxyOf(chat, undefined, env);
  const tunnels =
    proxy && createTunnels(chat, proxy, await readTargetTls(chat, { targetInsecure: false }), PATIENCE);
  const dispatcher = tunnels && new Agent({ connect: (_, done) => tunnels.open(done) });
  const notices = new TroubleNotices('THE APPROVAL WEBHOOK FAILS', RISKS, notice);
  const seen = new Set<string>();
  const waiting: Approval[] = [];
  let sending: Promise<void> | undefined;
  let cut: ((why: string) => void) | undefined;

  /** @returns why it failed. The address must not stand in it. */
  const post = async (approval: Approval): Promise<string | undefined> => {
    const abort = new AbortController();
    let why: string | undefined;
    cut = (text) => {
      why = text;
      abort.abort();
    };
    const timer = setTimeout(cut, PATIENCE, `it does not answer within ${PATIENCE / 1000}s`).unref();
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(messageOf(approval, uiUrl?.())),
        redirect: 'manual',
        signal: abort.signal,
        ...(dispatcher && { dispatcher }),
      });
      await response.body?.cancel();
      return response.ok ? undefined : `it answers with the status ${response.status}`;
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (why === undefined && cause instanceof PatchgateError)
        return cause.message.replaceAll(`${chat.url.hostname}:${addressOf(chat.url).port}`, 'the chat');
      return why ?? systemCode(cause) ?? 'the connection broke off';
    } finally {
      clearTimeout(timer);
    }
  };
  const sendAll = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      // What the gate is about to answer comes first.
      await setImmediate();
      const why = await post(next);
      if (why === undefined) notices.over('the approval webhook works again');
      else notices.trouble(new Error(why), 'untold');
    }
    sending = undefined;
  };

  const unsubscribe = approvals.subscribe((approval) => {
    const { id, status } = approval;
    if (status !== 'pending' || seen.has(id)) return;
    seen.add(id);
    for (const oldest of seen) {
      if (seen.size <= MOST_IDS) break;
      seen.delete(oldest);
    }
    if (waiting.length >= MOST_WAITING) {
      notices.trouble(new Error(`${MOST_WAITING} approvals wait to be told`), 'untold');
      return;
    }
    waiting.push(approval);
    sending ??= sendAll();
  });

  return async () => {
    unsubscribe();
    const timer = setTimeout(() => {
      waiting.length = 0;
      cut?.('the gate stopped before it had answered');
    }, PATIENCE_OF_STOP);
    await sending;
    clearTimeout(timer);
    tunnels?.close();
    await dispatcher?.destroy();
  };
}

/** `text` is what Slack, Mattermost and others show; all else is for programs. No body, no token. */
function messageOf(approval: Approval, uiUrl: string | undefined): object {
  const { id, method, record, effects, effectsOmitted, expiresAt } = approval;
  const { path } = splitTarget(approval.url);
  const link = uiUrl && `${uiUrl.replace(/\/$/, '')}/#/approvals/${id}`;
  const text = chatText(approval, path, link);
  return { text, id, method, path, record, effects, effectsOmitted, expiresAt, link };
}

function chatText(approval: Approval, path: string, link?: string): string {
  const { id, method, who, effects, expiresAt } = approval;
  const lost = effects.filter(losesEnvironment).length;
  const what = lost > 0 ? ` would delete ${amount(lost, 'environment')} and` : '';
  const by = who === undefined ? '' : ` of \`${inCode(who)}\``;
  const until = `until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  return [
    `\`${inCode(`${method} ${path}`)}\`${by}${what} waits for approval, ${until}:`,
    '```',
    ...firstEffects(approval, plain).map((line) => inCode(line.trim())),
    '```',
    ...(link === undefined ? [] : [link]),
    `patchgate approve ${id}`,
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text that does not end the code it stands in, has no mentions (`<!channel>`, `@all`) and is no link. */
function inCode(text: string): string {
  const line = visible(text).replaceAll('`', "'");
  const escaped = line.replace(/[&<>]/g, (character) => ENTITIES[character] as string);
  return unlinked(escaped, '\u200b');
}
