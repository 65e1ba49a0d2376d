/** Explorer: what is in here, and what does this query cost? A tree, and work on a container. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/wording.ts";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { OverviewAnswer, OverviewRow } from "../../protocol/admin.ts";
import {
  useAdmin,
  useAnswer,
  useCommands,
  usePage,
  useParameter,
  usePlace,
} from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { amountText } from "../parts/numbers.ts";
import { AnswerHead, Panel } from "../parts/panel.tsx";
import { Answered, Empty } from "../parts/states.tsx";
import { containerIn, placeAt } from "../session/place.ts";
import { type AskedChange, AskedDialog } from "./askedDialog.tsx";
import { BulkDelete } from "./bulk/bulkDelete.tsx";
import { ContainerTree } from "./containerTree.tsx";
import { containerPath, readDatabases } from "./data/dataPlane.ts";
import { FeedTail } from "./feed/feedTail.tsx";
import { QueryWork } from "./query/queryWork.tsx";
import { ScriptsView } from "./scripts/scriptsView.tsx";
import { ContainerSettings } from "./settings/containerSettings.tsx";
import { type ContainerView, viewIn } from "./treeMoves.ts";

const OVERVIEW_SECONDS = 10;

export function ExplorerPage(): VNode {
  const { answers, server } = usePage();
  const overview = useAdmin<OverviewAnswer>("overview", OVERVIEW_SECONDS);
  const databases = useAnswer<readonly string[]>("databases", () => readDatabases(server));
  return (
    <Answered
      of={overview}
      loading="Reading the databases."
      onRetry={() => answers.urge("overview")}
    >
      {({ containers }) => <Shown containers={containers} databases={databases.value ?? []} />}
    </Answered>
  );
}

interface ShownProps {
  readonly containers: readonly OverviewRow[];
  readonly databases: readonly string[];
}

function Shown({ containers, databases }: ShownProps): VNode {
  const { router, answers } = usePage();
  const place = usePlace();
  const [asked, setAsked] = useAsked();
  const about = containerIn(place);
  const row = containers.find(
    ({ database, container }) => database === about?.database && container === about.container,
  );
  const renew = (): void => {
    for (const key of ["overview", "databases", "containers"]) answers.urge(key);
  };
  const open = (next: NamedContainer, view: ContainerView = ""): void => {
    const to = placeAt("explorer", next);
    router.go(view === "" ? to : { ...to, segments: [...to.segments, view] });
  };
  const view = viewIn(place.segments);
  const shown = { containers, databases };
  return (
    <>
      <AnswerHead
        question="Explorer: what is in here, and what does this query cost?"
        answer={answerFor(containers, row)}
        tools={<NewButtons isEmpty={containers.length === 0} onAsk={setAsked} />}
      />
      <div class="explorerPanes">
        <div class="treePane" data-pane>
          <Panel title="Databases" isBare>
            {databases.length === 0 && containers.length === 0 ? (
              <Empty title="There is no database yet.">
                A container is made with its database in one step: New container.
              </Empty>
            ) : (
              <ContainerTree {...shown} picked={about} view={view} onPick={open} />
            )}
            <TreeFoot {...shown} about={row} onAsk={setAsked} />
          </Panel>
        </div>
        <div class="workPane" data-pane>
          {row === undefined ? (
            <NothingPicked
              about={about}
              isEmpty={containers.length === 0}
              onNew={() => setAsked({ kind: "newContainer" })}
            />
          ) : (
            <ContainerWork key={`${row.database}/${row.container}`} {...{ row, view, renew }} />
          )}
        </div>
      </div>
      <AskedDialog
        {...shown}
        asked={asked}
        startDatabase={about?.database ?? databases[0] ?? ""}
        onClose={() => setAsked(undefined)}
        onChanged={renew}
        onCreated={open}
      />
    </>
  );
}

/** What is begun stands in the address, so that other pages can lead to it. */
const BEGUN = { newContainer: "container", newDatabase: "database", nothing: "" } as const;

function useAsked(): readonly [AskedChange | undefined, (next: AskedChange | undefined) => void] {
  const [deleting, setDeleting] = useState<AskedChange | undefined>(undefined);
  const [begun, setBegun] = useParameter("new", "");
  const ask = (next: AskedChange | undefined): void => {
    setDeleting(next?.kind === "delete" ? next : undefined);
    if (next?.kind === "delete") return;
    // Back closes what was opened; closing it is no step to go back to.
    setBegun(BEGUN[next?.kind ?? "nothing"], { isStep: next !== undefined });
  };
  return [begunIn(begun) ?? deleting, ask];
}

