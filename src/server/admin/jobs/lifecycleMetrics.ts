/** Lifecycles for Prometheus, those at work. */
import type { LifecycleEntry } from "../../../model/lifecycle.ts";
import type { Family } from "../prometheus.ts";

export function lifecycleFamilies(
  lifecycles: readonly LifecycleEntry[],
  wallNow: number,
): readonly Family[] {
  const running = lifecycles.filter(({ endedAt }) => endedAt === undefined);
  const family =
    (type: Family["type"]) =>
    (
      name: string,
      help: string,
      figureOf: (lifecycle: LifecycleEntry) => number | undefined,
    ): Family => ({
      name: `orrery_lifecycle_${name}`,
      type,
      help,
      samples: running.map((one) => ({ labels: labelsOf(one), value: figureOf(one) })),
    });
  const gauge = family("gauge");
  const counter = family("counter");
  return [
    counter("moved_items_total", "Items that were moved to warm.", ({ totals }) => totals.moved),
    counter("moved_bytes_total", "Bytes of these items.", ({ totals }) => totals.movedBytes),
    counter(
      "edited_copies_total",
      "Copies made anew because their item was edited in hot.",
      ({ totals }) => totals.edited,
    ),
    counter(
      "removed_copies_total",
      "Copies that went because their item was deleted in hot.",
      ({ totals }) => totals.removed,
    ),
    counter(
      "returned_items_total",
      "Items that were edited so that they are young again.",
      ({ totals }) => totals.returned,
    ),
    counter("request_units_total", "Request units spent on both sides.", ({ totals }) => totals.ru),
    gauge("due_items", "Items that are due and not moved.", ({ dueCount }) => dueCount),
    gauge("set_aside_items", "Items that cannot be moved.", ({ setAsideCount }) => setAsideCount),
    gauge("lag_changes", "Changes of hot that were not looked at.", ({ lagCount }) => lagCount),
    gauge(
      "settled_before_seconds",
      "Since 1970: everything in hot that is dated before this is in warm.",
      ({ settledBefore }) => (settledBefore === undefined ? undefined : settledBefore / 1000),
    ),
    gauge(
      "round_age_seconds",
      "Seconds since a round was last complete.",
      ({ lastRound }) => lastRound && Math.max(0, wallNow - lastRound.endedAt) / 1000,
    ),
    gauge("stopped", "1 if a lifecycle stands still by itself.", ({ state }) =>
      state === "blocked" ? 1 : 0,
    ),
  ];
}

function labelsOf({ id, hot, warm }: LifecycleEntry): Readonly<Record<string, string>> {
  const name = ({ database, container }: LifecycleEntry["hot"]): string =>
    `${database}/${container}`;
  return { lifecycle: id, hot: name(hot), warm: name(warm) };
}
