/**
 * HTTP Archive 1.2: what of it is written and read here. Names with an underscore in front are nobody's standard; those
 * of browsers are read, and `_patchgate` is our own.
 */

export interface HarHeader {
  name: string;
  value: string;
}

export interface HarBody {
  mimeType?: string;
  /** Decoded from its charset and content codings. */
  text?: string;
  /** `base64`, where the text is that of bytes. */
  encoding?: string;
  /** The same of a request's body, of which the standard says nothing. */
  _encoding?: string;
  /** Playwright: name of the file beside the archive that holds it. */
  _file?: string;
  comment?: string;
}

export interface HarPostData extends HarBody {
  params?: { name: string; value?: string; fileName?: string }[];
}

export interface HarRequest {
  method: string;
  url: string;
  httpVersion?: string;
  cookies?: unknown[];
  headers?: HarHeader[];
  queryString?: HarHeader[];
  postData?: HarPostData;
  headersSize?: number;
  /** -1: nobody knows. */
  bodySize?: number;
}

export interface HarResponse {
  /** 0: there was no response. */
  status: number;
  statusText?: string;
  httpVersion?: string;
  cookies?: unknown[];
  headers?: HarHeader[];
  content?: HarBody & { size?: number };
  redirectURL?: string;
  headersSize?: number;
  bodySize?: number;
  /** Chrome's name of what went wrong: `net::ERR_CONNECTION_REFUSED`. */
  _error?: string;
}

export interface HarEntry {
  /** ISO 8601. Tools that leave it out get one when it is read. */
  startedDateTime: string;
  /** Milliseconds. */
  time?: number;
  request: HarRequest;
  response?: HarResponse;
  cache?: object;
  timings?: object;
  comment?: string;
  _resourceType?: string;
  _patchgate?: OwnMember;
}

/** What an archive of ours says that the standard has no place for. */
export interface OwnMember {
  /** Where the URL does not give them back. */
  path?: string;
  query?: string;
  failure?: string;
  /** Name of the session that it was recorded in. */
  session?: string;
  /** Bytes of bodies that were not kept. */
  omitted?: { request?: number; response?: number };
}

export interface Har {
  log: {
    version?: string;
    creator?: { name?: string; version?: string };
    entries: HarEntry[];
  };
}

/** The name under `creator` in archives of ours. */
export const CREATOR = 'patchgate';

/** Stands for the host, which recordings do not keep (RFC 6761: no such host will ever be). */
export const NO_ORIGIN = 'http://recorded.invalid';

/** What Chrome says where the media type is not known. */
export const UNKNOWN_TYPE = 'x-unknown';
