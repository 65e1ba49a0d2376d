/**
 * One item as it is read, changed and saved. It is saved only if nobody has changed it meanwhile;
 * otherwise the version that is there now is kept beside one's own until somebody decides.
 */
import { useEffect, useState } from "preact/hooks";
import type { OverviewRow } from "../../protocol/admin.ts";
import { usePage } from "../control/page.ts";
import type { Server, ServerReply } from "../session/server.ts";
import { containerPath, keyHeader } from "./data/dataPlane.ts";
import { indented } from "./data/rawJson.ts";
import { isObject, keyValues } from "./data/tableColumns.ts";

export interface ItemPlace {
  readonly keys: readonly unknown[];
  readonly id: string;
}

/** A version of the item, and its etag; a new item has none. */
interface Held {
  readonly text: string;
  readonly etag?: string | undefined;
}

interface EditedItem {
  readonly text: string;
  /** As it was read, or saved last. */
  readonly before: string;
  setText(text: string): void;
  readonly isChanged: boolean;
  /** The version of somebody else, since saving was refused for it. */
  readonly other: Held | undefined;
  readonly problem: string | undefined;
  save(): Promise<void>;
  saveOver(): Promise<void>;
  takeOther(): void;
  /** True when it is gone. */
  remove(): Promise<boolean>;
}

/** `place` is absent for a new item; `onSaved` is told where the saved one lies. */
export function useItem(
  row: OverviewRow,
  place: ItemPlace | undefined,
  onSaved: (place: ItemPlace) => void,
): EditedItem {
  const { server, announcer } = usePage();
  const [held, setHeld] = useState<Held>({ text: "" });
  const [text, setText] = useState("");
  const [other, setOther] = useState<Held | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const take = (version: Held): void => {
    setHeld(version);
    setText(version.text);
    setOther(undefined);
    setProblem(undefined);
  };
  const taken = (answer: ServerReply<Held>, use: (version: Held) => void): void => {
    if (answer.ok) use(answer.value);
    else setProblem(answer.error.message);
  };
  const placeKey = JSON.stringify(place);
  useEffect(() => {
    if (place === undefined) take({ text: firstText(row.partitionKeyPaths) });
    else void readItem(server, row, place).then((answer) => taken(answer, take));
  }, [placeKey]);
  const saveWith = async (etag: string | undefined): Promise<void> => {
    const answer = await writeItem(server, row, { place, text, etag });
    if (!answer.ok && answer.error.status === 412 && place !== undefined) {
      taken(await readItem(server, row, place), setOther);
    } else {
      taken(answer, (saved) => {
        take(saved);
        const now = placeOf(saved.text, row);
        announcer.say(`Saved the item ${now.id}.`);
        onSaved(now);
      });
    }
  };
  const remove = async (): Promise<boolean> => {
    if (place === undefined) return false;
    const headers = keyHeader(place.keys);
    const answer = await server.data({ method: "DELETE", path: pathOf(row, place.id), headers });
    if (answer.ok) announcer.say(`Deleted the item ${place.id}.`);
    else setProblem(answer.error.message);
    return answer.ok;
  };
  return {
    text,
    before: held.text,
    setText,
    isChanged: text !== held.text,
    other,
    problem,
    save: () => saveWith(held.etag),
    saveOver: () => saveWith(other?.etag),
    takeOther: () => other && take(other),
    remove,
  };
}

async function readItem(
  server: Server,
  row: OverviewRow,
  { keys, id }: ItemPlace,
): Promise<ServerReply<Held>> {
  const path = pathOf(row, id);
  const answer = await server.data({ method: "GET", path, headers: keyHeader(keys) });
  if (answer.ok) return { ok: true, value: heldOf(answer.value) };
  const isGone = answer.error.status === 404;
  const message = isGone
    ? "The item is not there; it may have been deleted."
    : answer.error.message;
  return { ok: false, error: { ...answer.error, message } };
}

interface Written {
  readonly place: ItemPlace | undefined;
  readonly text: string;
  readonly etag: string | undefined;
}

async function writeItem(
  server: Server,
  row: OverviewRow,
  { place, text, etag }: Written,
): Promise<ServerReply<Held>> {
  const now = placeOf(text, row);
  if (place !== undefined && JSON.stringify(now) !== JSON.stringify(place)) {
    const message =
      "The id or the partition key was changed. An item keeps both for life: create a new item, " +
      "then delete this one.";
    return { ok: false, error: { kind: "refused", message } };
  }
  const answer = await server.data({
    method: place === undefined ? "POST" : "PUT",
    path: place === undefined ? `${containerPath(row)}/docs` : pathOf(row, place.id),
    headers: { ...keyHeader(now.keys), ...(etag !== undefined && { "if-match": etag }) },
    body: text,
  });
  return answer.ok ? { ok: true, value: heldOf(answer.value) } : answer;
}

function heldOf({ text, headers }: { readonly text: string; readonly headers: Headers }): Held {
  return { text: indented(text), etag: headers.get("etag") ?? undefined };
}

function pathOf(row: OverviewRow, id: string): string {
  return `${containerPath(row)}/docs/${encodeURIComponent(id)}`;
}

/** Where the item of this text lies; the text is JSON. */
function placeOf(text: string, { partitionKeyPaths }: OverviewRow): ItemPlace {
  const item: unknown = JSON.parse(text);
  const id = isObject(item) ? item["id"] : undefined;
  return { keys: keyValues(item, partitionKeyPaths), id: typeof id === "string" ? id : "" };
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
