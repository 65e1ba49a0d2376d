/**
 * One query of a router while it is read: streams of containers and keys, merged into one.
 *
 * Rows come in the order that was asked for, each item once. Of every stream that is open one page
 * is held, and the names of the items that were given with the value that rows are ordered by at
 * this moment. Rows that are equal in that order come from hot first, so whatever hot has at a
 * place has come when warm's turn is there.
 */
import { compareValues } from "../keys/client/compareValues.ts";
import { MergedQuery, type RowSource } from "../keys/client/mergedQuery.ts";
import { BadRoute, RouteTooSlow } from "./badRoute.ts";
import type { TierName } from "./pieces.ts";
import type { StreamGroup, StreamPlans } from "./routeGroups.ts";
import { streamPlans } from "./routeGroups.ts";
import { RouteLedger } from "./routeLedger.ts";
import type { RouteRequest } from "./routeRequest.ts";
import type { RouteSetting, RouteSurvey } from "./routeSetting.ts";
import { RouteText } from "./routeText.ts";
import type { RouteReport } from "./routeTypes.ts";
import { encodePlace, RowTrail } from "./rowPlace.ts";
import type { RouteRow, StreamSetting } from "./tierPages.ts";
import { Gate, TierPages } from "./tierPages.ts";

export class RoutedQuery<Row> {
  readonly #setting: RouteSetting;
  readonly #request: RouteRequest;
  readonly #ledger: RouteLedger;
  #isRead = false;
  #survey: RouteSurvey | undefined;
  #plans: StreamPlans | undefined;
  readonly #trail: RowTrail;
  #hasEnded = false;

  /** `survey`: what is known already; otherwise it is made when rows are read. */
  constructor(
    setting: RouteSetting,
    request: RouteRequest,
    given: { readonly survey?: RouteSurvey; readonly ledger?: RouteLedger } = {},
  ) {
    this.#setting = setting;
    this.#request = request;
    this.#survey = given.survey;
    this.#ledger = given.ledger ?? new RouteLedger();
    this.#trail = new RowTrail(request.after);
  }

  async *rows(): AsyncGenerator<Row, void, undefined> {
    if (this.#isRead) throw new BadRoute("A query can be read once. Make another to ask again.");
    this.#isRead = true;
    const { limit = Number.POSITIVE_INFINITY, isDescending, concurrency } = this.#request;
    const survey = this.#survey ?? (await this.#setting.survey(this.#request));
    this.#survey = survey;
    const { format, datePath, strategy } = this.#setting;
    const grouping = { datePath, strategy, isOrdered: format.isOrdered };
    this.#plans = streamPlans(grouping, this.#request, survey.pieces);
    const sign = isDescending ? -1 : 1;
    const compare = (a: RouteRow<Row>, b: RouteRow<Row>): number =>
      compareValues(a.by, b.by) * sign;
    const isShared = sharedDates(this.#setting, survey);
    const streams = this.#streamSetting(survey, isShared);
    const merged = new MergedQuery<RouteRow<Row>>({
      groups: this.#plans.groups.map((group) => sourcesOf<Row>(group, streams)),
      compare,
      isEager: limit === Number.POSITIVE_INFINITY,
      concurrency,
    });
    let count = 0;
    for await (const row of merged.rows()) {
      if (!this.#trail.isNew(row)) {
        if (isShared(row.date)) this.#ledger.leftOutCount++;
        continue;
      }
      yield row.row;
      if (++count >= limit) return;
    }
    this.#hasEnded = true;
  }

  /** Where another query goes on; undefined if nothing was read, or nothing is left. */
  next(): string | undefined {
    const { place } = this.#trail;
    return this.#hasEnded || place === undefined ? undefined : encodePlace(place, this.#request);
  }

  report(): RouteReport {
    return reportOf(this.#ledger, this.#survey, this.#plans);
  }

  #streamSetting(survey: RouteSurvey, isShared: (date: unknown) => boolean): StreamSetting {
    const { containers, format, clock, isChecked, unmarked } = this.#setting;
    const { signal, limit, select } = this.#request;
    const startedAt = clock?.now() ?? 0;
    const { markTtlMs } = survey;
    return {
      containers,
      text: new RouteText(this.#setting, this.#request),
      format,
      ledger: this.#ledger,
      pageSize: Math.min(this.#request.pageSize, limit ?? this.#request.pageSize),
      signal,
      checkAge() {
        if (clock === undefined || markTtlMs === undefined) return;
        const took = clock.now() - startedAt;
        if (took < markTtlMs) return;
        throw new RouteTooSlow(
          `The query has been read for ${Math.round(took / 1000)} s, and moved items stay in hot ` +
            `for ${Math.round(markTtlMs / 1000)} s only. Ask again from the last row, or for less.`,
        );
      },
      isShared,
      isChecked,
      unmarked: select === undefined ? unmarked : undefined,
    };
  }
}

/** Whether both containers may have items of a date. */
function sharedDates(
  { format }: Pick<RouteSetting, "format">,
  { pieces }: RouteSurvey,
): (date: unknown) => boolean {
  const spans = pieces.filter(({ tiers }) => tiers.length > 1).map(({ span }) => span);
  return (date) => spans.some((span) => format.isWithin(date, span));
}

function sourcesOf<Row>(
  { streams, isShared }: StreamGroup,
  setting: StreamSetting,
): readonly RowSource<RouteRow<Row>>[] {
  const gate = new Gate(streams.filter(({ tier }) => tier === "hot").length);
  const spanOf = (tier: TierName) => streams.find((stream) => stream.tier === tier)?.span;
  return streams.map((stream) => {
    const other = isShared ? spanOf(stream.tier === "hot" ? "warm" : "hot") : undefined;
    return {
      key: stream.key ?? [],
      open: () => new TierPages<Row>(setting, stream, other, gate),
    };
  });
}

/** `plans` and `survey` are undefined as long as nothing was read. */
export function reportOf(
  ledger: RouteLedger,
  survey: RouteSurvey | undefined,
  plans: Pick<StreamPlans, "fanOut" | "fanOutReason" | "plannedKeyCount"> | undefined,
): RouteReport {
  const { byTier, byKey, leftOutCount } = ledger;
  const totals = Object.values(byTier);
  const tiers: readonly TierName[] = ["only", "hot", "warm"];
  const isPlanned = (tier: TierName): boolean =>
    survey?.pieces.some((piece) => piece.tiers.includes(tier)) === true;
  return {
    planned: tiers.filter(isPlanned),
    asked: tiers.filter((tier) => byTier[tier] !== undefined),
    ru: totals.reduce((sum, { ru }) => sum + ru, 0),
    requestCount: totals.reduce((sum, { requestCount }) => sum + requestCount, 0),
    byTier,
    byKey,
    fanOut: plans?.fanOut ?? "all",
    ...(plans?.fanOutReason !== undefined && { fanOutReason: plans.fanOutReason }),
    plannedKeyCount: plans?.plannedKeyCount ?? 0,
    leftOutCount,
    ...(survey?.threshold !== undefined && { threshold: survey.threshold }),
    ...(survey?.settledBefore !== undefined && { settledBefore: survey.settledBefore }),
    ...(survey?.watermarkProblem !== undefined && { watermarkProblem: survey.watermarkProblem }),
  };
}
