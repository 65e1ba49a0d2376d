/** `orrery lifecycle archive`: puts old logical partitions away in files, and looks at archives. */
import { parseArgs } from "node:util";
import { BadOption } from "../../server/surroundings/options.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { containerOf } from "../connect/serverOptions.ts";
import { askConsent } from "../terminal/consent.ts";
import { runArchiveJob } from "./followJob.ts";
import { ARCHIVE_HELP } from "./help.ts";
import { listArchives, showArchive } from "./listArchives.ts";
import { ARCHIVE_OPTIONS, archiveQuestionOf, JOB_OPTIONS } from "./options.ts";
import { verifyFolder } from "./verifyFolder.ts";

const OPTIONS = {
  ...JOB_OPTIONS,
  ...ARCHIVE_OPTIONS,
  list: { type: "boolean" },
  show: { type: "string" },
  verify: { type: "string" },
} as const;

type Values = ReturnType<typeof parsed>["values"];

function parsed(args: string[]) {
  return parseArgs({ args, allowPositionals: true, options: OPTIONS });
}

export async function archiveCommand(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parsed(args);
  if (values.help === true) {
    process.stdout.write(ARCHIVE_HELP);
    return;
  }
  const [name, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  const look = lookOf(values);
  if (look === undefined) {
    await archive(name, values, environment);
    return;
  }
  if (name !== undefined && look !== "list") {
    throw new BadOption(`'${name}' is one word too many: --${look} has the archive.`);
  }
  if (look === "verify") await verifyFolder(values.verify!, values.json === true, environment);
  else if (look === "show") await showArchive(values.show!, values, environment);
  else await listArchives(name === undefined ? undefined : containerOf(name), values, environment);
}

const LOOKS = ["list", "show", "verify"] as const;

/** What only looks at archives; everything that makes one is out of place then. */
function lookOf(values: Values): (typeof LOOKS)[number] | undefined {
  const [look, other] = LOOKS.filter((one) => values[one] !== undefined);
  if (look === undefined) return undefined;
  if (other !== undefined) throw new BadOption(`--${look} and --${other} exclude each other.`);
  const making = [...Object.keys(ARCHIVE_OPTIONS), "key", "share", "detach", "yes"];
  const wrong = making.find((option) => values[option as keyof Values] !== undefined);
  if (wrong !== undefined)
    throw new BadOption(`--${wrong} makes an archive; --${look} looks at one.`);
  return look;
}

async function archive(
  name: string | undefined,
  values: Values,
  environment: Environment,
): Promise<void> {
  const container = containerOf(name);
  const question = archiveQuestionOf(values, realClock.wallNow());
  const isDryRun = question.isDryRun === true;
  if (isDryRun && values.detach === true) {
    throw new BadOption("--dry-run tells what it found, so it cannot be left with --detach.");
  }
  if (!isDryRun && question.keep !== true) {
    const about = `This deletes from ${name} what was archived, after every file was read back.`;
    await askConsent(about, values.yes === true);
  }
  await runArchiveJob(container, "archives", question, values, environment);
}
