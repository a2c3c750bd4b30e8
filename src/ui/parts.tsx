import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { grouped, sanitize } from '../reporters/wording.ts';
import { ApiError, get } from './api.ts';
import { agoText } from './time.ts';

interface Loaded<T> {
  data: T | undefined;
  error: Error | undefined;
  reload(): void;
}

/** What a path of the control API answers. @param path undefined: nothing is asked. */
export function useLoaded<T>(path: string | undefined): Loaded<T> {
  const [state, setState] = useState<{ path?: string; data?: T; error?: Error }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === undefined) return;
    const ending = new AbortController();
    get<T>(path, ending.signal).then(
      (data) => setState({ path, data }),
      (error: Error) => {
        if (!ending.signal.aborted) setState({ path, error });
      },
    );
    return () => ending.abort();
  }, [path, turn]);
  const { data, error } = state.path === path ? state : {};
  return { data, error, reload: () => setTurn((before) => before + 1) };
}

/** Why something could not be done, and what to do. */
export function Problem({ error, id }: { error: Error | undefined; id?: string }) {
  if (!error) return null;
  return (
    <p role="alert" class="problem" id={id}>
      {problemText(error)}
    </p>
  );
}

export function problemText(error: Error): string {
  const hint = error instanceof ApiError ? error.hint : undefined;
  return hint === undefined ? error.message : `${error.message}: ${hint}`;
}

export function Ago({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={at}>
      {agoText(at, now)}
    </time>
  );
}

/** A moment, by the clock here. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {new Date(at).toLocaleString()}
    </time>
  );
}

/** A text in which no option is parted at its dashes. */
export function WithOptions({ text }: { text: string }) {
  const parts = sanitize(text).split(/(--[a-z][a-z-]*)/);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <code key={index} class="option">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </>
  );
}

interface HeadProps {
  columns: readonly string[];
  /** A last column has a button. */
  hasAction?: boolean;
}

export function Head({ columns, hasAction }: HeadProps) {
  return (
    <thead>
      <tr>
        {columns.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
        {hasAction && (
          <th scope="col">
            <span class="unseen">Action</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

/** Without a value (undefined, or an empty text) it is left out. */
export type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ facts, isRow = false }: { facts: readonly Fact[]; isRow?: boolean }) {
  const given = facts.filter(([, value]) => value !== undefined && value !== '');
  return (
    <dl class={isRow ? 'facts' : 'details'}>
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {typeof value === 'string' ? sanitize(value) : typeof value === 'number' ? grouped(value) : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface FieldProps {
  label: string;
  hint?: string;
  error?: string | undefined;
  /** @param described what the field is to be described by */
  children: (given: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ComponentChildren;
}

/** A field with its label above, and what is wrong with it below. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        ...(described && { 'aria-describedby': described }),
        ...(error && { 'aria-invalid': true }),
      })}
      {error && (
        <p class="problem" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

export interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** Asks before something is done. Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const opened = dialog.current as HTMLDialogElement;
    const onEnd = () => close.current();
    opened.addEventListener('close', onEnd);
    opened.showModal();
    // What is asked is read first, and no key does it by chance.
    heading.current?.focus();
    return () => {
      opened.removeEventListener('close', onEnd);
      opened.close();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id}>
      <h2 id={id} tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** What was done by a button that goes away with it: the focus goes on at the heading. */
export function useDone() {
  const [done, setDone] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (done !== '') heading.current?.focus();
  }, [done]);
  return { done, setDone, heading };
}

/** What was done: announced, without a move of the focus. */
export function Done({ text }: { text: string }) {
  return (
    <p role="status" class="done">
      {text}
    </p>
  );
}
