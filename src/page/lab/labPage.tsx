/** Lab is not built yet: the page says what it is for, and what does it today. */
import type { VNode } from "preact";
import { Placeholder } from "../parts/placeholder.tsx";

export function LabPage(): VNode {
  return (
    <Placeholder
      question="Lab: which partition key should this container have?"
      commands={[
        [
          "See what is in the data:",
          "orrery lab profile --container CONTAINER --save profile.json",
        ],
        ["Compare keys:", "orrery lab advise --workload workload.yaml --profile profile.json"],
      ]}
    >
      Here you will compare partition keys on your own data, and start the migration to a better
      one.
    </Placeholder>
  );
}
