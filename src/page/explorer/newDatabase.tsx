/** A new, empty database. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { createDatabase } from "./data/dataPlane.ts";

interface NewDatabaseProps {
  readonly onClose: () => void;
  readonly onCreated: (database: string) => void;
}

export function NewDatabase({ onClose, onCreated }: NewDatabaseProps): VNode {
  const { server, announcer } = usePage();
  const [id, setId] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const whyNot = id.trim() === "" ? "Name the database." : undefined;
  const create = async (): Promise<void> => {
    const made = await createDatabase(server, id);
    if (!made.ok) {
      setProblem(made.error.message);
      return;
    }
    announcer.say(`Created the database ${id}.`);
    onCreated(id);
  };
  return (
    <Dialog
      title="New database"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" whyNot={whyNot} onPress={() => void create()}>
            Create the database
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (whyNot === undefined) void create();
        }}
      >
        <TextField label="Database id" value={id} onInput={setId} problem={problem} />
      </form>
    </Dialog>
  );
}
