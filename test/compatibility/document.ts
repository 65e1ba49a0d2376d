/**
 * The text of docs/use/compatibility.md, made from the states that probes were found in.
 *
 * Nothing of it is written by hand except the sentences around the tables, which make no claims
 * about single features.
 */
import { foreignSection } from "./foreignSuites.ts";
import type { Area } from "./probe.ts";
import type { State } from "./runProbe.ts";
import { programmeSection, suiteSection } from "./sdkSections.ts";
import { tableOf } from "./table.ts";

export interface Examined {
  readonly area: Area;
  /** In the order of the area's probes. */
  readonly states: readonly State[];
}

const OPENING = `# Compatibility

What Orrery does of what the service does, found out by asking it. Every row is a conversation
over the wire (\`test/compatibility\`): what a client sends, and what the service answers.
\`npm test\` holds all of them against a running server and fails if this page says anything else;
\`npm run campaign compatibility\` writes it anew. One thing clients do not send: queries come with
\`x-orrery-merge-query: true\`, so that a row is about the language and not about who merges;
those about the service's refusal (400, substatus 1004) come without.

| state            | meaning                                              |
| ---------------- | ---------------------------------------------------- |
| yes              | the answer is the service's                          |
| differs          | how is said, and checked like the rest               |
| without effect   | accepted, and the reason why nothing has to happen   |
| refused (status) | with how the message begins; nothing is done halfway |
`;

export function documentOf(examined: readonly Examined[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of examined.flatMap(({ states }) => states)) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const count = (kind: State["kind"]): number => counts.get(kind) ?? 0;
  const total = [...counts.values()].reduce((sum, one) => sum + one, 0);
  const summary =
    `Of ${total} features ${count("supported")} are as in the service, ${count("different")} differ, ` +
    `${count("idle")} are headers without effect, and ${count("refused")} are refused.\n`;
  const sections = [suiteSection(), programmeSection(), foreignSection()];
  return [OPENING, summary, ...examined.map(sectionOf), ...sections].join("\n");
}

function sectionOf({ area, states }: Examined): string {
  const rows = area.probes.map(({ feature }, index) => [feature, wordsFor(states[index]!)]);
  const about = area.about === "" ? "" : `${area.about}\n\n`;
  return `## ${area.title}\n\n${about}${tableOf(["feature", "state"], rows)}`;
}

function wordsFor(state: State): string {
  switch (state.kind) {
    case "supported":
      return "yes";
    case "idle":
      return `without effect: ${state.why}`;
    case "different":
      return `differs: ${state.says}`;
    case "refused":
      return `refused (${state.status}): ${state.says}`;
  }
}
