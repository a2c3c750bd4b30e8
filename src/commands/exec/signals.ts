import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';

/** Those that a terminal sends to all that runs in it, and others. */
const OF_TERMINALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** The last two are what watchers restart by, and would end us alone. */
const SIGNALS: readonly NodeJS.Signals[] = [...OF_TERMINALS, 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];

/** What we are told, which is to be told to the command instead. Where that does not run, a second signal ends us at once. */
export class Signals {
  #first: NodeJS.Signals | undefined;
  #tell: ((signal: NodeJS.Signals) => void) | undefined;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#take);
  }

  /** The first that came. */
  get first(): NodeJS.Signals | undefined {
    return this.#first;
  }

  /** @param tell takes each signal from now on; undefined: nobody does */
  tell(tell: ((signal: NodeJS.Signals) => void) | undefined): void {
    this.#tell = tell;
  }

  /** From now on they do what they do by themselves. */
  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#take);
  }

  readonly #take = (signal: NodeJS.Signals): void => {
    if (this.#tell) this.#tell(signal);
    else if (this.#first) process.exit(exitCodeOf(signal));
    this.#first ??= signal;
  };
}

/** As shells give it. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Whether the command has the signal as we do: Ctrl-C goes to both, and twice means something else to many. */
export function isShared(signal: NodeJS.Signals): boolean {
  return OF_TERMINALS.includes(signal) && hasTerminal();
}

function hasTerminal(): boolean {
  if (process.platform === 'win32') return true;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
