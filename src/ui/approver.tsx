import { useState } from 'preact/hooks';
import { ApiError } from './api.ts';
import { Dialog, type DialogProps, Field, Problem, problemText } from './parts.tsx';
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
 * Does what may need an approver's token: with the page's own at first, and where that is refused with one that is asked for.
 *
 * @param action what is done. @param bearer undefined: the page's own token
 */
export function useApprover<T>(action: (bearer: string | undefined, form: FormData) => Promise<T>) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  /** @returns undefined where it failed */
  const submit = async (event: SubmitEvent): Promise<T | undefined> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const typed = String(form.get('token') ?? '').trim();
    setBusy(true);
    try {
      const done = await action(typed || read(), form);
      if (typed) keep(typed);
      return done;
    } catch (thrown) {
      setError(thrown as Error);
      setBusy(false);
      return undefined;
    }
  };
  const field = isRefused ? (
    <Field
      label="Your approver’s token"
      hint="Kept in this tab, for what only approvers may do."
      error={problemText(error)}
    >
      {(given) => <input {...given} name="token" type="password" autocomplete="off" required />}
    </Field>
  ) : (
    <Problem error={error} />
  );
  return { submit, isBusy, field };
}

interface ConfirmProps extends DialogProps {
  /** `Forget it` */
  action: string;
  /** @param bearer as in `useApprover` @returns what was done */
  onConfirm: (bearer: string | undefined) => Promise<string>;
  /** The dialog is to close then, too. */
  onDone: (done: string) => void;
}

/** Asks before something is done that cannot be undone. */
export function Confirm({ title, action, onConfirm, onDone, onClose, children }: ConfirmProps) {
  const { submit, isBusy, field } = useApprover((bearer) => onConfirm(bearer).then(onDone));
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {field}
        <p class="buttons">
          <button type="submit" class="danger" disabled={isBusy}>
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
