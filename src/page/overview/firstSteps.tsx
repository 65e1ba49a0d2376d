/** The overview of a server without containers: what would be here, and how to get it. */
import type { VNode } from "preact";
import { usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { CodeRow } from "../parts/codeBox.tsx";
import { CopyButton } from "../parts/copyButton.tsx";
import { Link } from "../parts/link.tsx";
import { Panel } from "../parts/panel.tsx";
import { placeAt } from "../session/place.ts";

const COMMANDS: readonly (readonly [about: string, command: string])[] = [
  [
    "Import a file of items from the command line, and make the container for it:",
    "orrery import shop/orders orders.ndjson --create --partition-key /customerId",
  ],
  ["See a hot partition form in a server of its own:", "orrery demo hot-partition --open"],
];

const NEW_CONTAINER = placeAt("explorer", undefined, { new: "container" });

export function FirstSteps(): VNode {
  const { router } = usePage();
  return (
    <Panel title="Begin here">
      <p>
        Every container will stand here with its size, its rate, how busy its busiest physical
        partition is beside the whole, and what is wrong with it.
      </p>
      <p>
        <Button kind="primary" onPress={() => router.go(NEW_CONTAINER)}>
          Choose a key and make a container…
        </Button>
      </p>
      <p class="small">
        With items of yours or with example orders: you see where they would lie before anything is
        made.
      </p>
      {COMMANDS.map(([about, command]) => (
        <CodeRow key={command} about={about} code={command}>
          <CopyButton text={command} what="the command" />
        </CodeRow>
      ))}
      <p>
        Or connect a program:{" "}
        <Link to={placeAt("settings")}>the connection string is in Settings</Link>.
      </p>
    </Panel>
  );
}
