/**
 * A router over one container or two: queries and counts.
 *
 * A count asks the server to count where every item is in one container and the server finds
 * exactly the dates that are meant. Where an item may be in both, its rows are read and counted
 * here: that costs as much as reading them.
 */
import { inParallel } from "../keys/client/parallel.ts";
import { timeOf } from "../keys/time.ts";
import { isShared, type RoutePiece } from "./pieces.ts";
import { RoutedQuery, reportOf } from "./routedQuery.ts";
import { streamPlans } from "./routeGroups.ts";
import { RouteLedger } from "./routeLedger.ts";
import type { RouteRequest } from "./routeRequest.ts";
import { countRequestOf, requestOf } from "./routeRequest.ts";
import type { RouteSetting, RouteSurvey } from "./routeSetting.ts";
import { RouteText } from "./routeText.ts";
import type { CountQuery, RangeRouter, RoutedRows, RouteQuery, RouteReport } from "./routeTypes.ts";
import { ask } from "./tierPages.ts";

export function openRouter(setting: RouteSetting): RangeRouter {
  const levelCount = setting.paths.length === 0 ? undefined : setting.paths.length;
  return {
    query<Row>(query: RouteQuery): RoutedRows<Row> {
      const request = narrowed(setting, requestOf(query, setting.datePath, levelCount));
      const routed = new RoutedQuery<Row>(setting, request);
      return {
        [Symbol.asyncIterator]: () => routed.rows(),
        report: () => routed.report(),
        next: () => routed.next(),
        async all() {
          const rows: Row[] = [];
          for await (const row of routed.rows()) rows.push(row);
          const next = routed.next();
          return { rows, report: routed.report(), ...(next !== undefined && { next }) };
        },
      };
    },
    async count(query: CountQuery) {
      return countItems(setting, countRequestOf(query, setting.datePath, levelCount));
    },
  };
}

/** In the order of dates, what lies before the place where a query goes on needs no asking. */
function narrowed({ format, datePath }: RouteSetting, request: RouteRequest): RouteRequest {
  const { after, by, isDescending, span } = request;
  const at = after === undefined ? undefined : timeOf(after.by);
  if (at === undefined || by !== datePath || !format.isOrdered) return request;
  // A number may stand for another moment here than elsewhere; then the range stays as it is.
  if (!format.isWithin(after?.by, { from: at, before: at + 1 })) return request;
  const rest = isDescending
    ? { from: span.from, before: Math.min(span.before, at + 1) }
    : { from: Math.max(span.from, at), before: span.before };
  return rest.from < rest.before ? { ...request, span: rest } : request;
}

async function countItems(
  setting: RouteSetting,
  request: RouteRequest,
): Promise<{ readonly count: number; readonly report: RouteReport }> {
  const ledger = new RouteLedger();
  const survey = await setting.survey(request);
  const { format, datePath, strategy } = setting;
  const grouping = { datePath, strategy, isOrdered: format.isOrdered };
  const plans = streamPlans(grouping, request, survey.pieces);
  let count = 0;
  for (const piece of survey.pieces) {
    const mustRead = isShared(piece) || !format.isExact;
    count += mustRead
      ? await countedRows(setting, request, { ...survey, pieces: [piece] }, ledger)
      : await countedThere(setting, request, piece, ledger);
  }
  return { count, report: reportOf(ledger, survey, plans) };
}

/** The rows of a piece, read and counted. */
async function countedRows(
  setting: RouteSetting,
  request: RouteRequest,
  survey: RouteSurvey,
  ledger: RouteLedger,
): Promise<number> {
  const wanted = { ...request, select: "1" };
  let count = 0;
  for await (const _ of new RoutedQuery(setting, wanted, { survey, ledger }).rows()) count++;
  return count;
}

/** The items of a piece, counted by the server under each key. */
async function countedThere(
  setting: RouteSetting,
  request: RouteRequest,
  piece: RoutePiece,
  ledger: RouteLedger,
): Promise<number> {
  const { format, datePath, strategy, containers } = setting;
  const grouping = { datePath, strategy, isOrdered: format.isOrdered };
  const streams = streamPlans(grouping, request, [piece]).groups.flatMap((group) => group.streams);
  const text = new RouteText(setting, request);
  const counts = await inParallel(streams, request.concurrency, async ({ tier, key, span }) => {
    const { pageSize, signal } = request;
    const pages = ask<number>({ containers, pageSize, signal }, tier, key, text.count(span));
    let sum = 0;
    while (pages.hasMoreResults()) {
      if (signal?.aborted === true) throw signal.reason ?? new Error("The count was aborted.");
      const { resources = [], requestCharge: ru } = await pages.fetchNext();
      ledger.add(tier, key, { ru, rowCount: resources.length });
      sum += resources.reduce((total, one) => total + one, 0);
    }
    return sum;
  });
  return counts.reduce((sum, one) => sum + one, 0);
}
