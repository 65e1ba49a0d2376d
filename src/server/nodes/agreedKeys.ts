/**
 * The account keys of servers that share a database are in that database, so that a key that one
 * of them has made counts wherever clients go. What a server had kept in its directory before
 * becomes the first of them.
 */
import type { NodeBook } from "../../store/postgres/nodeBook.ts";
import type { AccountKeysSetting, Keys } from "../access/accountKeys.ts";
import { AccountKeys, keysKeptIn, keysOf } from "../access/accountKeys.ts";
import { BadOption } from "../surroundings/options.ts";

const NAME = "accountKeys";

type AgreedSetting = AccountKeysSetting & { readonly directory: string };

export async function openAgreedKeys(book: NodeBook, setting: AgreedSetting): Promise<AccountKeys> {
  const { options, mayUseWellKnown, directory, random } = setting;
  const before = keysKeptIn(directory);
  const needsFirst = options.key === undefined && before.primary === undefined && !mayUseWellKnown;
  const first = { ...before, ...(needsFirst && { primary: AccountKeys.newKey(random) }) };
  const agreed = await book.propose(NAME, bytesOf(first));
  const known = keysIn(agreed);
  // The first of the nodes may have been one that needed no key of its own.
  const kept = needsFirst && known.primary === undefined ? { ...known, ...first } : known;
  const keep = (keys: Keys): Promise<void> => book.agreeAnew(NAME, bytesOf(keys));
  if (kept !== known) await keep(kept);
  return new AccountKeys({ ...setting, shared: { kept, keep } });
}

/** Takes over what another server may have made. */
export async function renewKeys(book: NodeBook, keys: AccountKeys): Promise<void> {
  const agreed = await book.agreedOn(NAME);
  if (agreed !== undefined) keys.takeOver(keysIn(agreed));
}

function keysIn(agreed: Buffer): Keys {
  const keys = keysOf(agreed.toString());
  if (keys !== undefined) return keys;
  throw new BadOption(
    "The account keys in the database are damaged: the value of accountKeys in the table agreed " +
      "is no JSON object of account keys. Put back a copy of it, or delete the row: then the " +
      "keys in it are gone.",
  );
}

function bytesOf(keys: Keys): Buffer {
  return Buffer.from(JSON.stringify(keys));
}
