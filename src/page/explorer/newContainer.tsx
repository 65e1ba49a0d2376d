/**
 * A new container: its names, its key, its throughput. While the key is typed, items that were
 * pasted or taken from another container fall into their partitions, as the engine places them.
 */
import type { VNode } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { millis } from "../../base/units.ts";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { OverviewRow } from "../../protocol/admin.ts";
import type { PlacementAnswer } from "../../protocol/adminLab.ts";
import { usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Menu } from "../parts/menu.tsx";
import { Segmented } from "../parts/segmented.tsx";
import { browserTimer } from "../session/browserWorld.ts";
import type { Server } from "../session/server.ts";
import {
  type AskedThroughput,
  createContainer,
  createDatabase,
  sampleItems,
} from "./data/dataPlane.ts";
import { givenItems } from "./data/givenItems.ts";
import { candidateText } from "./data/typedKeys.ts";
import { PlacementFindings, PlacementPicture } from "./placementPicture.tsx";

const TYPING_PAUSE = millis(250);
const SAMPLE_COUNT = 200;
const RATE_MIN = 400;
const AUTOSCALE_MIN = 1000;

const EXAMPLES = [
  '{"id":"1","customerId":"ada","total":12}',
  '{"id":"2","customerId":"ada","total":7}',
  '{"id":"3","customerId":"bob","total":30}',
].join("\n");

interface NewContainerProps {
  readonly databases: readonly string[];
  readonly containers: readonly OverviewRow[];
  readonly startDatabase: string;
  readonly onClose: () => void;
  readonly onCreated: (about: NamedContainer) => void;
}

/** What has been filled in so far, as typed. */
interface Draft {
  readonly database: string;
  readonly container: string;
  readonly key: string;
  readonly kind: AskedThroughput["kind"];
  readonly rate: string;
  readonly text: string;
}

export function NewContainer(props: NewContainerProps): VNode {
  const { databases, containers, startDatabase, onClose, onCreated } = props;
  const { server, announcer } = usePage();
  const [draft, setDraft] = useState<Draft>({
    database: startDatabase,
    container: "",
    key: "",
    kind: "manual",
    rate: String(RATE_MIN),
    text: "",
  });
  const change = (changes: Partial<Draft>): void => setDraft((now) => ({ ...now, ...changes }));
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const placed = usePlacement(draft.text, draft.key, Number(draft.rate));
  const whyNot = isBusy ? "It is being created." : (whyNotCreated(draft) ?? placed.problem);
  const create = async (): Promise<void> => {
    if (whyNot !== undefined) return;
    setBusy(true);
    const failure = await created(server, draft, !databases.includes(draft.database));
    setBusy(false);
    setProblem(failure);
    if (failure !== undefined) return;
    const { database, container } = draft;
    announcer.say(`Created the container ${database}/${container}.`);
    onCreated({ database, container });
  };
  const foot = (
    <>
      <p class="small footNote">
        A key cannot be changed in place; later a job copies the items to another one.
      </p>
      <Button onPress={onClose}>Cancel</Button>
      <Button kind="primary" onPress={() => void create()} whyNot={whyNot}>
        Create the container
      </Button>
    </>
  );
  return (
    <Dialog title="New container" size="large" onClose={onClose} foot={foot}>
      <form
        class="newContainer"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Fields {...{ draft, change, databases, placed, problem }} />
        <Trial {...{ draft, change, containers, placed }} />
      </form>
    </Dialog>
  );
}

/** What went wrong; `undefined` when it is created. */
async function created(
  server: Server,
  { database, container, key, kind, rate }: Draft,
  isNewDatabase: boolean,
): Promise<string | undefined> {
  // The server is the one place that reads keys; it says which paths the definition needs.
  const question = { items: [{ id: "1" }], key: candidateText(key) };
  const read = await server.change<PlacementAnswer>("POST", "lab/placements", question);
  if (!read.ok) return read.error.message;
  if (isNewDatabase) {
    const made = await createDatabase(server, database);
    if (!made.ok && made.error.status !== 409) return made.error.message;
  }
  const about = { database, container };
  const throughput = { kind, ratePerSecond: Number(rate) };
  const made = await createContainer(server, { about, paths: read.value.paths, throughput });
  return made.ok ? undefined : made.error.message;
}

interface PartProps {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  readonly placed: Placed;
}

interface FieldsProps extends PartProps {
  readonly databases: readonly string[];
  readonly problem: string | undefined;
}

