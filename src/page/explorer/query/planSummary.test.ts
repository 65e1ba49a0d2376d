/** The plan in a sentence: what the index did, and what was done with the items. */
import { expect, test } from "vitest";
import type { Explained, PlanStep } from "./explained.ts";
import { planSummary } from "./planSummary.ts";

function says(plan: PlanStep, partitions: readonly string[] = ["0"]): string {
  return planSummary({ plan, work: { partitions } as unknown as Explained["work"] });
}

const lookup = (path: string, used = true) => ({ path, condition: "=", used });
const access = (more: object): PlanStep => ({ step: "access", read: "index", ...more });
const filter = (of: PlanStep): PlanStep => ({ step: "filter", condition: "…", of });

test.each<[string, string]>([
  [says(access({ read: "scan" })), "Every item was read. It was asked of 1 physical partition."],
  [
    says(filter(access({ read: "scan", scope: "placement" }))),
    "Every item of the logical partition was read. The filter was tried on each, because no index " +
      "answers it. It was asked of 1 physical partition.",
  ],
  [
    says({ step: "sort", of: filter(access({ lookups: [lookup("/a"), lookup("/b", false)] })) }, [
      "0",
      "1",
    ]),
    "The index found the items by `/a =`; `/b =` was checked on each of them. It was asked of 2 " +
      "physical partitions. Rows were then sorted.",
  ],
  [
    says(filter(access({ lookups: [{ or: [lookup("/a"), lookup("/b"), lookup("/a")] }] }))),
    "The index found the items by `/a =` and `/b =`. It was asked of 1 physical partition.",
  ],
  [
    says({ step: "aggregate", of: access({ read: "index only" }) }),
    "The index had the answer, and no item was read. It was asked of 1 physical partition. Rows " +
      "were then added up.",
  ],
  [
    says(filter(access({ read: "order by composite index", order: ["/a ASC", "/b DESC"] }))),
    "Items were read in the order of /a ASC, /b DESC from the composite index, so none had to be " +
      "sorted. The filter was tried on each. It was asked of 1 physical partition.",
  ],
  [says({ step: "constant" }), "The answer needed no item."],
])("%s", (said, wanted) => {
  expect(said).toBe(wanted);
});
