/**
 * One item as it is read, changed and saved. It is saved only if nobody has changed it meanwhile;
 * otherwise the version that is there now is kept beside one's own until somebody decides.
 */
import { useEffect, useState } from "preact/hooks";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { usePage } from "../../control/page.ts";
import type { ServerReply } from "../../session/server.ts";
import {
  deleteItem,
  type HeldItem,
  type ItemPlace,
  placeOf,
  readItem,
  writeItem,
} from "./itemAccess.ts";
import { itemName, type StagedItem } from "./stagedItems.ts";

interface EditedItem {
  readonly text: string;
  /** As it was read, or saved last. */
  readonly before: string;
  readonly etag: string | undefined;
  setText(text: string): void;
  readonly isChanged: boolean;
  /** The text names another item: an item keeps its id and its key for life. */
  readonly isAnother: boolean;
  /** The version of somebody else, since saving was refused for it. */
  readonly other: HeldItem | undefined;
  readonly problem: string | undefined;
  save(): Promise<void>;
  saveOver(): Promise<void>;
  /** Creates the item that the text names; the former one stays as it is. */
  createAnother(): Promise<void>;
  takeOther(): void;
  /** True when it is gone. */
  remove(): Promise<boolean>;
}

interface ItemWanted {
  readonly row: OverviewRow;
  /** Absent for a new item. */
  readonly place: ItemPlace | undefined;
  /** A change that was staged before: it is gone on with. */
  readonly staged: StagedItem | undefined;
  /** Is told where the saved one lies. */
  readonly onSaved: (place: ItemPlace) => void;
}

export function useItem({ row, place, staged, onSaved }: ItemWanted): EditedItem {
  const { server, announcer } = usePage();
  const versions = useVersions();
  const { held, text, setText, other, setOther, problem, setProblem, take, taken } = versions;
  const written = (answer: ServerReply<HeldItem>, said: (id: string) => string): void =>
    taken(answer, (version) => {
      take(version);
      const now = placeOf(version.text, row);
      announcer.say(said(now.id));
      onSaved(now);
    });
  const placeKey = JSON.stringify(place);
  useEffect(() => {
    if (place === undefined) take({ text: firstText(row.partitionKeyPaths) });
    else if (staged !== undefined) {
      take({ text: staged.before, etag: staged.etag });
      setText(staged.text);
    } else void readItem(server, row, place).then((answer) => taken(answer, take));
  }, [placeKey]);
  const saveWith = async (etag: string | undefined): Promise<void> => {
    const answer = await writeItem(server, row, { place, text, etag });
    if (!answer.ok && answer.error.status === 412 && place !== undefined) {
      taken(await readItem(server, row, place), setOther);
    } else {
      written(answer, (id) => `Saved the item ${id}.`);
    }
  };
  const createAnother = async (): Promise<void> => {
    const answer = await writeItem(server, row, { place: undefined, text });
    written(answer, (id) => `Created the item ${id}. The other one is still there.`);
  };
  const remove = async (): Promise<boolean> => {
    const answer = place && (await deleteItem(server, row, place));
    if (answer?.ok === true) announcer.say(`Deleted the item ${place?.id}.`);
    else setProblem(answer?.error.message);
    return answer?.ok === true;
  };
  return {
    text,
    before: held.text,
    etag: held.etag,
    setText,
    isChanged: text !== held.text,
    isAnother: place !== undefined && held.text !== "" && namesAnother(text, place, row),
    other,
    problem,
    save: () => saveWith(held.etag),
    createAnother,
    saveOver: () => saveWith(other?.etag),
    takeOther: () => other && take(other),
    remove,
  };
}

interface Versions {
  readonly held: HeldItem;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly other: HeldItem | undefined;
  readonly setOther: (version: HeldItem) => void;
  readonly problem: string | undefined;
  readonly setProblem: (problem: string | undefined) => void;
  /** Goes on with a version, whatever was written before. */
  readonly take: (version: HeldItem) => void;
  readonly taken: (answer: ServerReply<HeldItem>, use: (version: HeldItem) => void) => void;
}

/** What was read, what is being written, and what somebody else has saved meanwhile. */
function useVersions(): Versions {
  const [held, setHeld] = useState<HeldItem>({ text: "" });
  const [text, setText] = useState("");
  const [other, setOther] = useState<HeldItem | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const take = (version: HeldItem): void => {
    setHeld(version);
    setText(version.text);
    setOther(undefined);
    setProblem(undefined);
  };
  const taken = (answer: ServerReply<HeldItem>, use: (version: HeldItem) => void): void => {
    if (answer.ok) use(answer.value);
    else setProblem(answer.error.message);
  };
  return { held, text, setText, other, setOther, problem, setProblem, take, taken };
}

function namesAnother(text: string, place: ItemPlace, row: OverviewRow): boolean {
  try {
    return itemName(placeOf(text, row)) !== itemName(place);
  } catch {
    return false;
  }
}

/** A new item has its id and its key to fill in. */
function firstText(keyPaths: readonly string[]): string {
  const item: Record<string, unknown> = { id: "" };
  for (const path of keyPaths) {
    const segments = path.slice(1).split("/");
    let inner = item;
    for (const name of segments.slice(0, -1)) {
      inner[name] = inner[name] ?? {};
      inner = inner[name] as Record<string, unknown>;
    }
    inner[segments.at(-1)!] ??= "";
  }
  return JSON.stringify(item, null, 2);
}
