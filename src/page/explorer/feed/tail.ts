/**
 * The tail of a container's changes: where each feed range has been read to, the changes that are
 * held, and how many of them somebody has not seen yet. Bounded: the oldest go first. Not here: who
 * asks, and when.
 */
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import { isObject } from "../data/tableColumns.ts";

export const CHANGES_MAX = 500;

export interface Change {
  /** Differs from that of every other change of the tail. */
  readonly number: number;
  readonly rangeId: string;
  readonly kind: "written" | "created" | "replaced" | "deleted";
  readonly lsn: number | undefined;
  /** Seconds since 1970. */
  readonly ts: number | undefined;
  readonly id: string;
  readonly item: unknown;
}

export interface RangeTail {
  readonly rangeId: string;
  /** Where to go on; absent before the first answer. */
  readonly etag?: string | undefined;
  /** Log entries that are not read yet; absent when nobody can tell. */
  readonly behind?: number | undefined;
}

export interface Tail {
  readonly ranges: readonly RangeTail[];
  /** The newest first. */
  readonly changes: readonly Change[];
  readonly readCount: number;
}

export const EMPTY_TAIL: Tail = { ranges: [], changes: [], readCount: 0 };

export interface FeedTerms {
  readonly mode: "latest" | "all";
  /** `now`, `beginning`, or a date that the browser can read. */
  readonly from: string;
}

const ALL_VERSIONS_FORMAT = "2021-09-15";

export function feedHeaders(
  { mode, from }: FeedTerms,
  etag: string | undefined,
): Readonly<Record<string, string>> {
  const base =
    mode === "latest"
      ? { "a-im": "Incremental Feed" }
      : { "a-im": "Full-Fidelity Feed", [HEADER.changeFeedFormat]: ALL_VERSIONS_FORMAT };
  if (etag !== undefined) return { ...base, "if-none-match": etag };
  if (from === "beginning") return base;
  const at = from === "now" ? Number.NaN : Date.parse(from);
  if (Number.isNaN(at)) return { ...base, "if-none-match": "*" };
  return { ...base, "if-modified-since": new Date(at).toUTCString() };
}

/** The tail after a page of a range, oldest change first in the page. */
export function withPage(
  tail: Tail,
  page: {
    readonly rangeId: string;
    readonly etag: string | undefined;
    readonly rows: readonly unknown[];
    /** The end of the log, if the answer told it. */
    readonly endLsn: number | undefined;
  },
): Tail {
  const { rangeId, etag, rows, endLsn } = page;
  const added = rows.map((row, at) => changeOf(row, rangeId, tail.readCount + at));
  const lastLsn = added.at(-1)?.lsn;
  const left =
    endLsn === undefined || lastLsn === undefined ? undefined : Math.max(0, endLsn - lastLsn);
  const behind = rows.length === 0 ? 0 : left;
  return {
    ranges: tail.ranges.map((range) =>
      range.rangeId === rangeId ? { rangeId, etag: etag ?? range.etag, behind } : range,
    ),
    changes: [...added.toReversed(), ...tail.changes].slice(0, CHANGES_MAX),
    readCount: tail.readCount + added.length,
  };
}

/** After a split or a merge, the successors go on where the former range was. */
export function withRanges(
  tail: Tail,
  found: readonly { readonly id: string; readonly parents?: readonly string[] | undefined }[],
): Tail {
  const ranges = found.map(({ id, parents = [] }): RangeTail => {
    const known = tail.ranges.find(({ rangeId }) => rangeId === id);
    const parent = tail.ranges.find(({ rangeId }) => parents.includes(rangeId));
    return known ?? { rangeId: id, etag: parent?.etag };
  });
  return { ...tail, ranges };
}

/** The end of the log in a session token such as `0:-1#17`. */
export function lsnInSession(text: string | null): number | undefined {
  const found = /#(\d+)/.exec(text ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}

const KINDS: Readonly<Record<string, Change["kind"]>> = {
  create: "created",
  replace: "replaced",
  delete: "deleted",
};

function changeOf(row: unknown, rangeId: string, number: number): Change {
  const outer = isObject(row) ? row : {};
  const metadata = outer["metadata"];
  if (!isObject(metadata) || typeof metadata["operationType"] !== "string") {
    return told({ number, rangeId, kind: "written", item: row, lsn: outer["_lsn"] });
  }
  const kind = KINDS[metadata["operationType"]] ?? "written";
  const item = kind === "deleted" ? (outer["previous"] ?? outer["current"]) : outer["current"];
  const change = told({ number, rangeId, kind, item: item ?? metadata, lsn: metadata["lsn"] });
  const at = metadata["crts"];
  const id = metadata["id"];
  return {
    ...change,
    ts: typeof at === "number" ? at : change.ts,
    id: change.id === "" && typeof id === "string" ? id : change.id,
  };
}

function told({
  number,
  rangeId,
  kind,
  item,
  lsn,
}: Pick<Change, "number" | "rangeId" | "kind" | "item"> & { readonly lsn: unknown }): Change {
  const { id, _ts: ts } = isObject(item) ? item : {};
  return {
    number,
    rangeId,
    kind,
    item,
    lsn: typeof lsn === "number" ? lsn : undefined,
    ts: typeof ts === "number" ? ts : undefined,
    id: typeof id === "string" ? id : "",
  };
}
