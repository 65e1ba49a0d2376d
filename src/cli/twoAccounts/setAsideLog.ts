/**
 * Items that cannot be copied: written down with their reason, one line each, as they come up. What
 * is not to be set aside ends the copy, and so does one too many.
 */
import { appendFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import type { CopyQuestion, SetAsideItem, Setback } from "../../model/copyJob.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import { CommandFailure } from "../terminal/failure.ts";

interface LeftItem {
  readonly item: JsonObject;
  readonly key: PartitionKey;
  readonly newKey?: PartitionKey | undefined;
  readonly code: SetAsideItem["code"];
  readonly reason: string;
}

const COUNT_MAX = 100;

export class SetAsideLog {
  readonly #file: string | undefined;
  readonly #question: CopyQuestion;
  readonly #job: string;
  readonly #wallNow: () => number;
  count: number;

  /** `count` is what earlier runs have set aside. */
  constructor(
    file: string | undefined,
    question: CopyQuestion,
    { job, count, wallNow }: { job: string; count: number; wallNow: () => number },
  ) {
    this.#file = file;
    this.#question = question;
    this.#job = job;
    this.#wallNow = wallNow;
    this.count = count;
  }

  /** Throws when that is the end. */
  add({ item, key, newKey, code, reason }: LeftItem): void {
    const id = String(property(item, "id"));
    if (this.#setbackFor(code) === "stop") {
      throw new CommandFailure(
        `Stopped at item ${JSON.stringify(id)} with key ${JSON.stringify(shown(key))}: ` +
          `${reason}. ${ADVICE[code]} The source is as it was.`,
      );
    }
    const line: SetAsideItem = {
      job: this.#job,
      id,
      key: shown(key),
      ...(newKey !== undefined && { newKey: shown(newKey) }),
      lsn: Number(property(item, "_lsn") ?? 0),
      code,
      reason,
      at: this.#wallNow(),
      attempts: 1,
      document: item,
    };
    try {
      appendFileSync(this.#file!, `${JSON.stringify(line)}\n`);
    } catch (error) {
      throw new CommandFailure(`--set-aside cannot be written: ${(error as Error).message}.`);
    }
    this.count++;
    const most = this.#question.setAsideMax ?? COUNT_MAX;
    if (this.count > most) {
      throw new CommandFailure(
        `Stopped: more than ${most} items are set aside in '${this.#file}', the last one for ` +
          `this reason: ${reason}. --set-aside-max lets it go on.`,
      );
    }
  }

  #setbackFor(code: SetAsideItem["code"]): Setback {
    const { onClash, onMissingKey, onRefused } = this.#question;
    const told = code === "clash" ? onClash : code === "missingKey" ? onMissingKey : onRefused;
    return told === "setAside" ? "setAside" : "stop";
  }
}

const REFUSED = "--on-refused set-aside goes on without it.";
const ADVICE: Readonly<Record<SetAsideItem["code"], string>> = {
  clash: "--on-clash set-aside goes on without it.",
  missingKey: "--on-missing-key set-aside goes on without it, and none copies it so.",
  keyFull: REFUSED,
  uniqueKey: REFUSED,
  tooLarge: REFUSED,
  refused: REFUSED,
};

/** JSON has nothing for what is not there. */
function shown(key: PartitionKey): JsonValue {
  return key.map((component) => (component === undefined ? {} : component));
}
