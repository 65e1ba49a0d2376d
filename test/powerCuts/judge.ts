/**
 * Opens data directories as power cuts have left them, one after the other, each for its parent
 * process: a damaged file may end this one, and that is a finding, too.
 *
 * A directory is right if the check finds no damage, the account opens, every item has a version it
 * may have, every accepted job is known, the next write is taken, and a second check after that
 * finds no damage either.
 */
import { readdirSync } from "node:fs";
import type { Account } from "../../src/engine/account.ts";
import { objectOf } from "../../src/engine/item/itemBody.ts";
import { HIGH_CALLER } from "../../src/model/caller.ts";
import { WHOLE_RANGE } from "../../src/partition/epkRange.ts";
import { checkData } from "../../src/server/admin/backupCheck.ts";
import type { Expectation, Version } from "./ledger.ts";
import { versionOf } from "./ledger.ts";
import { containerIn, makeContainers, openSubject } from "./subject.ts";

export interface Question {
  readonly directory: string;
  readonly expectation: Expectation;
}

export interface Verdict {
  readonly problem?: string | undefined;
}

process.on("message", (question: Question) => {
  judge(question).then(
    (problem) => process.send!({ problem }),
    (error: unknown) => process.send!({ problem: String(error) }),
  );
});

async function judge({ directory, expectation }: Question): Promise<string | undefined> {
  if (expectation.isReady) {
    const damage = await damageIn(directory);
    if (damage !== undefined) return `the check before opening: ${damage}`;
  }
  const { account, close } = await openSubject(directory);
  try {
    const problem = await problemWith(account, expectation);
    if (problem !== undefined) return problem;
  } finally {
    await close();
  }
  const damage = await damageIn(directory);
  return damage && `the check after closing: ${damage}`;
}

async function damageIn(directory: string): Promise<string | undefined> {
  if (readdirSync(directory).length === 0) return "there is nothing";
  const setting = { isQuick: false, onFinding: () => undefined, onProgress: () => undefined };
  const { findings } = await checkData(directory, setting);
  const [damage] = findings.filter(({ kind }) => kind === "damage");
  return damage && `${damage.place}: ${damage.text}`;
}

async function problemWith(
  account: Account,
  { isReady, versions, jobIds }: Expectation,
): Promise<string | undefined> {
  if (isReady) {
    const found = await itemsIn(account);
    for (const [name, allowed] of versions) {
      const version = found.get(name) ?? null;
      found.delete(name);
      if (allowed.includes(version)) continue;
      return `${name} is version ${version}, acknowledged or under way are ${allowed.join(", ")}`;
    }
    if (found.size > 0) return `${[...found.keys()].join(", ")} were never written`;
    const known = new Set(account.reshaping.jobs.map(({ id }) => id));
    const lost = jobIds.filter((id) => !known.has(id));
    if (lost.length > 0) return `jobs ${lost.join(", ")} were accepted and are forgotten`;
  } else if (containerIn(account, "plain") === undefined) {
    // Half of the containers may be there; then so is the database, and all is well.
    if (account.catalog.database("d") === undefined) await makeContainers(account);
  }
  return writeOne(account);
}

async function itemsIn(account: Account): Promise<Map<string, Version>> {
  const found = new Map<string, Version>();
  const scope = { range: WHOLE_RANGE, order: "creation" } as const;
  for (const id of ["plain", "kept"]) {
    let position: Parameters<Account["readItems"]>[1]["position"];
    do {
      const container = containerIn(account, id)!;
      const page = await account.readItems(container, { scope, position, countMax: 100 });
      if (!page.ok) throw new Error(`a feed was refused: ${JSON.stringify(page.error)}`);
      for (const body of page.value.bodies) {
        const item = objectOf(body);
        found.set(`${id}/${item["id"]}`, versionOf(item) ?? -1);
      }
      position = page.value.next;
    } while (position !== undefined);
  }
  return found;
}

async function writeOne(account: Account): Promise<string | undefined> {
  const container = containerIn(account, "plain");
  if (container === undefined) return undefined;
  const body = { id: "after", pk: "the cut" };
  const written = account.writeItem(
    container,
    { kind: "upsert", key: [body.pk], body },
    HIGH_CALLER,
  );
  const outcome = written.ok ? await written.value : undefined;
  const isTaken = outcome !== undefined && outcome.kind !== "refused";
  return isTaken ? undefined : `the next write is refused: ${JSON.stringify(outcome)}`;
}
