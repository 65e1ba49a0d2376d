/**
 * Items of a file into the container, through the data plane as any client would write them, a few
 * at a time. For large files there is `orrery import`, which goes on after an interruption.
 */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Result } from "../../base/result.ts";
import { no } from "../../base/result.ts";
import { millis } from "../../base/units.ts";
import { counted } from "../../base/wording.ts";
import type { JsonObject } from "../../json/value.ts";
import type { OverviewRow } from "../../protocol/admin.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Meter } from "../parts/meter.tsx";
import { amountText, chargeText } from "../parts/numbers.ts";
import { browserTimer } from "../session/browserWorld.ts";
import type { Server } from "../session/server.ts";
import { containerPath, keyHeader } from "./data/dataPlane.ts";
import { exampleOrders } from "./data/exampleOrders.ts";
import { givenItems } from "./data/givenItems.ts";
import { keyValues } from "./data/tableColumns.ts";
import { sumOfRu } from "./query/queryRun.ts";

const AT_ONCE = 8;
const BYTES_MAX = 20 * 1024 * 1024;
const THROTTLED_PAUSE = millis(300);
const TRIES_MAX = 30;
const REFUSALS_SHOWN = 5;
const EXAMPLE_COUNT = 1000;

interface Progress {
  readonly total: number;
  readonly written: number;
  readonly refused: readonly string[];
  readonly ru: number;
  readonly isOver: boolean;
}

interface ImportDialogProps {
  readonly row: OverviewRow;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export function ImportDialog({ row, onClose, onChanged }: ImportDialogProps): VNode {
  const [items, setItems] = useState<readonly JsonObject[] | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const { progress, start, stop } = useImport(row, onChanged);
  const choose = async (file: File | undefined): Promise<void> => {
    const read = file === undefined ? undefined : await itemsOf(file, row);
    const found =
      read?.ok === true && read.value.length === 0 ? no("There is no item in the file.") : read;
    setItems(found?.ok === true ? found.value : undefined);
    setProblem(found?.ok === false ? found.error : undefined);
  };
  const isRunning = progress !== undefined && !progress.isOver;
  const close = (): void => {
    stop();
    onClose();
  };
  const whyNot =
    items === undefined ? "Choose a file." : isRunning ? "It is being imported." : undefined;
  return (
    <Dialog
      title={`Import a file into ${row.database}/${row.container}`}
      onClose={close}
      foot={
        <>
          <Button onPress={isRunning ? stop : close}>{isRunning ? "Stop" : "Close"}</Button>
          <Button kind="primary" whyNot={whyNot} onPress={() => void start(items ?? [])}>
            {items === undefined ? "Import" : `Import ${counted(items.length, "item")}`}
          </Button>
        </>
      }
    >
      <div class="stack tight">
        <label class="field">
          <span class="fieldLabel">File: one item a line, a JSON list, or CSV</span>
          <input
            type="file"
            class="input"
            accept=".json,.ndjson,.jsonl,.csv,.txt"
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        </label>
        {!hasKeyOf(row) || isRunning ? null : (
          <Examples
            onTake={(examples) => {
              setItems(examples);
              setProblem(undefined);
            }}
          />
        )}
        <p class="small">An item whose id and key are there already is replaced.</p>
        {problem === undefined ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {progress === undefined ? null : <Shown progress={progress} />}
      </div>
    </Dialog>
  );
}

interface ExamplesProps {
  readonly onTake: (examples: readonly JsonObject[]) => void;
}

function Examples({ onTake }: ExamplesProps): VNode {
  return (
    <p class="tools">
      <span>No file at hand?</span>
      <Button onPress={() => onTake(exampleOrders(EXAMPLE_COUNT))}>
        Take {amountText(EXAMPLE_COUNT)} example orders
      </Button>
    </p>
  );
}

/** Example orders are offered only where each of them has a value for the key. */
function hasKeyOf({ partitionKeyPaths }: OverviewRow): boolean {
  const [order] = exampleOrders(1);
  return keyValues(order, partitionKeyPaths).every((value) => typeof value === "string");
}

async function itemsOf(
  file: File,
  { database, container }: OverviewRow,
): Promise<Result<readonly JsonObject[], string>> {
  if (file.size <= BYTES_MAX) return givenItems(await file.text());
  const command = `orrery import ${database}/${container} ${file.name}`;
  return no(`The file is larger than 20 MB. Use the command line: ${command}`);
}

interface Importing {
  readonly progress: Progress | undefined;
  start(items: readonly JsonObject[]): Promise<void>;
  stop(): void;
}

function useImport(row: OverviewRow, onChanged: () => void): Importing {
  const { server, announcer } = usePage();
  const [progress, setProgress] = useState<Progress | undefined>(undefined);
  const isStopped = useRef(false);
  const start = async (items: readonly JsonObject[]): Promise<void> => {
    isStopped.current = false;
    let now: Progress = { total: items.length, written: 0, refused: [], ru: 0, isOver: false };
    setProgress(now);
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < items.length && !isStopped.current) {
        const index = next++;
        const done = await write(server, row, items[index]!, () => isStopped.current);
        now =
          typeof done === "number"
            ? { ...now, written: now.written + 1, ru: sumOfRu([now.ru, done]) }
            : { ...now, refused: [...now.refused, `Item ${index + 1}: ${done}`] };
        setProgress(now);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    setProgress({ ...now, isOver: true });
    announcer.say(`Imported ${counted(now.written, "item")}.`);
    onChanged();
  };
  const stop = (): void => {
    isStopped.current = true;
  };
  return { progress, start, stop };
}

/** The charge, or why the item was refused. Throttled writes are tried again, after a pause. */
async function write(
  server: Server,
  row: OverviewRow,
  item: JsonObject,
  isStopped: () => boolean,
): Promise<string | number> {
  for (let tried = 0; ; tried++) {
    const answer = await server.data({
      method: "POST",
      path: `${containerPath(row)}/docs`,
      headers: {
        [HEADER.isUpsert]: "true",
        ...keyHeader(keyValues(item, row.partitionKeyPaths)),
      },
      body: item,
    });
    if (answer.ok) return answer.value.charge;
    if (answer.error.kind !== "throttled" || tried >= TRIES_MAX || isStopped()) {
      return answer.error.message;
    }
    await new Promise<void>((resolve) => {
      browserTimer.after(THROTTLED_PAUSE, resolve);
    });
  }
}

function Shown({ progress }: { readonly progress: Progress }): VNode {
  const { total, written, refused, ru, isOver } = progress;
  return (
    <div>
      <Meter share={total === 0 ? 1 : (written + refused.length) / total} />
      <p role={isOver ? "status" : undefined}>
        {written} of {counted(total, "item")} written, {chargeText(ru)}
        {refused.length === 0 ? "" : `, ${refused.length} refused`}.
      </p>
      {refused.length === 0 ? null : (
        <ul class="problem">
          {refused.slice(0, REFUSALS_SHOWN).map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
