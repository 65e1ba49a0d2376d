/** What the headers of a query over items say besides which items, and how many to a page. */
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf, isTrue } from "../wire/wire.ts";
import type { PagedRead } from "./pagedRead.ts";

export interface AskedQueryPage extends PagedRead {
  readonly kind: "query";
  /** May it be about more than one key? */
  readonly isFanOutAllowed: boolean;
  /** The client would ask several ranges at a time. */
  readonly isParallel: boolean;
  /** The client wants one answer, whatever the service would leave to it. */
  readonly isMerged: boolean;
  /** The same for all requests that a client makes of one query. */
  readonly queryId: string | undefined;
  readonly told: ToldOfQuery;
}

/** What the answer is to say of the work that was done. */
export interface ToldOfQuery {
  readonly isMeasured: boolean;
  /** How the answer says which indexes were used; absent when nobody asks. */
  readonly utilization: UtilizationForm | undefined;
  readonly isExplained: boolean;
}

/** The older form is JSON in base64, the newer JSON as it is. */
export type UtilizationForm = "base64" | "plain";

export function decodeQuery(headers: WireHeaders, read: PagedRead): AskedQueryPage {
  return {
    kind: "query",
    ...read,
    isFanOutAllowed: isTrue(headers, HEADER.crossPartition),
    isParallel: isTrue(headers, HEADER.parallelCrossPartition),
    isMerged: isTrue(headers, HEADER.mergeQuery),
    queryId: headerOf(headers, HEADER.correlatedActivityId),
    told: {
      isMeasured: isTrue(headers, HEADER.populateQueryMetrics),
      utilization: utilizationFormOf(headers),
      isExplained: isTrue(headers, HEADER.explain),
    },
  };
}

export function utilizationFormOf(headers: WireHeaders): UtilizationForm | undefined {
  if (isTrue(headers, HEADER.populateIndexMetricsV2)) return "plain";
  return isTrue(headers, HEADER.populateIndexMetrics) ? "base64" : undefined;
}
