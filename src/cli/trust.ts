/** `orrery trust`: how clients are told to trust the server's authority; installs it if asked. */
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { BadOption } from "../server/surroundings/options.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { SERVER_HELP, SERVER_OPTIONS } from "./connect/serverOptions.ts";
import { CommandFailure } from "./terminal/failure.ts";
import type { TrustedAuthority } from "./trust/authority.ts";
import { authorityOf } from "./trust/authority.ts";
import type { StoreSystem } from "./trust/systemStore.ts";
import { installAuthority, removeAuthorities, systemCommands } from "./trust/systemStore.ts";
import { languageLines, linesText, otherLines } from "./trust/trustLines.ts";

export const TRUST_HELP: string = `usage: orrery trust [options]

A server signs its certificate by an authority of its own, which clients have to trust once. Prints
what programs in each language are told, and how the whole system trusts it. Changes nothing unless
told so.

  --ca <file>              the authority's certificate, in PEM
  --data <directory>       or that of this data directory (default: ./.orrery, if it has one, or
                           else that of the running server)
  --out <file>             where the certificate of a running server is written (default:
                           orrery-ca.pem)
  --install                put it into the system's store; on Linux, where this user may. Elsewhere
                           it says the command. Whoever can read ca.key can then pose as all sites
                           to programs of this machine
  --remove                 take all that --install has put there away again
${SERVER_HELP}\
Ends with 0 when it was told or done, with 1 when it could not be done, with 2 when an option makes
no sense.
`;

export async function runTrust(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...SERVER_OPTIONS,
      ca: { type: "string" },
      data: { type: "string" },
      out: { type: "string" },
      install: { type: "boolean" },
      remove: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(TRUST_HELP);
    return;
  }
  if (values.install === true && values.remove === true) {
    throw new BadOption("--install and --remove exclude each other.");
  }
  if (values.ca !== undefined && values.data !== undefined) {
    throw new BadOption("--ca and --data exclude each other.");
  }
  if (values.remove === true) {
    tell(removeAuthorities(REAL_SYSTEM));
    return;
  }
  const authority = await authorityOf(values, environment);
  if (values.install !== true) {
    process.stdout.write(trustText(authority, REAL_SYSTEM));
    return;
  }
  if (!authority.isOwn) {
    throw new CommandFailure(
      "It came from another machine, and is not installed unseen. Compare its fingerprint there " +
        `and here (orrery trust --ca ${authority.path}), and then: orrery trust --ca ` +
        `${authority.path} --install`,
    );
  }
  tell(installAuthority(REAL_SYSTEM, authority.path, authority.pem));
}

export function trustText({ path, pem }: TrustedAuthority, system: StoreSystem): string {
  const { fingerprint256, validTo, subject } = new X509Certificate(pem);
  return `The authority that clients have to trust:

  file         ${path}
  name         ${subject.replaceAll("\n", ", ")}
  SHA-256      ${fingerprint256}
  valid until  ${validTo}

One program, by its language:

${linesText([...languageLines(path), ...otherLines(path)], "  ")}
The Python client checks no certificate on localhost and 127.0.0.1. Where a variable cannot be set:
CosmosClient(…, connection_verify=path).

All programs of this system that go by its store (.NET, Go, curl, browsers; not Node and Java):

${systemCommands(system, path, pem)}
\`orrery trust --install\` does this where it may; \`--remove\` takes it back.
`;
}

function tell({ isDone, text }: { readonly isDone: boolean; readonly text: string }): void {
  process[isDone ? "stdout" : "stderr"].write(text);
  if (!isDone) process.exitCode = 1;
}

const REAL_SYSTEM: StoreSystem = {
  platform: process.platform,
  isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  list: (folder) => readdirSync(folder),
  write: (path, text) => writeFileSync(path, text, { mode: 0o644 }),
  remove: (path) => rmSync(path),
  run: ([tool, ...args]) => {
    const { status, error, stderr } = spawnSync(tool, args, { encoding: "utf8" });
    if (error !== undefined) return error.message;
    return status === 0 ? undefined : `${tool} said: ${stderr.trim() || `code ${status}`}`;
  },
};
