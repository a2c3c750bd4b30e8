import type { Content, Entry, Header, Param, Request, Response } from 'har-format';

/** HTTP Archive 1.2: what of it is read here. Tools leave out what the standard wants, or write null. */
type Sloppy<T> = { [Name in keyof T]?: T[Name] | null };

type Value = string | number | boolean | null | undefined;

/** Tools write numbers, and lists of values that came several times. */
export type HarHeader = Pick<Header, 'name'> & { value?: Value | Value[] };

/** `text` is decoded from its charset and content codings, or base64 where `encoding` says so. */
export interface HarBody extends Sloppy<Pick<Content, 'mimeType' | 'text' | 'encoding' | 'size'>> {
  /** The same as `encoding` of a request's body, of which the standard says nothing. */
  _encoding?: string | null;
  /** Polly's: `text` is hexadecimal. */
  _isBinary?: boolean | null;
}

export interface HarRequest extends Pick<Request, 'method' | 'url'>, Sloppy<Pick<Request, 'bodySize'>> {
  headers?: HarHeader[] | null;
  postData?:
    | (HarBody & { params?: (Sloppy<Pick<Param, 'name'>> & Pick<HarHeader, 'value'>)[] | null })
    | null;
}

/** Of status 0: there was no response. */
export interface HarResponse
  extends Pick<Response, 'status'>,
    Sloppy<Pick<Response, 'statusText' | 'bodySize'>> {
  headers?: HarHeader[] | null;
  content?: HarBody | null;
}

export interface HarEntry extends Sloppy<Pick<Entry, 'startedDateTime' | 'time'>> {
  request: HarRequest;
  response?: HarResponse | null;
  _patchgate?: OwnMember | null;
}

/** What an archive of ours says that the standard has no place for. */
export interface OwnMember {
  /** Where the URL does not give them back. */
  path?: string;
  query?: string;
  session?: string;
  /** Bytes of bodies that were not kept. */
  omitted?: { request?: number; response?: number };
}

/** The name under `creator` in archives of ours. */
export const CREATOR = 'patchgate';

/** Stands for the host, which recordings do not keep (RFC 6761: no such host will ever be). */
export const NO_ORIGIN = 'http://recorded.invalid';

/** What Chrome says where the media type is not known. */
export const UNKNOWN_TYPE = 'x-unknown';
