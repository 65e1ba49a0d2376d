/** `orrery lifecycle restore`: writes items of an archive into a container. */
import { parseArgs } from "node:util";
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { containerOf } from "../connect/serverOptions.ts";
import { askConsent } from "../terminal/consent.ts";
import { runArchiveJob } from "./followJob.ts";
import { RESTORE_HELP } from "./help.ts";
import { JOB_OPTIONS, RESTORE_OPTIONS, restoreQuestionOf } from "./options.ts";

export async function restoreCommand(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...JOB_OPTIONS, ...RESTORE_OPTIONS },
  });
  if (values.help === true) {
    process.stdout.write(RESTORE_HELP);
    return;
  }
  const [name, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  const container = containerOf(name);
  const question = restoreQuestionOf(values);
  if (question.overwrite === true) {
    const about = `This replaces items of ${name} that differ from those of the archive.`;
    await askConsent(about, values.yes === true);
  }
  await runArchiveJob(container, "restore", question, values, environment);
}
