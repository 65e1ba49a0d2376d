/** What the explorer asks before it changes databases and containers: new ones, and deletions. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { OverviewRow } from "../../protocol/admin.ts";
import { usePage } from "../control/page.ts";
import { Confirm } from "../parts/dialog.tsx";
import { deleteAt } from "./data/dataPlane.ts";
import { NewContainer } from "./newContainer/newContainer.tsx";
import { NewDatabase } from "./newDatabase.tsx";

export type AskedChange =
  | { readonly kind: "newDatabase" | "newContainer" }
  | { readonly kind: "delete"; readonly path: string; readonly name: string };

interface AskedDialogProps {
  readonly asked: AskedChange | undefined;
  readonly databases: readonly string[];
  readonly containers: readonly OverviewRow[];
  readonly startDatabase: string;
  readonly onClose: () => void;
  readonly onChanged: () => void;
  readonly onCreated: (about: NamedContainer) => void;
}

export function AskedDialog(props: AskedDialogProps): VNode | null {
  const { asked, onClose, onChanged, onCreated } = props;
  const done = (): void => {
    onClose();
    onChanged();
  };
  switch (asked?.kind) {
    case undefined:
      return null;
    case "newDatabase":
      return <NewDatabase onClose={onClose} onCreated={done} />;
    case "newContainer":
      return (
        <NewContainer
          databases={props.databases}
          containers={props.containers}
          startDatabase={props.startDatabase}
          onClose={onClose}
          onCreated={(made) => {
            done();
            onCreated(made);
          }}
        />
      );
    case "delete":
      return <DeleteAsked {...asked} onClose={onClose} onDeleted={onChanged} />;
  }
}

interface DeleteAskedProps {
  readonly path: string;
  readonly name: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeleteAsked({ path, name, onClose, onDeleted }: DeleteAskedProps): VNode {
  const { server, announcer } = usePage();
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const remove = async (): Promise<void> => {
    const answer = await deleteAt(server, path);
    if (!answer.ok) {
      setProblem(answer.error.message);
      return;
    }
    announcer.say(`Deleted ${name}.`);
    onDeleted();
    onClose();
  };
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      isDangerous
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>Everything in it is deleted with it. This cannot be undone, except from a backup.</p>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </Confirm>
  );
}
