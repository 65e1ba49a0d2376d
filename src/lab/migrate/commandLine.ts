/** The `orrery copy` that asks for a job, as somebody would type it. */
import type { CopyQuestion, NamedContainer } from "../../model/copyJob.ts";

interface CommandTerms {
  /** Where the indexing policy is written, if the job has one of its own. */
  readonly policyFile: string;
  /** Undefined: the usual one. */
  readonly endpoint: string | undefined;
}

export function copyCommandLine(question: CopyQuestion, terms: CommandTerms): string {
  const { source, target, key, keyProperties, definition, throughput, mode, switchBy } = question;
  const words = ["orrery", "copy", containerText(source), containerText(target)];
  if (key !== undefined) words.push("--key", key.join(","));
  for (const property of keyProperties ?? []) words.push("--key-property", property);
  if (definition !== undefined) words.push("--index-policy", terms.policyFile);
  if (throughput?.kind === "manual") words.push("--throughput", String(throughput.ratePerSecond));
  if (throughput?.kind === "autoscale") words.push("--autoscale", String(throughput.ratePerSecond));
  if (mode === "online") words.push("--online");
  if (switchBy === "names") words.push("--swap");
  if (terms.endpoint !== undefined) words.push("--endpoint", terms.endpoint);
  return words.map(shellWord).join(" ");
}

export function containerText({ database, container }: NamedContainer): string {
  return `${database}/${container}`;
}

/** What a shell would take apart or replace is quoted. */
function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
