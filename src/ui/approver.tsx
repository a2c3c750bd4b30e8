import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api.ts';
import { useLive } from './live.ts';
import { Dialog, type DialogProps, Field, Problem } from './parts.tsx';
import { createListeners, useSyncExternalStore } from './store.ts';

const KEY = 'patchgate.approver';
const listeners = createListeners();

/** The token for what an approver alone may do, where it is not the page's; of this tab. */
const read = () => sessionStorage.getItem(KEY) ?? undefined;

function keep(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
  listeners.tell();
}

/**
 * Does what may need an approver's token: with the page's own, and where that does not do with one that is asked for.
 *
 * @param isForApprovers only they may do it, where there are any. @param action what is done. @param bearer undefined: the page's own token
 */
export function useApprover<T>(
  isForApprovers: boolean,
  action: (bearer: string | undefined, form: FormData) => Promise<T>,
) {
  const { mayDecide } = useLive();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  /** @returns undefined where it failed */
  const submit = async (event: SubmitEvent): Promise<T | undefined> => {
    event.preventDefault();
    // A button that is disabled loses the focus.
    if (isBusy) return undefined;
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const typed = String(form.get('token') ?? '').trim();
    setBusy(true);
    try {
      const done = await action(typed || read(), form);
      if (typed) keep(typed);
      return done;
    } catch (thrown) {
      setError(thrown as Error);
      setTyped(typed !== '');
      setBusy(false);
      return undefined;
    }
  };
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (error) input.current?.focus();
  }, [error]);
  const needsToken = isRefused || (isForApprovers && !mayDecide && read() === undefined);
  const field = (
    <>
      {needsToken && (
        <Field
          label="Your approver’s token"
          hint={`${NEEDED} It is kept in this tab, for what only approvers may do.`}
          error={isRefused ? refusalText(error, isTyped) : undefined}
        >
          {(given) => (
            <input {...given} ref={input} name="token" type="password" autocomplete="off" required />
          )}
        </Field>
      )}
      {!isRefused && <Problem error={error} />}
    </>
  );
  return { submit, isBusy, field };
}

const NEEDED = 'This needs the token of an approver.';

/** @param isTyped it is about what was given in the field */
function refusalText(error: ApiError, isTyped: boolean): string | undefined {
  if (!isTyped) return undefined;
  return error.status === 401
    ? 'Patchgate does not know this token.'
    : 'This is not the token of an approver.';
}

interface ConfirmProps extends DialogProps {
  isForApprovers?: boolean;
  /** `Forget it` */
  action: string;
  /** @param bearer as in `useApprover` @returns what was done */
  onConfirm: (bearer: string | undefined) => Promise<string>;
  /** The dialog is to close then, too. */
  onDone: (done: string) => void;
}

/** Asks before something is done that cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { title, action, onConfirm, onDone, onClose, children, isForApprovers = false } = props;
  const { submit, isBusy, field } = useApprover(isForApprovers, (bearer) => onConfirm(bearer).then(onDone));
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {field}
        <p class="buttons">
          <button type="submit" class="danger" aria-disabled={isBusy}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** Says that another token than the page's is used, and forgets that. */
export function OtherToken() {
  const isKept = useSyncExternalStore(listeners.subscribe, read) !== undefined;
  if (!isKept) return null;
  return (
    <p class="quiet">
      Decisions are made with the approver’s token that you gave.{' '}
      <button type="button" onClick={() => keep(undefined)}>
        Forget it
      </button>
    </p>
  );
}
