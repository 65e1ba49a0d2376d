/** The changes of a container that wait, and how they are saved together. */
import { useState } from "preact/hooks";
import { counted } from "../../../base/wording.ts";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { usePage } from "../../control/page.ts";
import { keepList, readList } from "../data/keptLists.ts";
import { type ItemPlace, writeItem } from "./itemAccess.ts";
import { type StagedItem, withoutStaged, withStaged } from "./stagedItems.ts";

export interface StagedItems {
  readonly items: readonly StagedItem[];
  readonly isSaving: boolean;
  put(item: StagedItem): void;
  drop(place: ItemPlace): void;
  dropAll(): void;
  /** One after the other; what could not be saved goes on waiting, and says why. */
  saveAll(): Promise<void>;
}

const STAGED_KEY = "orrery.staged";

export function useStagedItems(row: OverviewRow, onSaved: () => void): StagedItems {
  const { server, announcer } = usePage();
  const of = `${row.database}/${row.container}`;
  const [items, setItems] = useState(() => readList<StagedItem>(sessionStorage, STAGED_KEY, of));
  const [isSaving, setSaving] = useState(false);
  const change = (changed: (items: readonly StagedItem[]) => readonly StagedItem[]): void =>
    setItems((now) => {
      const next = changed(now);
      keepList(sessionStorage, STAGED_KEY, { of, list: next });
      return next;
    });
  const drop = (place: ItemPlace): void => change((now) => withoutStaged(now, place));
  const put = (item: StagedItem): void => change((now) => withStaged(now, item));
  const saveAll = async (): Promise<void> => {
    if (isSaving || items.length === 0) return;
    setSaving(true);
    let savedCount = 0;
    for (const item of items) {
      const answer = await writeItem(server, row, item);
      if (answer.ok) {
        savedCount++;
        drop(item.place);
      } else {
        const isChanged = answer.error.status === 412;
        const problem = isChanged ? CHANGED_MEANWHILE : answer.error.message;
        put({ ...item, problem });
      }
    }
    setSaving(false);
    const leftCount = items.length - savedCount;
    if (leftCount === 0) announcer.say(`Saved ${counted(savedCount, "item")}.`);
    else announcer.warn(`Saved ${savedCount} of ${counted(items.length, "item")}.`);
    onSaved();
  };
  return { items, isSaving, put, drop, dropAll: () => change(() => []), saveAll };
}

const CHANGED_MEANWHILE = "Somebody changed it meanwhile. Open it to see both versions.";
