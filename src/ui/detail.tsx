import { useEffect, useState } from 'preact/hooks';
import type { Finding } from '../model/finding.ts';
import { amount, sanitize } from '../reporters/wording.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { loadExchange, useLoaded } from './api.ts';
import { ApprovalCard } from './approvals.tsx';
import { correctedOf, jsonIn, type Miss, missOf } from './before.ts';
import { Body, type BodyMark, bodyWords } from './body.tsx';
import { curlOf, headerPairs, lacksOf } from './copies.ts';
import { Comparison } from './diff-view.tsx';
import { useLive } from './live.ts';
import { Marks, Section, Table } from './parts.tsx';
import { hrefOf } from './router.ts';
import { KINDS, kindOf, sentenceOf, timeOf, tookText } from './words.ts';

type DetailProps = { id: string; q: string; finding: string; onClose: () => void };

/** One exchange, beside the list. @param props `q`: the list's filter; `finding`: number of the one whose line was asked for */
export function Detail({ id, q, finding, onClose }: DetailProps) {
  const { data: exchange, error } = useLoaded(id, () => loadExchange(id));
  useEffect(() => {
    if (exchange && finding !== '') showLine(lineId(finding));
  }, [exchange, finding]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
    <section class="detail" aria-label="Exchange" tabIndex={0}>
      <button type="button" class="close" aria-label="Close" title="Close (Escape)" onClick={onClose}>
        ×
      </button>
      {error && <p role="alert">{error.message}</p>}
      {exchange && <Whole key={exchange.id} exchange={exchange} q={q} />}
    </section>
  );
}

function Whole({ exchange, q }: { exchange: ShownExchange; q: string }) {
  const { id, request, response, verdict, answeredBy, startedAt, durationMs, session } = exchange;
  const approval = useLive().approvals.find((one) => one.exchange === id);
  const [sign, , tone] = KINDS[kindOf(exchange)];
  const miss = missOf(exchange);
  const isOwnProblem = answeredBy === 'gate' && jsonIn(response?.body) !== undefined;
  const facts = [
    String(response?.status ?? 'no answer'),
    verdict?.operation,
    timeOf(startedAt),
    tookText(durationMs),
    `from the ${answeredBy}`,
    session && `session ${session}`,
  ];
  return (
    <>
      <h1>
        {sanitize(request.method)} <span class="mono">{sanitize(request.url)}</span>
      </h1>
      <p class={`word ${tone}`}>
        <span aria-hidden="true">{sign}</span> {sentenceOf(exchange)}
      </p>
      <p class="flow quiet">
        <span>{sanitize(facts.filter(Boolean).join(' · '))}</span>
        <Marks exchange={exchange} />
      </p>
      <Actions exchange={exchange} />
      {approval && <ApprovalCard approval={approval} />}
      {verdict && verdict.findings.length > 0 && <Findings exchange={exchange} q={q} />}
      {miss && <MissDifferences miss={miss} />}
      <Comparison exchange={exchange} />
      <Section title="Request" more={bodyWords(request.body)}>
        <Headers headers={request.headers} of="Request" />
        <Body body={request.body} marks={marksIn(verdict?.findings ?? [])} />
      </Section>
      {response && (
        <Section title={`Response ${response.status}`} more={bodyWords(response.body)}>
          <Headers headers={response.headers} of="Response" />
          {isOwnProblem ? (
            <details>
              <summary>The gate’s answer, as the client got it</summary>
              <Body body={response.body} />
            </details>
          ) : (
            <Body body={response.body} />
          )}
        </Section>
      )}
    </>
  );
}

function Actions({ exchange }: { exchange: ShownExchange }) {
  const { health } = useLive();
  const [said, setSaid] = useState('');
  const corrected = correctedOf(exchange);
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text).then(
      () => setSaid(`Copied. ${lacksOf(exchange.request)}`),
      (error: Error) => setSaid(`Not copied: ${error.message}`),
    );
  };
  return (
    <p class="flow">
      {health && (
        <button type="button" onClick={() => void copy(curlOf(exchange, health.url))}>
          Copy as curl
        </button>
      )}
      {corrected !== undefined && (
        <button type="button" onClick={() => void copy(JSON.stringify(corrected, null, 2))}>
          Copy corrected body
        </button>
      )}
      <span role="status" class="quiet">
        {said}
      </span>
    </p>
  );
}

const lineId = (number: number | string) => `finding-${number}`;

function showLine(id: string): void {
  const line = document.getElementById(id);
  line?.focus({ preventScroll: true });
  line?.scrollIntoView({ block: 'center' });
}

/** A finding of the request as a whole has no place in its body. */
const hasPlace = ({ pointer, line }: Finding) => pointer !== '' || line !== undefined;

function marksIn(findings: readonly Finding[]): BodyMark[] {
  return findings.flatMap((finding, i) => {
    const { pointer, line = 1, severity } = finding;
    return hasPlace(finding) ? [{ id: lineId(i + 1), pointer, line, severity }] : [];
  });
}

function Findings({ exchange: { id, request, verdict }, q }: { exchange: ShownExchange; q: string }) {
  const { findings = [], omitted = 0 } = verdict ?? {};
  return (
    <Section title={amount(findings.length + omitted, 'finding')}>
      <ul>
        {findings.map((finding, i) => {
          const { rule, severity, pointer, line, message, hint, source } = finding;
          const [word, tone] = severity === 'error' ? ['Error', 'bad'] : ['Warning', 'warn'];
          const href = hrefOf('exchanges', id, { q, finding: String(i + 1) });
          return (
            <li key={i} class={`finding ${tone}`}>
              <b>{word}</b> <span class="plain">{sanitize(message)}</span>
              {hint && <span class="quiet">{sanitize(`; ${hint}`)}</span>}
              <div class="quiet">
                {request.body && hasPlace(finding) && (
                  <a class="mono" href={href} onClick={() => showLine(lineId(i + 1))}>
                    {sanitize(pointer) || `line ${line}`}
                  </a>
                )}{' '}
                {[rule, source].filter(Boolean).join(' · ')}
              </div>
            </li>
          );
        })}
      </ul>
      {omitted > 0 && <p class="quiet">and {omitted} more</p>}
    </Section>
  );
}

function MissDifferences({ miss: { detail, hint, nearest } }: { miss: Miss }) {
  const { differences = [] } = nearest ?? {};
  const query = nearest?.query ? `?${nearest.query}` : '';
  return (
    <Section
      title={nearest ? 'The nearest recorded request' : 'Why'}
      more={nearest && sanitize(`${nearest.method} ${nearest.path}${query}`)}
    >
      {differences.length === 0 ? (
        <p>{sanitize(detail)}</p>
      ) : (
        <Table title="Differences" columns={['Place', 'Recorded', 'Sent']} class="differences mono">
          <tbody>
            {differences.map(({ place, recorded, sent }) => (
              <tr key={place}>
                <th scope="row">{sanitize(place)}</th>
                <td class="removed">{sanitize(recorded ?? '')}</td>
                <td class="added">{sanitize(sent ?? '')}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {hint && <p class="quiet">{sanitize(hint)}</p>}
    </Section>
  );
}

function Headers({ headers, of }: { headers: ShownExchange['request']['headers']; of: string }) {
  const pairs = headerPairs(headers);
  return (
    <details>
      <summary>{amount(pairs.length, 'header')}</summary>
      <Table title={`${of} headers`} columns={['Name', 'Value']} class="mono">
        <tbody>
          {pairs.map(([name, value], i) => (
            <tr key={i}>
              <th scope="row">{sanitize(name)}</th>
              <td>{sanitize(value)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </details>
  );
}
