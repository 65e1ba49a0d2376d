/** A request and an answer without sockets: what the server hands in and gets back. */

export interface WireHeaders {
  readonly [name: string]: string | string[] | undefined;
}

export interface WireAnswer {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: Buffer | undefined;
}

/** The first value of a header, or undefined. Names are lower case. */
export function headerOf(headers: WireHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** SDKs spell booleans `true`, `True` and `TRUE`. */
export function isTrue(headers: WireHeaders, name: string): boolean {
  return headerOf(headers, name)?.toLowerCase() === "true";
}
