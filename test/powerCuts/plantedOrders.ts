/**
 * Stores that do the right things in a wrong order, or leave one out: made from the trace of the
 * real one, because a judge that has never found anything proves nothing.
 */
import { dirname } from "node:path";
import type { CallEvent } from "./systemCalls.ts";

interface PlantedOrder {
  readonly name: string;
  replan(events: readonly CallEvent[]): readonly CallEvent[];
}

const isTables = (path: string): boolean => path.endsWith("/data.mdb");
const isSegment = (path: string): boolean => path.endsWith(".journal");

/** The engine's last step of a commit: a few bytes of a page at the very start of the file. */
const META_BYTES_MAX = 512;

function isMeta({ call }: CallEvent): boolean {
  return call.kind === "write" && isTables(call.path) && call.bytes.length < META_BYTES_MAX;
}

export const PLANTED_ORDERS: readonly PlantedOrder[] = [
  {
    name: "an absorber that does not sync its tables",
    replan: (events) => events.filter(({ call }) => !(call.kind === "sync" && isTables(call.path))),
  },
  {
    name: "an engine that writes its root before the pages under it",
    replan: (events) =>
      moved(events, isMeta, ({ call }) => call.kind === "write" && isTables(call.path)),
  },
  {
    name: "a store that deletes a segment before the tables have it",
    replan: (events) =>
      moved(
        events,
        ({ call }) => call.kind === "unlink" && isSegment(call.path),
        ({ call }) => call.kind === "write" && isTables(call.path),
      ),
  },
  {
    name: "a journal that does not write through",
    replan: (events) =>
      events.map((event) =>
        event.call.kind === "open" && isSegment(event.call.path)
          ? { ...event, call: { ...event.call, isSynchronous: false } }
          : event,
      ),
  },
  {
    name: "a journal whose segments are used before their names are durable",
    replan: (events) => {
      const folders = new Set(
        events.flatMap(({ call }) =>
          call.kind === "open" && isSegment(call.path) ? [dirname(call.path)] : [],
        ),
      );
      return events.filter(({ call }) => !(call.kind === "sync" && folders.has(call.path)));
    },
  },
];

/** Each of the chosen comes before the whole row of tables' writes that it used to follow. */
function moved(
  events: readonly CallEvent[],
  isChosen: (event: CallEvent) => boolean,
  isOfRow: (event: CallEvent) => boolean,
): readonly CallEvent[] {
  const planned: CallEvent[] = [];
  let rowStart: number | undefined;
  let isRowOver = false;
  for (const event of events) {
    if (isChosen(event)) {
      planned.splice(rowStart ?? planned.length, 0, event);
      if (rowStart !== undefined) rowStart++;
      isRowOver = true;
      continue;
    }
    if (event.call.kind === "open" && isTables(event.call.path)) rowStart = undefined;
    if (isOfRow(event)) {
      if (isRowOver || rowStart === undefined) rowStart = planned.length;
      isRowOver = false;
    }
    planned.push(event);
  }
  return planned;
}
