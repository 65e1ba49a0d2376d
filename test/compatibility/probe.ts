/**
 * What a probe is: a feature, and a conversation over the wire that shows whether it is there.
 *
 * Probes are data. They say what the service answers; nobody writes down whether this server does
 * the same, because that is what running them finds out (`runProbe.ts`).
 *
 * Texts may name what is only known later: `{db}` and `{c}` are a database and a container made for
 * the probe, and `keep` takes something out of an answer for the steps after it.
 */

export interface Probe {
  /** A row of the document, as it is printed. */
  readonly feature: string;
  /** What a client does and what the service answers. */
  readonly steps: readonly Step[];
  /** Why the steps go the same way without what the probe is about. */
  readonly idle?: string | undefined;
  /** What comes if it is not that: said in the document, and checked like the rest. */
  readonly instead?: Difference | undefined;
  /** How the container of this probe differs from the usual one. */
  readonly container?: Readonly<Record<string, unknown>> | undefined;
  /** Headers with which it is created. */
  readonly containerHeaders?: Headers | undefined;
}

interface Difference {
  /** Follows "differs:". */
  readonly says: string;
  readonly steps: readonly Step[];
}

export interface Step {
  /** Verb and path: `GET dbs/{db}/colls/{c}`. */
  readonly ask: string;
  /** The path that is signed, where it is another one. */
  readonly signs?: string | undefined;
  readonly headers?: Headers | undefined;
  /** Sent as it is if it is text or bytes, otherwise as JSON. */
  readonly body?: unknown;
  /** Whose credential: the account's own key by default. A kept name stands for a token. */
  readonly by?: "read-only key" | "nobody" | `{${string}}` | undefined;
  readonly status: number;
  /** Headers that must be there, each like its pattern. */
  readonly answers?: Readonly<Record<string, RegExp>> | undefined;
  /** Headers that must not be there. */
  readonly lacks?: readonly string[] | undefined;
  /** A part of the body; arrays must be whole. */
  readonly has?: unknown;
  /** What the text of the body must be like. */
  readonly says?: RegExp | undefined;
  /** Name → property of the body, with dots, or `header:` and the name of one. */
  readonly keep?: Readonly<Record<string, string>> | undefined;
}

export type Headers = Readonly<Record<string, string>>;

export interface Area {
  readonly title: string;
  /** What stands before the table. */
  readonly about: string;
  readonly probes: readonly Probe[];
}

export const COLLS = "dbs/{db}/colls";
export const COLL = "dbs/{db}/colls/{c}";
export const DOCS = "dbs/{db}/colls/{c}/docs";
/** Containers that are there from the start, for probes that only ask. */
export const STANDING: Readonly<Record<string, readonly object[]>> = {
  one: [{ id: "kept", pk: "a" }],
  three: [
    { id: "1", pk: "a", n: 3, t: "x", l: [1, 2], o: { p: true } },
    { id: "2", pk: "a", n: 1, t: "y", l: [2] },
    { id: "3", pk: "a", n: 2, t: "x", l: [] },
  ],
};
export const ONE_DOCS = "dbs/d/colls/one/docs";
export const THREE_DOCS = "dbs/d/colls/three/docs";
/** The partition key of every item that probes write, unless they say otherwise. */
export const KEY: Headers = { "x-ms-documentdb-partitionkey": '["a"]' };

export function probe(
  feature: string,
  steps: readonly Step[],
  rest: Omit<Probe, "feature" | "steps"> = {},
): Probe {
  return { feature, steps, ...rest };
}

/** An item in the probe's container. */
export function create(item: Readonly<Record<string, unknown>>, rest: Partial<Step> = {}): Step {
  const { headers, ...others } = rest;
  const body = { pk: "a", ...item };
  return { ask: `POST ${DOCS}`, headers: { ...KEY, ...headers }, body, status: 201, ...others };
}

export function read(id: string, rest: Partial<Step> = {}): Step {
  const { headers, ...others } = rest;
  return { ask: `GET ${DOCS}/${id}`, headers: { ...KEY, ...headers }, status: 200, ...others };
}

export const QUERY_HEADERS: Headers = {
  "content-type": "application/query+json",
  "x-ms-documentdb-isquery": "true",
  "x-ms-documentdb-query-enablecrosspartition": "true",
  // What clients make of the ranges comes in one answer.
  "x-orrery-merge-query": "true",
};

/** A query as clients send it first: whoever has to merge is told so. */
export const UNMERGED: Headers = { "x-orrery-merge-query": "false" };

/** A query of the items of the probe's container. */
export function query(text: string, rest: Partial<Step> = {}): Step {
  const { headers, ...others } = rest;
  return {
    ask: `POST ${DOCS}`,
    headers: { ...QUERY_HEADERS, ...headers },
    body: { query: text, parameters: [] },
    status: 200,
    ...others,
  };
}

/** A query with exactly these rows as its answer. */
export function rows(text: string, expected: readonly unknown[], rest: Partial<Step> = {}): Step {
  return query(text, { has: { Documents: expected }, ...rest });
}