function Fields({ draft, change, databases, placed, problem }: FieldsProps): VNode {
  const { database, container, key } = draft;
  return (
    <div class="stack tight">
      <TextField
        label="Database id"
        value={database}
        onInput={(value) => change({ database: value })}
        help={
          databases.includes(database)
            ? "There is one of this name; the container is added to it."
            : "There is none of this name yet; it is made first."
        }
      />
      <TextField
        label="Container id"
        value={container}
        onInput={(value) => change({ container: value })}
      />
      <TextField
        label="Partition key"
        value={key}
        onInput={(value) => change({ key: value })}
        isMono
        placeholder="/customerId"
        problem={placed.problem}
        help={
          <>
            A path, up to three for a hierarchical key (<code>/tenantId, /userId</code>), or made
            up: <code>concat(/tenantId, "-", month(/at))</code>.
          </>
        }
      />
      {placed.answer?.isMadeUp === true ? (
        <p class="small">
          This key is made up: writers set it, as <code>orrery/keys</code> does, at{" "}
          <code>{placed.answer.paths.join(", ")}</code>.
        </p>
      ) : null}
      <ThroughputFields draft={draft} change={change} />
      {/* Enter in a field creates the container; the button that is seen is at the foot. */}
      <button type="submit" class="unseen" tabIndex={-1}>
        Create
      </button>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function ThroughputFields({ draft, change }: Pick<PartProps, "draft" | "change">): VNode {
  return (
    <>
      <Segmented
        label="Throughput"
        isLabelShown
        choices={[
          { value: "manual", word: "manual" },
          { value: "autoscale", word: "autoscale" },
        ]}
        value={draft.kind}
        onChoose={(kind) => change({ kind, rate: String(rateMinOf(kind)) })}
      />
      <TextField
        label={draft.kind === "manual" ? "RU/s" : "Up to RU/s"}
        type="number"
        value={draft.rate}
        onInput={(rate) => change({ rate })}
      />
    </>
  );
}

interface TrialProps extends PartProps {
  readonly containers: readonly OverviewRow[];
}

/** Items to try the key on, and where they fall. */
function Trial({ draft, change, containers, placed }: TrialProps): VNode {
  const { server } = usePage();
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const items = givenItems(draft.text);
  const sample = async (name: string): Promise<void> => {
    const about = containers.find((each) => nameOf(each) === name);
    if (about === undefined) return;
    const answer = await sampleItems(server, about, SAMPLE_COUNT);
    setProblem(answer.ok ? undefined : answer.error.message);
    if (answer.ok) change({ text: answer.value });
  };
  const filled = containers.filter(({ itemCount }) => itemCount > 0).map(nameOf);
  return (
    <div class="stack tight">
      <div class="pasteTools">
        <Menu
          label="Take items of"
          choices={[
            { value: "", word: "a container…" },
            ...filled.map((name) => ({ value: name, word: name })),
          ]}
          value=""
          onChoose={(name) => void sample(name)}
        />
        <Button onPress={() => change({ text: EXAMPLES })}>Use three example items</Button>
      </div>
      <PasteField
        value={draft.text}
        onInput={(text) => change({ text })}
        problem={problem ?? (items.ok ? undefined : items.error)}
      />
      {placed.answer === undefined ? (
        <p class="state">{nothingPlaced(draft, placed)}</p>
      ) : (
        <>
          <PlacementPicture placement={placed.answer} />
          <PlacementFindings placement={placed.answer} />
        </>
      )}
    </div>
  );
}

/** What is still needed before items fall. */
function nothingPlaced({ text, key }: Draft, { problem }: Placed): string {
  if (problem !== undefined) return "Items fall into place once the key can be read.";
  if (text.trim() !== "" && key.trim() === "") return "Type a partition key, and the items fall.";
  return (
    "Paste items above and type a key: they fall into the logical and physical partitions where " +
    "the engine would put them."
  );
}

function nameOf({ database, container }: NamedContainer): string {
  return `${database}/${container}`;
}

function rateMinOf(kind: AskedThroughput["kind"]): number {
  return kind === "manual" ? RATE_MIN : AUTOSCALE_MIN;
}

function whyNotCreated({ database, container, key, kind, rate }: Draft): string | undefined {
  if (database.trim() === "") return "Name a database.";
  if (container.trim() === "") return "Name the container.";
  if (key.trim() === "") return "Type a partition key.";
  const rateMin = rateMinOf(kind);
  return Number(rate) >= rateMin ? undefined : `At least ${rateMin} RU/s.`;
}

interface Placed {
  readonly answer?: PlacementAnswer | undefined;
  /** What is wrong with the key. */
  readonly problem?: string | undefined;
}

/** Asks a moment after the last key was pressed; an answer that comes too late is dropped. */
function usePlacement(text: string, key: string, ratePerSecond: number): Placed {
  const { server } = usePage();
  const [placed, setPlaced] = useState<Placed>({});
  useEffect(() => {
    const items = givenItems(text);
    if (key.trim() === "") {
      setPlaced({});
      return undefined;
    }
    // What was wrong with another text is not held against this one.
    setPlaced((now) => (now.problem === undefined ? now : {}));
    let isCurrent = true;
    const cancel = browserTimer.after(TYPING_PAUSE, () => {
      const isEmpty = !items.ok || items.value.length === 0;
      const question = {
        items: isEmpty ? [{ id: "1" }] : items.value.slice(0, SAMPLE_COUNT * 5),
        key: candidateText(key),
        ...(ratePerSecond >= RATE_MIN && { ratePerSecond }),
      };
      void server.change<PlacementAnswer>("POST", "lab/placements", question).then((answer) => {
        if (!isCurrent) return;
        if (!answer.ok) setPlaced({ problem: answer.error.message });
        else setPlaced(isEmpty ? {} : { answer: answer.value });
      });
    });
    return () => {
      isCurrent = false;
      cancel();
    };
  }, [text, key, ratePerSecond]);
  return placed;
}

interface PasteFieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly problem: string | undefined;
}

function PasteField({ value, onInput, problem }: PasteFieldProps): VNode {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class="fieldLabel">
        Items to try the key on
      </label>
      <textarea
        id={id}
        class="input mono pasted"
        rows={5}
        value={value}
        spellcheck={false}
        placeholder="Paste items: one a line, a JSON list, or CSV with a row of names"
        onInput={(event) => onInput(event.currentTarget.value)}
        aria-invalid={problem === undefined ? undefined : "true"}
        aria-describedby={problem === undefined ? undefined : `${id}p`}
      />
      {problem === undefined ? null : (
        <p class="problem" id={`${id}p`}>
          {problem}
        </p>
      )}
    </div>
  );
}
