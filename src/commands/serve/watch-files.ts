import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Milliseconds that files must stay as they are before they are taken for written. */
const QUIET = 100;

/**
 * Tells of changes of files, and of the JSON files in folders. Whole folders are watched, as editors and deployments replace files and
 * folders; what their events mean is read from the files, so that what else happens there is not told.
 */
export class FileWatcher {
  readonly #onChange: () => void;
  readonly #onTrouble: (folder: string, error: unknown) => void;
  #paths: readonly string[] = [];
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** As they were when they were followed, or told of last; and at the last look. */
  #known = '';
  #seen = '';

  /** @param onTrouble told of a folder that cannot be watched */
  constructor(onChange: () => void, onTrouble: (folder: string, error: unknown) => void) {
    this.#onChange = onChange;
    this.#onTrouble = onTrouble;
  }

  /** @param paths files and folders, in the place of those before */
  follow(paths: readonly string[]): void {
    if (paths.join('\n') === this.#paths.join('\n')) return;
    this.#paths = paths;
    this.#known = stampOf(paths);
    this.#watch();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }

  #watch(): void {
    this.close();
    for (const folder of foldersOf(this.#paths)) {
      try {
        const watcher = watch(folder, { persistent: false }, () => this.#look());
        this.#watchers.push(watcher.on('error', () => this.#look()));
      } catch (error) {
        this.#onTrouble(folder, error);
      }
    }
    // What changed meanwhile has no event.
    this.#look();
  }

  /** Not put off by further events: a log in the same folder has them all the time. */
  #look(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const stamp = stampOf(this.#paths);
      const isQuiet = stamp === this.#seen;
      this.#seen = stamp;
      if (stamp === this.#known) return;
      if (!isQuiet) return this.#look();
      this.#known = stamp;
      // A folder that was replaced is another one.
      this.#watch();
      this.#onChange();
    }, QUIET).unref();
  }
}

/** Those in which a path, or what it is a link to, can be replaced. */
function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (const place of [resolve(path), realPath(path)]) {
      if (kindOf(dirname(place)) === 'folder') folders.add(dirname(place));
      if (kindOf(place) === 'folder') folders.add(place);
    }
  return folders;
}

/** What tells one state of the files from another. */
function stampOf(paths: readonly string[]): string {
  const files = paths.flatMap((path) => (kindOf(path) === 'folder' ? jsonFilesIn(path) : [path]));
  return files.map((file) => `${file} ${markOf(file)}`).join('\n');
}

function jsonFilesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [folder];
  }
}

function markOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${ino} ${size} ${mtimeMs}`;
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && (found.isDirectory() ? 'folder' : 'file');
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
