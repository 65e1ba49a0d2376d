/** The steps of a lifecycle that was started: `pause`, `resume`, `run`, `change` and `stop`. */
import { parseArgs } from "node:util";
import type { LifecycleStep } from "../../model/lifecycle.ts";
import type { LifecycleAnswer } from "../../protocol/admin.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { AdminClient } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS, sameServer } from "../connect/serverOptions.ts";
import { askConsent } from "../terminal/consent.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { entrySections } from "./lifecycleText.ts";
import { SETTING_HELP, SETTING_OPTIONS, settingsOf } from "./options.ts";

type Run = (args: string[], environment: Environment) => Promise<void>;

const COMMON_HELP: string = `  --json                   what the server says as JSON
${SERVER_HELP}`;

export const STEP_HELP: Readonly<Record<LifecycleStep, string>> = {
  pause: `usage: orrery lifecycle pause <id> [options]

Moves nothing more until \`orrery lifecycle resume\`. Items that were not moved stay in the hot
container meanwhile, and do not expire.

${COMMON_HELP}
example: orrery lifecycle pause 2-l1
`,
  resume: `usage: orrery lifecycle resume <id> [options]

Goes on where a paused lifecycle was, with a round at once.

${COMMON_HELP}
example: orrery lifecycle resume 2-l1
`,
  run: `usage: orrery lifecycle run <id> [options]

Begins a round now instead of waiting for the interval.

${COMMON_HELP}
example: orrery lifecycle run 2-l1
`,
  change: `usage: orrery lifecycle change <id> [options]

Changes settings of a lifecycle, at once and for good. With a longer age, what was moved already
stays in warm; with another date, all items are looked at again.

${SETTING_HELP}${COMMON_HELP}
examples: orrery lifecycle change 2-l1 --age 60d
          orrery lifecycle change 2-l1 --interval 5m --share 20
`,
  stop: `usage: orrery lifecycle stop <id> --yes [options]

Ends a lifecycle for good. Items that were moved still leave the hot container by their short ttl.
All others stay in it, are not moved any more, and expire by the ttl of the hot container, whether
or not they are due. Both containers stay.

  --yes                    do not ask
${COMMON_HELP}
example: orrery lifecycle stop 2-l1 --yes
`,
};

const STOP_CONSENT =
  "This ends the lifecycle for good. What was not moved stays in the hot container and expires " +
  "by its ttl.";

const OPTIONS = {
  ...SERVER_OPTIONS,
  ...SETTING_OPTIONS,
  yes: { type: "boolean" },
  json: { type: "boolean" },
} as const;

export function lifecycleStep(step: LifecycleStep): Run {
  return async (args, environment) => {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    if (values.help === true) {
      process.stdout.write(STEP_HELP[step]);
      return;
    }
    const [id, extra] = positionals;
    if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
    if (id === undefined || id === "") {
      throw new BadOption(
        `Name the lifecycle: \`orrery lifecycle ${step} <id>\`. \`orrery lifecycle status\` ` +
          "lists them.",
      );
    }
    const settings = settingsOf(values);
    checkSettings(step, settings);
    if (step === "stop") await askConsent(STOP_CONSENT, values.yes === true);
    const client = new AdminClient(accountOf(values, environment));
    try {
      const route = `lifecycles/${encodeURIComponent(id)}/${step}`;
      const body = await client.post<LifecycleAnswer>(route, settings);
      if (values.json === true) process.stdout.write(`${JSON.stringify(body)}\n`);
      else {
        const table = new LiveTable(process.stdout, environment);
        table.print(entrySections(body.lifecycle, sameServer(values)));
      }
    } finally {
      client.close();
    }
  };
}

function checkSettings(step: LifecycleStep, settings: object): void {
  const isEmpty = Object.keys(settings).length === 0;
  if (step === "change" && isEmpty) {
    throw new BadOption("Say what is to change, such as --age 60d.");
  }
  if (step !== "change" && !isEmpty) {
    throw new BadOption(`Settings are changed by \`orrery lifecycle change\`, not by ${step}.`);
  }
}
