/**
 * The pages of one stream, as a router gives them on: fetched in turn, within the dates that were
 * asked for, without rows that a version in the other container overrules, and without the marks
 * of the lifecycle.
 *
 * A page of warm is not fetched before the first pages of hot have come, so what left hot before is
 * in warm by then.
 */
import type { ClientPages, QuerySpec } from "../keys/client/container.ts";
import type { KeyComponent } from "../keys/component.ts";
import { clientKey } from "../keys/strategy.ts";
import type { DateFormat, RouteSpan } from "./dateFormat.ts";
import type { Envelope, ItemVersion, KnownVersion } from "./itemVersion.ts";
import { nameOf } from "./itemVersion.ts";
import type { TierName } from "./pieces.ts";
import type { StreamPlan } from "./routeGroups.ts";
import type { RouteLedger } from "./routeLedger.ts";
import type { RouteText } from "./routeText.ts";
import type { RoutedContainer, StopSignal } from "./routeTypes.ts";
import { isHotOverruled, isWarmOverruled } from "./versions.ts";

export interface RouteRow<Row> extends ItemVersion {
  readonly tier: TierName;
  readonly row: Row;
}

/** What all streams of one query have in common. */
export interface StreamSetting {
  readonly containers: ReadonlyMap<TierName, RoutedContainer>;
  readonly text: RouteText;
  readonly format: DateFormat;
  readonly ledger: RouteLedger;
  readonly pageSize: number;
  readonly signal: StopSignal | undefined;
  /** Throws if the query has taken too long to be right. */
  readonly checkAge: () => void;
  /** Whether both containers may have items of this date. */
  readonly isShared: (date: unknown) => boolean;
  /** Whether versions of an item may differ, and so have to be compared. */
  readonly isChecked: boolean;
  /** A whole item of hot without what the lifecycle put into it; undefined: rows are no items. */
  readonly unmarked: ((item: unknown) => unknown) | undefined;
}

