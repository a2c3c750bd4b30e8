import type { Exchange } from '../../model/exchange.ts';
import type { HashSet } from '../hash-set.ts';
import type { Journal } from '../journal/journal.ts';
import type { WaitingFiles } from '../journal/waiting-files.ts';
import type { RequestFacts } from '../kept-exchanges.ts';
import type { ContentsOptions } from './contents.ts';
import type { Gaps } from './gaps.ts';

/** What all files of a recording share. */
export interface KeptFileContext {
  journal: Journal;
  waiting: WaitingFiles;
  gaps: Gaps;
  /** Files that there were not before this run: there is nothing in them that it could replace. */
  started: HashSet;
  /** Called between two exchanges of a longer work. */
  breathe(): Promise<void> | undefined;
  /** What is written outlives a power failure. */
  isDurable: boolean;
  /** Otherwise nothing is ever written, bodies in files of their own included. */
  isWritable: boolean;
  contents: ContentsOptions;
  /** What matching must know of a recorded request. */
  factsOf(exchange: Exchange): RequestFacts;
  /** Names how `factsOf` looks at requests; undefined where that cannot be named. */
  matching: string | undefined;
  /** Bytes from which a file stays on disk while it is asked for. */
  largeBytes: number;
  /** Where the indexes of large files are kept. */
  indexFolder: string;
  /** Somebody else may be writing: see FollowedJournal. */
  catchUp(): number;
}
