/** Reads on in the change feed, range by range, through the data plane as any client would. */
import type { OverviewRow } from "../../../protocol/admin.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { Server, ServerReply } from "../../session/server.ts";
import { containerPath, keyHeader } from "../data/dataPlane.ts";
import {
  type FeedTerms,
  feedHeaders,
  lsnInSession,
  type Tail,
  withPage,
  withRanges,
} from "./tail.ts";

const PAGE_ITEMS = 100;
const GONE = 410;

interface TailTerms extends FeedTerms {
  /** Values of a partition key; absent for the whole container. */
  readonly keys?: readonly unknown[] | undefined;
}

/** The only range of a tail that is about one key. */
const OF_KEY = "the key";

/** A page of every range; a range that was split is read by its successors the next time. */
export async function readOn(
  server: Server,
  row: OverviewRow,
  terms: TailTerms,
  before: Tail,
): Promise<ServerReply<Tail>> {
  let tail = before;
  if (tail.ranges.length === 0) {
    const found = await withNewRanges(server, row, terms, tail);
    if (!found.ok) return found;
    tail = found.value;
  }
  for (const { rangeId, etag } of tail.ranges) {
    const scope = terms.keys === undefined ? { [HEADER.rangeId]: rangeId } : keyHeader(terms.keys);
    const answer = await server.data({
      method: "GET",
      path: `${containerPath(row)}/docs`,
      headers: {
        ...feedHeaders(terms, etag),
        ...scope,
        [HEADER.maxItemCount]: String(PAGE_ITEMS),
      },
    });
    if (!answer.ok && answer.error.status === GONE) {
      return withNewRanges(server, row, terms, tail);
    }
    if (!answer.ok) return answer;
    const { headers, text } = answer.value;
    tail = withPage(tail, {
      rangeId,
      etag: headers.get("etag") ?? undefined,
      rows: rowsIn(text),
      endLsn: lsnInSession(headers.get(HEADER.sessionToken)),
    });
  }
  return { ok: true, value: tail };
}

async function withNewRanges(
  server: Server,
  row: OverviewRow,
  { keys }: TailTerms,
  tail: Tail,
): Promise<ServerReply<Tail>> {
  if (keys !== undefined) return { ok: true, value: withRanges(tail, [{ id: OF_KEY }]) };
  const answer = await server.data({ method: "GET", path: `${containerPath(row)}/pkranges` });
  if (!answer.ok) return answer;
  const { PartitionKeyRanges: found } = JSON.parse(answer.value.text) as {
    readonly PartitionKeyRanges: readonly { readonly id: string; readonly parents?: string[] }[];
  };
  return { ok: true, value: withRanges(tail, found) };
}

function rowsIn(text: string): readonly unknown[] {
  if (text === "") return [];
  return (JSON.parse(text) as { readonly Documents?: readonly unknown[] }).Documents ?? [];
}
