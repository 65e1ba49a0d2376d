/** The settings of a container: what can be changed of it, and what is fixed for life. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { OverviewRow } from "../../../protocol/admin.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import { useAnswer, usePage } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Link } from "../../parts/link.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Answered } from "../../parts/states.tsx";
import { placeAt } from "../../session/place.ts";
import { containerPath, deleteAt } from "../data/dataPlane.ts";
import type { Definition } from "./definitionDraft.ts";
import { Policies } from "./policies.tsx";
import { Rate } from "./rate.tsx";

interface Held {
  readonly definition: Definition;
  readonly offer: Definition | undefined;
  /** Percent of re-indexing that is done. */
  readonly progress: number;
}
const EVERY_SECONDS = 5;

interface Props {
  readonly row: OverviewRow;
  readonly onChanged: () => void;
}

export function ContainerSettings({ row, onChanged }: Props): VNode {
  const { server, answers } = usePage();
  const key = `definition ${row.database}/${row.container}`;
  const held = useAnswer<Held>(
    key,
    async () => {
      const headers = { [HEADER.populateQuota]: "true" };
      const read = await server.data({ method: "GET", path: containerPath(row), headers });
      if (!read.ok) return read;
      const offers = await server.data({ method: "GET", path: "/offers" });
      if (!offers.ok) return offers;
      const definition = JSON.parse(read.value.text) as Definition;
      const list = (JSON.parse(offers.value.text) as { Offers: readonly Definition[] }).Offers;
      const offer = list.find((each) => each["offerResourceId"] === definition["_rid"]);
      const progress = Number(read.value.headers.get(HEADER.indexProgress) ?? 100);
      return { ok: true, value: { definition, offer, progress } };
    },
    EVERY_SECONDS,
  );
  return (
    <Answered of={held} loading="Reading the settings." onRetry={() => answers.urge(key)}>
      {(value) => (
        <div class="stack">
          <Rate row={row} offer={value.offer} onSaved={() => answers.urge(key)} />
          <Policies
            row={row}
            newest={value.definition}
            progress={value.progress}
            onSaved={() => answers.urge(key)}
          />
          <Fixed row={row} definition={value.definition} onChanged={onChanged} />
        </div>
      )}
    </Answered>
  );
}

interface FixedProps extends Props {
  readonly definition: Definition;
}

function Fixed({ row, definition, onChanged }: FixedProps): VNode {
  const { server, router } = usePage();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const remove = async (): Promise<void> => {
    const answer = await deleteAt(server, containerPath(row));
    if (!answer.ok) {
      setProblem(answer.error.message);
      return;
    }
    router.go(placeAt("explorer"));
    onChanged();
  };
  const names = ["_rid", "uniqueKeyPolicy", "conflictResolutionPolicy"];
  return (
    <Panel title="Fixed for life">
      <div class="stack tight">
        <p>
          Partition key <code>{row.partitionKeyPaths.join(", ")}</code>: it cannot be changed.{" "}
          <Link to={placeAt("lab", row)}>Compare keys in the Lab</Link>, or{" "}
          <Link to={placeAt("jobs")}>copy to a new key</Link>.
        </p>
        {names.map((name) => (
          <p key={name} class="small">
            {name}: <code>{JSON.stringify(definition[name]) ?? "none"}</code>
          </p>
        ))}
        <div class="tools">
          <Button kind="danger" onPress={() => setTyped("")}>
            Delete the container…
          </Button>
        </div>
        {typed === undefined ? null : (
          <Dialog
            title={`Delete ${row.database}/${row.container}?`}
            onClose={() => setTyped(undefined)}
            foot={
              <Button
                kind="danger"
                whyNot={typed === row.container ? undefined : "Type its name."}
                onPress={() => void remove()}
              >
                Delete the container
              </Button>
            }
          >
            <TextField
              label={`Type ${row.container} to delete it with all its items`}
              value={typed}
              onInput={setTyped}
              problem={problem}
            />
          </Dialog>
        )}
      </div>
    </Panel>
  );
}
