/** Queries of this browser: what was run on the container and what it cost, and what was saved. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import type { Column } from "../../parts/grid.tsx";
import { Grid } from "../../parts/grid.tsx";
import { amountText } from "../../parts/numbers.ts";
import { Empty } from "../../parts/states.tsx";
import { useTimes } from "../../parts/times.ts";
import { type QueryNote, renamed } from "./queryBook.ts";

interface HistoryViewProps {
  /** Of this container. */
  readonly notes: readonly QueryNote[];
  readonly all: readonly QueryNote[];
  readonly onTake: (text: string) => void;
  readonly onChange: (all: readonly QueryNote[]) => void;
}

export function HistoryView({ notes, all, onTake, onChange }: HistoryViewProps): VNode {
  const { dayText } = useTimes();
  const [naming, setNaming] = useState<QueryNote | undefined>(undefined);
  if (notes.length === 0) {
    return (
      <Empty title="No query was run here yet.">
        Every query stands here with its charge, so that two attempts can be compared. They are kept
        in this browser only.
      </Empty>
    );
  }
  return (
    <>
      <Grid
        label="Queries that were run here"
        columns={columnsFor(dayText, onTake, setNaming)}
        rows={notes.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)))}
        keyOf={({ text }) => text}
        onOpen={({ text }) => onTake(text)}
      />
      <div class="tableFoot">
        <Button
          kind="quiet"
          onPress={() => onChange(all.filter((note) => isNamed(note) || !notes.includes(note)))}
        >
          Forget those that are not saved
        </Button>
      </div>
      {naming === undefined ? null : (
        <NameDialog
          note={naming}
          onClose={() => setNaming(undefined)}
          onName={(name) => {
            onChange(renamed(all, naming, name));
            setNaming(undefined);
          }}
        />
      )}
    </>
  );
}

function columnsFor(
  dayText: (at: number) => string,
  onTake: (text: string) => void,
  onName: (note: QueryNote) => void,
): readonly Column<QueryNote>[] {
  return [
    {
      id: "query",
      title: "Query",
      cell: (note) => (
        <>
          {note.name === undefined ? null : <strong>{note.name} </strong>}
          <code class="cellText">{note.text}</code>
        </>
      ),
    },
    { id: "ru", title: "RU", isNumber: true, cell: ({ ru }) => ru.toFixed(2) },
    { id: "rows", title: "Rows", isNumber: true, cell: ({ rows }) => amountText(rows) },
    { id: "at", title: "When", isSecondary: true, cell: ({ at }) => dayText(at) },
    {
      id: "actions",
      title: "Do",
      cell: (note) => (
        <>
          <Button kind="quiet" onPress={() => onTake(note.text)}>
            Take
          </Button>
          <Button kind="quiet" onPress={() => onName(note)}>
            {note.name === undefined ? "Save…" : "Rename…"}
          </Button>
        </>
      ),
    },
  ];
}

interface NameDialogProps {
  readonly note: QueryNote;
  readonly onClose: () => void;
  readonly onName: (name: string | undefined) => void;
}

function NameDialog({ note, onClose, onName }: NameDialogProps): VNode {
  const [name, setName] = useState(note.name ?? "");
  const save = (): void => onName(name.trim() === "" ? undefined : name.trim());
  return (
    <Dialog
      title="Save the query"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" onPress={save}>
            Save the query
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          help="Without a name it is not kept for good."
        />
      </form>
    </Dialog>
  );
}

function isNamed({ name }: QueryNote): boolean {
  return name !== undefined;
}
