/** `orrery merge`: merges two neighbouring physical partitions, or says which would be worth it. */

import { parseArgs } from "node:util";
import { shortBytesText } from "../../base/wording.ts";
import type { JobAnswer, MergeQuestion, MergeSuggestionsAnswer } from "../../protocol/admin.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import type { ContainerName, Environment } from "../connect/serverOptions.ts";
import { accountOf, containerOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { LiveTable, numberText } from "../terminal/liveTable.ts";
import { followJob } from "./split.ts";

export const MERGE_HELP: string = `usage: orrery merge <db>/<container> <range id> <range id>
       orrery merge <db>/<container> --suggest

Merges two physical partitions whose keys lie side by side, while reads and writes go on.

  --suggest                only say which merges would be worth it
${SERVER_HELP}\
Ends with 0 when they are merged, with 1 when they could not be, with 2 when an option makes no
sense. Ending the command does not end the merge.
`;

export async function runMerge(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...SERVER_OPTIONS, suggest: { type: "boolean" } },
  });
  if (values.help === true) {
    process.stdout.write(MERGE_HELP);
    return;
  }
  const [named, ...ids] = positionals;
  const name = containerOf(named);
  const isSuggest = values.suggest === true;
  const question = isSuggest ? undefined : questionOf(ids);
  if (isSuggest && ids.length > 0) {
    throw new BadOption("With --suggest no range ids are given: it says which.");
  }
  const client = new AdminClient(accountOf(values, environment));
  try {
    if (question === undefined) await suggest(client, name, environment);
    else {
      const { job } = await client.post<JobAnswer>(routeOf(name, "merge"), question);
      await followJob(client, job, environment);
    }
  } finally {
    client.close();
  }
}

function questionOf([first, second, ...rest]: readonly string[]): MergeQuestion {
  if (first === undefined || second === undefined || rest.length > 0) {
    throw new BadOption("Give the range ids of two neighbours, or --suggest.");
  }
  return { partitionIds: [first, second] };
}

async function suggest(
  client: AdminClient,
  name: ContainerName,
  environment: Environment,
): Promise<void> {
  const route = routeOf(name, "mergeSuggestions");
  const { suggestions } = await client.get<MergeSuggestionsAnswer>(route);
  if (suggestions.length === 0) {
    process.stdout.write("No merge would be worth it.\n");
    return;
  }
  const rows = suggestions.map(({ partitionIds, itemBytes, allottedRate }) => ({
    cells: {
      merge: partitionIds.join(" and "),
      size: shortBytesText(itemBytes),
      "RU/s": numberText(allottedRate),
    },
  }));
  const table = new LiveTable(process.stdout, environment);
  const reasons = suggestions.map(
    ({ partitionIds, reason }) => `${partitionIds.join(" and ")}: ${reason}`,
  );
  table.print([
    { kind: "table", rows, right: ["size", "RU/s"] },
    { kind: "lines", lines: ["", ...reasons] },
  ]);
}
