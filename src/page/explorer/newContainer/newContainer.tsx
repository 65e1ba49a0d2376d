/**
 * A new container: its names, its key, its throughput. While the key is typed, items that were
 * pasted or taken from another container fall into their partitions, as the engine places them.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { NamedContainer } from "../../../model/copyJob.ts";
import type { OverviewRow } from "../../../protocol/admin.ts";
import type { PlacementAnswer } from "../../../protocol/adminLab.ts";
import { usePage } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import type { Server } from "../../session/server.ts";
import { createContainer, createDatabase } from "../data/dataPlane.ts";
import { candidateText } from "../data/typedKeys.ts";
import { ContainerFields } from "./containerFields.tsx";
import { type ContainerDraft, firstDraft, otherMembers, whyNotCreated } from "./draft.ts";
import { Trial } from "./trial.tsx";
import { usePlacement } from "./usePlacement.ts";

interface NewContainerProps {
  readonly databases: readonly string[];
  readonly containers: readonly OverviewRow[];
  readonly startDatabase: string;
  readonly onClose: () => void;
  readonly onCreated: (about: NamedContainer) => void;
}

export function NewContainer(props: NewContainerProps): VNode {
  const { databases, containers, startDatabase, onClose, onCreated } = props;
  const { server, announcer } = usePage();
  const [draft, setDraft] = useState(() => firstDraft(startDatabase));
  const change = (changes: Partial<ContainerDraft>): void =>
    setDraft((now) => ({ ...now, ...changes }));
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const placed = usePlacement(draft);
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
        <ContainerFields {...{ draft, change, databases, placed, problem }} />
        <Trial {...{ draft, change, containers, placed }} />
      </form>
    </Dialog>
  );
}

/** What went wrong; `undefined` when it is created. */
async function created(
  server: Server,
  draft: ContainerDraft,
  isNewDatabase: boolean,
): Promise<string | undefined> {
  const { database, container, key, kind, rate } = draft;
  const others = otherMembers(draft);
  if (!others.ok) return others.error;
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
  const { paths } = read.value;
  const wanted = { about, paths, throughput, others: others.value };
  const made = await createContainer(server, wanted);
  return made.ok ? undefined : made.error.message;
}
