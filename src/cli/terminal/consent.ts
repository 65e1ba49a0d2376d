/**
 * Asking before what cannot be taken back. Where nobody sits at a terminal, the consent has to be
 * in the command already: a script that was not meant to do it stops here.
 */
import { createInterface } from "node:readline/promises";
import { BadOption } from "../../server/surroundings/options.ts";
import { CommandFailure } from "./failure.ts";

export async function askConsent(about: string, isGiven: boolean): Promise<void> {
  if (isGiven) return;
  if (process.stdin.isTTY !== true) throw new BadOption(`${about} Add --yes to say that you know.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const said = await terminal.question(`${about} Go on? [y/N] `);
    if (!/^y(es)?$/i.test(said.trim())) throw new CommandFailure("Nothing was done.");
  } finally {
    terminal.close();
  }
}
