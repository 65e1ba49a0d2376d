/** The admin surface of a running account: names become containers, and engine values answers. */

import type { AlertsReport } from "../../alerts/alertBoard.ts";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import type { Account } from "../../engine/account.ts";
import { replaceBuckets } from "../../engine/catalog/offers.ts";
import type { Container } from "../../engine/partition/container.ts";
import type { Sizes } from "../../engine/report/sizeSurvey.ts";
import type { ReshapeRequest } from "../../engine/reshape/reshapePlan.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type {
  LocateReport,
  PlacedEndpoint,
  RequestEntry,
  SplitQuestion,
} from "../../protocol/admin.ts";
import { gini } from "../../statistics/inequality.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import type { LabDesk } from "../lab/labDesk.ts";
import { heatReport, historyReport } from "./chartAnswers.ts";
import { copySurface } from "./jobs/copySurface.ts";
import { lifecycleSurface } from "./jobs/lifecycleSurface.ts";
import { overviewRow } from "./overview.ts";
import { deletePrice, estimate, queryWords } from "./queryHelp.ts";
import type { RecordingSurface } from "./recordings.ts";
import type { AdminSurface, ContainerCounters } from "./surface.ts";

interface SurfaceSetting {
  readonly account: Account;
  readonly clock: Clock;
  /** The alerts as the alert board describes them. */
  alerts(): AlertsReport;
  requests(): readonly RequestEntry[];
  readonly recordings: RecordingSurface;
  readonly lab: LabDesk;
}

const NOT_COUNTED = "This server was started without statistics.";

export function accountSurface(setting: SurfaceSetting): AdminSurface {
  const { account, clock, alerts, requests, recordings, lab } = setting;
  const { catalog, reporting, limits } = account;
  const find = (database: string, name: string): Result<Container, Refusal> => {
    const container = catalog.container(database, name);
    return container === undefined ? no({ kind: "notFound" }) : ok(container);
  };
  const reportOn = async (
    container: Container,
    topCount?: number,
  ): Promise<Result<ContainerReport, Refusal>> => {
    const report = await reporting.report(container, { topCount });
    if (report !== undefined) return ok(report);
    return no(container.isDeleted ? { kind: "notFound" } : badRequest(NOT_COUNTED));
  };
  const all = (): readonly Container[] => catalog.containers();
  return {
    limits,
    containers: () => all().map((container) => ({ ...namesOf(container), rid: container.rid })),
    overview: async () => {
      // No key is in a row, so none needs a name: looking one up reads an item.
      const terms = { topCount: 1, nameShareMin: 2 };
      const reports = await Promise.all(all().map((each) => reporting.report(each, terms)));
      return reports.flatMap((report) => (report === undefined ? [] : [overviewRow(report)]));
    },
    report: async (database, name) => {
      const container = find(database, name);
      return container.ok ? reportOn(container.value) : container;
    },
    heat: (database, name, question) => {
      const container = find(database, name);
      if (!container.ok) return container;
      const { meter } = container.value;
      if (meter === undefined) return no(badRequest(NOT_COUNTED));
      return ok(heatReport(meter, question, clock.now()));
    },
    history: (database, name, question) => {
      const container = find(database, name);
      if (!container.ok) return container;
      const { meter } = container.value;
      if (meter === undefined) return no(badRequest(NOT_COUNTED));
      return ok(historyReport(container.value, meter, question, clock));
    },
    topKeys: async (database, name, { by, count }) => {
      const container = find(database, name);
      if (!container.ok) return container;
      const report = await reportOn(container.value, count);
      if (!report.ok) return report;
      return ok(by === "size" ? report.value.topBySize : report.value.topByLoad);
    },
    locate: async (database, name, key) => {
      const container = find(database, name);
      return container.ok ? locate(account, container.value, key) : container;
    },
    queryWords: async (database, name) => {
      const container = find(database, name);
      return container.ok ? ok(await queryWords(account, container.value)) : container;
    },
    deletePrice: async (database, name) => {
      const container = find(database, name);
      return container.ok ? ok(await deletePrice(account, container.value)) : container;
    },
    estimate: async (database, name, asked) => {
      const container = find(database, name);
      return container.ok ? ok(await estimate(account, lab, container.value, asked)) : container;
    },
    split: async (database, name, question) => {
      const container = find(database, name);
      if (!container.ok) return container;
      return account.reshaping.accept(container.value, splitRequest(container.value, question));
    },
    merge: async (database, name, { partitionIds }) => {
      const container = find(database, name);
      if (!container.ok) return container;
      return account.reshaping.accept(container.value, { kind: "merge", partitionIds });
    },
    move: async (database, name, { partitionId, to: named }) => {
      const container = find(database, name);
      if (!container.ok) return container;
      const to = endpointNamed(account.placement, named);
      return account.reshaping.accept(container.value, { kind: "move", partitionId, to });
    },
    placement: () => placedEndpoints(account),
    suggestMerges: (database, name) => {
      const container = find(database, name);
      if (!container.ok) return container;
      return ok(account.reshaping.suggestMerges(container.value));
    },
    setBuckets: async (database, name, buckets) => {
      const container = find(database, name);
      return container.ok ? replaceBuckets(catalog, account, container.value, buckets) : container;
    },
    copies: copySurface(account.jobs.copying, account.jobs.views),
    lifecycles: lifecycleSurface(account.jobs.lifecycles),
    archives: account.jobs.archiving,
    jobs: () => account.reshaping.jobs,
    alerts,
    requests,
    recordings,
    lab,
    counters: () =>
      Promise.all(
        all().map(async (container) => ({
          ...countersOf(container, await reporting.sizesOf(container), clock.now()),
          view: account.jobs.views.reportOf(container),
        })),
      ),
  };
}