function begunIn(begun: string): AskedChange | undefined {
  if (begun === BEGUN.newContainer) return { kind: "newContainer" };
  return begun === BEGUN.newDatabase ? { kind: "newDatabase" } : undefined;
}

interface ContainerWorkProps {
  readonly row: OverviewRow;
  readonly view: ContainerView;
  readonly renew: () => void;
}

function ContainerWork({ row, view, renew }: ContainerWorkProps): VNode {
  switch (view) {
    case "settings":
      return <ContainerSettings row={row} onChanged={renew} />;
    case "scripts":
      return <ScriptsView row={row} />;
    case "feed":
      return <FeedTail row={row} />;
    case "delete":
      return <BulkDelete row={row} onChanged={renew} />;
    case "":
      return <QueryWork row={row} onChanged={renew} />;
  }
}

interface NewButtonsProps {
  readonly isEmpty: boolean;
  readonly onAsk: (asked: AskedChange) => void;
}

function NewButtons({ isEmpty, onAsk }: NewButtonsProps): VNode {
  const newDatabase = (): void => onAsk({ kind: "newDatabase" });
  const newContainer = (): void => onAsk({ kind: "newContainer" });
  useCommands([
    { id: "newContainer", title: "New container…", group: "Explorer", run: newContainer },
    { id: "newDatabase", title: "New database…", group: "Explorer", run: newDatabase },
  ]);
  return (
    <>
      <Button onPress={newDatabase}>New database…</Button>
      <Button kind={isEmpty ? "primary" : "plain"} onPress={newContainer}>
        New container…
      </Button>
    </>
  );
}

function answerFor(containers: readonly OverviewRow[], row: OverviewRow | undefined): string {
  if (row !== undefined) {
    const { itemCount, partitionCount, partitionKeyPaths } = row;
    const places = partitionCount === 1 ? "partition" : "partitions";
    const items = itemCount === 1 ? "1 item" : `${amountText(itemCount)} items`;
    return `${items} by ${partitionKeyPaths.join(", ")}, on ${partitionCount} physical ${places}.`;
  }
  if (containers.length === 0) return "There is nothing in here yet.";
  return `${counted(containers.length, "container")}; pick one to look into it.`;
}

interface NothingPickedProps {
  readonly about: NamedContainer | undefined;
  readonly isEmpty: boolean;
  readonly onNew: () => void;
}

function NothingPicked({ about, isEmpty, onNew }: NothingPickedProps): VNode {
  return (
    <Panel title="Items">
      {about !== undefined ? (
        <Empty title={`There is no container ${about.database}/${about.container}.`}>
          It may have been deleted, or not be there yet. Pick another one in the tree.
        </Empty>
      ) : isEmpty ? (
        <Empty
          title="Begin with a container."
          action={<Button onPress={onNew}>Choose a key and make a container…</Button>}
        >
          Paste a few items or take examples, type a key, and see where they would lie before
          anything is made.
        </Empty>
      ) : (
        <Empty title="Pick a container in the tree.">
          Its items are asked for here, with what each query costs on every physical partition.
        </Empty>
      )}
    </Panel>
  );
}

interface TreeFootProps extends ShownProps {
  readonly about: OverviewRow | undefined;
  readonly onAsk: (asked: AskedChange) => void;
}

/** A database is deleted once it is empty: nobody loses containers that are folded away. */
function TreeFoot({ databases, containers, about, onAsk }: TreeFootProps): VNode {
  const onDelete = (path: string, name: string): void => onAsk({ kind: "delete", path, name });
  const empty = databases.filter((name) => !containers.some(({ database }) => database === name));
  return (
    <div class="treeFoot">
      {about === undefined ? null : (
        <Button
          kind="quiet"
          onPress={() =>
            onDelete(containerPath(about), `the container ${about.database}/${about.container}`)
          }
        >
          Delete {about.container}…
        </Button>
      )}
      {empty.map((name) => (
        <Button
          key={name}
          kind="quiet"
          onPress={() => onDelete(`/dbs/${encodeURIComponent(name)}`, `the database ${name}`)}
        >
          Delete the empty database {name}…
        </Button>
      ))}
    </div>
  );
}