/** Opens when each of those it waits for has come or failed. */
export class Gate {
  #missing: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#missing = count;
  }

  arrive(): void {
    this.#missing--;
    if (this.#missing <= 0) for (const go of this.#waiting.splice(0)) go();
  }

  opened(): Promise<void> {
    if (this.#missing <= 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export class TierPages<Row> implements ClientPages<RouteRow<Row>> {
  readonly #setting: StreamSetting;
  readonly #plan: StreamPlan;
  /** The span for which the other container was asked; undefined: no item is in both. */
  readonly #otherSpan: RouteSpan | undefined;
  readonly #gate: Gate;
  readonly #pages: ClientPages<Envelope<Row>>;
  #isFirst = true;

  constructor(
    setting: StreamSetting,
    plan: StreamPlan,
    otherSpan: RouteSpan | undefined,
    gate: Gate,
  ) {
    this.#setting = setting;
    this.#plan = plan;
    this.#otherSpan = otherSpan;
    this.#gate = gate;
    this.#pages = ask(setting, plan.tier, plan.key, setting.text.rows(plan.span, plan.tier));
  }

  hasMoreResults(): boolean {
    return this.#pages.hasMoreResults();
  }

  async fetchNext(): Promise<{ resources: RouteRow<Row>[]; requestCharge: number }> {
    const { tier, key } = this.#plan;
    if (tier === "warm") await this.#gate.opened();
    try {
      this.#checkIsWanted();
      const { resources = [], requestCharge } = await this.#pages.fetchNext();
      this.#setting.ledger.add(tier, key, { ru: requestCharge, rowCount: resources.length });
      const { kept, ru } = await this.#kept(resources.filter((row) => this.#isAsked(row)));
      this.#setting.ledger.leftOutCount += kept.leftOutCount;
      return {
        resources: kept.rows.flatMap((row) => this.#shown(row)),
        requestCharge: requestCharge + ru,
      };
    } finally {
      if (this.#isFirst && tier === "hot") this.#gate.arrive();
      this.#isFirst = false;
    }
  }

  #checkIsWanted(): void {
    const { signal, checkAge } = this.#setting;
    if (signal?.aborted === true) throw signal.reason ?? new Error("The query was aborted.");
    if (this.#otherSpan !== undefined) checkAge();
  }

  /** The bounds of a text may find more than was asked for. */
  #isAsked({ date }: ItemVersion): boolean {
    const { format } = this.#setting;
    return format.isExact || format.isWithin(date, this.#plan.span);
  }

  async #kept(rows: readonly Envelope<Row>[]): Promise<{
    readonly kept: { readonly rows: readonly Envelope<Row>[]; readonly leftOutCount: number };
    readonly ru: number;
  }> {
    const otherSpan = this.#otherSpan;
    const doubtful = rows.filter((row) => this.#isDoubtful(row));
    if (doubtful.length === 0 || otherSpan === undefined) {
      return { kept: { rows, leftOutCount: 0 }, ru: 0 };
    }
    const { versions, ru } = await this.#otherVersions(doubtful, otherSpan);
    const isOverruled = (row: Envelope<Row>): boolean => {
      const other = versions.get(nameOf(row));
      if (other === undefined) return false;
      if (this.#plan.tier === "hot") return isHotOverruled(row, other);
      const { format, isShared } = this.#setting;
      const isAsked = (date: unknown, span: RouteSpan): boolean =>
        format.isExact || format.isWithin(date, span);
      return isWarmOverruled(row, other, otherSpan, { isShared, isAsked });
    };
    const kept = rows.filter((row) => !isOverruled(row));
    return { kept: { rows: kept, leftOutCount: rows.length - kept.length }, ru };
  }

  /** What is not marked in hot counts, whatever warm has. */
  #isDoubtful({ date, mark }: ItemVersion): boolean {
    const { isChecked, isShared } = this.#setting;
    if (!isChecked || this.#otherSpan === undefined || !isShared(date)) return false;
    return this.#plan.tier === "warm" || mark === true;
  }

  async #otherVersions(
    rows: readonly ItemVersion[],
    span: RouteSpan,
  ): Promise<{ readonly versions: ReadonlyMap<string, KnownVersion>; readonly ru: number }> {
    const { text, ledger } = this.#setting;
    const other = this.#plan.tier === "hot" ? "warm" : "hot";
    const ids = [...new Set(rows.map(({ id }) => id))];
    const query = text.versions(span, ids);
    const pages = ask<KnownVersion>(this.#setting, other, this.#plan.key, query);
    const versions = new Map<string, KnownVersion>();
    let sum = 0;
    while (pages.hasMoreResults()) {
      this.#checkIsWanted();
      const { resources = [], requestCharge: ru } = await pages.fetchNext();
      ledger.add(other, this.#plan.key, { ru, rowCount: resources.length, isCheck: true });
      sum += ru;
      for (const version of resources) versions.set(nameOf(version), version);
    }
    return { versions, ru: sum };
  }

  /** No row for an item that has nothing of what was asked for, as of any query. */
  #shown(envelope: Envelope<Row>): readonly RouteRow<Row>[] {
    const { tier } = this.#plan;
    const { unmarked } = this.#setting;
    const { row } = envelope;
    if (row === undefined) return [];
    const isStripped = tier === "hot" && envelope.mark === true && unmarked !== undefined;
    return [{ ...envelope, tier, row: isStripped ? (unmarked(row) as Row) : row }];
  }
}

/** A query of one container, under a key or over all of them. */
export function ask<T>(
  { containers, pageSize, signal }: Pick<StreamSetting, "containers" | "pageSize" | "signal">,
  tier: TierName,
  key: readonly KeyComponent[] | undefined,
  query: QuerySpec,
): ClientPages<T> {
  const options = {
    maxItemCount: pageSize,
    ...(key !== undefined && { partitionKey: clientKey(key) }),
    ...(signal !== undefined && { abortSignal: signal }),
  };
  return containers.get(tier)!.items.query<T>(query, options);
}