/** Its whole name, where a part of it is enough; what is no name is refused later. */
function endpointNamed(placement: Account["placement"], named: string): string {
  const names = placement?.endpoints.map(({ name }) => name) ?? [];
  const [found, other] = names.includes(named)
    ? [named]
    : names.filter((name) => name.includes(named));
  return other === undefined && found !== undefined ? found : named;
}

function placedEndpoints({ placement, catalog }: Account): readonly PlacedEndpoint[] {
  const all = catalog.containers().flatMap((container) =>
    [...container.partitions.values()].map(({ entry, head }) => ({
      endpoint: placement?.endpointOf(entry.part),
      partition: {
        ...namesOf(container),
        id: entry.id,
        itemCount: head.itemCount,
        itemBytes: head.itemBytes,
      },
    })),
  );
  const { endpoints = [] } = placement ?? {};
  return endpoints.map(({ name, isReachable }) => ({
    name,
    isReachable,
    partitions: all.filter(({ endpoint }) => endpoint === name).map(({ partition }) => partition),
  }));
}

function namesOf({ databaseId, definition }: Container): {
  readonly database: string;
  readonly container: string;
} {
  return { database: databaseId, container: definition.id };
}

/** Without a range id the partition that holds the EPK, or else the one with most bytes. */
function splitRequest(
  container: Container,
  { partitionId, at = "median" }: SplitQuestion,
): ReshapeRequest {
  const cut = at === "median" || at === "middle" ? at : { epk: at as Epk };
  const owner = typeof cut === "object" ? container.ownerOf(cut.epk) : largestOf(container);
  return { kind: "split", partitionId: partitionId ?? owner.entry.id, at: cut };
}

function largestOf(container: Container): ReturnType<Container["ownerOf"]> {
  return [...container.partitions.values()].reduce((largest, partition) =>
    partition.head.itemBytes > largest.head.itemBytes ? partition : largest,
  );
}

async function locate(
  account: Account,
  container: Container,
  key: PartitionKey,
): Promise<Result<LocateReport, Refusal>> {
  const routed = account.route(container, key);
  if (!routed.ok) return routed;
  const { reporting, limits } = account;
  const located = await reporting.locate(container, routed.value.epk);
  return ok({ ...located, limitShare: located.itemBytes / limits.logicalPartitionBytesMax });
}

function countersOf(container: Container, sizes: Sizes, now: Millis): ContainerCounters {
  const partitions = [...container.partitions.values()];
  const loads = partitions.map(({ spending }) => spending.meter?.load(300, now).ru ?? 0);
  // Several physical partitions may share one.
  const purses = new Set(partitions.map(({ spending }) => spending.purse));
  return {
    ...namesOf(container),
    ratePerSecond: [...purses].reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0),
    logicalPartitionCount: [...sizes.countOf.values()].reduce((sum, count) => sum + count, 0),
    largestLogicalBytes: sizes.largest[0]?.itemBytes ?? 0,
    giniOfBytes: sizes.gini,
    giniOfLoad: gini(loads),
    ...container.queryTotals,
    partitions: partitions.map(({ entry, head, spending }) => ({
      id: entry.id,
      itemCount: head.itemCount,
      itemBytes: head.itemBytes,
      allottedRate: spending.purse.ratePerSecond,
      normalizedPercent: spending.meter?.load(60, now).normalizedPercent ?? 0,
      ...spending.totals,
    })),
  };
}
