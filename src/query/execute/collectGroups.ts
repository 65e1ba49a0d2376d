/** Groups and aggregates: one row for each group, in the order of the group keys. */
import { canonicalText } from "../../json/canonical.ts";
import type { JsonValue } from "../../json/value.ts";
import { everyRow } from "./collectRows.ts";
import type { GroupKey, MakeGroups } from "./groups.ts";
import { compareKeys } from "./groups.ts";
import type { Position } from "./position.ts";
import { rowText } from "./rowText.ts";
import type { Slots } from "./run.ts";
import type { CollectSetting, Ended } from "./streamRows.ts";

export async function collectGroups(
  setting: CollectSetting,
  makeGroups: MakeGroups,
): Promise<Ended> {
  const { plan, page, rows, position } = setting;
  const after = position?.kind === "values" ? position.after : undefined;
  // Whether a row was given before, only all groups together tell.
  const { isDistinct } = plan.query;
  const groups = makeGroups(isDistinct ? undefined : after, page.held);
  const wanted = isDistinct ? Number.POSITIVE_INFINITY : rows.wantedCount;
  const seen = new Set<string>();
  const isNew = (row: JsonValue): boolean =>
    !isDistinct || seen.size < seen.add(canonicalText(row)).size;
  const isDone = (key: GroupKey): boolean => after !== undefined && compareKeys(key, after) <= 0;
  page.work.access.push(plan.query.groupBy === undefined ? "aggregate" : "group");
  await everyRow(setting, (slots) => {
    groups.add(slots, page.run);
    if (groups.count >= 2 * wanted) groups.keepFirst(wanted);
  });
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  // Of those beyond the first some rows may have been let go, and with them part of their values.
  const sorted = [...groups.all()]
    .sort((left, right) => compareKeys(left.key, right.key))
    .slice(0, wanted);
  let last: Position | undefined = position;
  for (const group of sorted) {
    group.fill(slots);
    const row = plan.select(slots, page.run);
    if (row !== undefined && isNew(row) && !isDone(group.key)) {
      const added = rows.add(() => rowText(row));
      if (added === "full") return { rows: rows.texts, next: last };
      if (added === "last") return { rows: rows.texts, next: undefined };
    }
    last = { kind: "values", after: group.key, ...rows.remaining };
  }
  // Groups without a row may have taken the places of others that were let go.
  const isCut = plan.query.groupBy !== undefined && sorted.length >= wanted;
  return { rows: rows.texts, next: isCut ? last : undefined };
}
