/** Groups and aggregates: one row for each group, in the order of the group keys. */
import { canonicalText } from "../../json/canonical.ts";
import { plainOf } from "../../json/digits.ts";
import type { JsonValue } from "../../json/value.ts";
import type { GroupKey, MakeGroups } from "../evaluate/groups.ts";
import { compareKeys } from "../evaluate/groups.ts";
import { rowText } from "../evaluate/rowText.ts";
import type { Slots } from "../evaluate/run.ts";
import type { CollectedRow, Ended } from "./collected.ts";
import { AHEAD_COUNT, give } from "./collected.ts";
import { everyRow } from "./collectRows.ts";
import type { CollectSetting } from "./streamRows.ts";

export async function collectGroups(
  setting: CollectSetting,
  makeGroups: MakeGroups,
): Promise<Ended> {
  const { plan, page, rows, position } = setting;
  const after = position?.kind === "values" ? position.after : undefined;
  // Under DISTINCT a row may repeat one that an earlier page gave; only all groups together show
  // whether it does, so none before the position is left out.
  const { isDistinct } = plan.query;
  const groups = makeGroups(isDistinct ? undefined : after, page.held);
  const wanted = isDistinct ? Number.POSITIVE_INFINITY : Math.max(rows.wantedCount, AHEAD_COUNT);
  const seen = new Set<string>();
  const isNew = (row: JsonValue): boolean =>
    !isDistinct || seen.size < seen.add(canonicalText(row)).size;
  const isDone = (key: GroupKey): boolean => after !== undefined && compareKeys(key, after) <= 0;
  const pause = (): Promise<void> | undefined => page.pauseOrSuspend();
  page.work.access.push(plan.query.groupBy === undefined ? "aggregate" : "group");
  let isAll = true;
  await everyRow(setting, (slots) => {
    groups.add(slots, page.run);
    if (groups.count < 2 * wanted) return undefined;
    isAll = false;
    return groups.keepFirst(wanted, pause);
  });
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  const sorted = await groups.sorted(pause);
  // Groups behind the first `wanted` ones may have been dropped and begun anew, so their aggregates
  // are incomplete.
  const whole = isAll ? sorted : sorted.slice(0, wanted);
  if (plan.isSelectCalling) {
    await page.rehearse(whole, ({ fill }) => {
      fill(slots);
      plan.select(slots, page.run);
    });
  }
  const collected: CollectedRow[] = [];
  for (const group of whole) {
    const { key, fill } = group;
    page.run.calls?.begin(group);
    page.effort.begin();
    fill(slots);
    const row = plan.select(slots, page.run);
    const isGiven = row !== undefined && isNew(plainOf(row)) && !isDone(key);
    const place = { kind: "values", after: key } as const;
    collected.push({ text: isGiven ? () => rowText(row) : undefined, place });
    const pausing = pause();
    if (pausing !== undefined) await pausing;
  }
  return give({ rows: collected, isAll }, rows, position, page.work);
}
