/**
 * The book of storage faults: the one place where what a store notices becomes words. Each fault
 * is one line of the log when it begins and one when it ends, and stands here for the alerts in
 * between; ends of the journal that were dropped, and damage, stand here while the server runs.
 *
 * Paths of the machine are in the log only: alerts travel.
 */
import type {
  StorageIncident,
  StorageReport,
  StorageTrouble,
} from "../alerts/rules/storageReport.ts";
import type { Damage, DiskTrouble, StoreNotice, TroubleKind } from "../store/notice.ts";
import type { Log } from "./surroundings/log.ts";

interface FaultBookSetting {
  readonly log: Log;
  readonly wallNow: () => number;
  /** Where the data is, for the log. */
  readonly directory: string;
}

/** More damage than this is counted, and not told one by one. */
const INCIDENTS_MAX = 100;

interface Words {
  readonly says: string;
  readonly todo: readonly string[];
}

export class FaultBook {
  readonly #setting: FaultBookSetting;
  /** By kind, and by place where there are several. */
  readonly #troubles = new Map<string, StorageTrouble>();
  readonly #tails: StorageIncident[] = [];
  readonly #damages = new Map<string, StorageIncident>();
  #damageCount = 0;
  /** Called when something was written into the book. */
  onChange: () => void = () => undefined;
  /** The container that a part of the store belongs to, by name, if it is known. */
  nameOfPart: (part: number) => string | undefined = () => undefined;

  constructor(setting: FaultBookSetting) {
    this.#setting = setting;
  }

  readonly note = (notice: StoreNotice): void => {
    switch (notice.kind) {
      case "began":
        this.#begin(notice.trouble);
        break;
      case "ended":
        this.#end(notice.trouble);
        break;
      case "tailDropped":
        this.#noteTail(notice);
        break;
      case "damaged":
        this.#noteDamage(notice.damage);
        break;
    }
    this.onChange();
  };

  get isEmpty(): boolean {
    return this.#troubles.size + this.#tails.length + this.#damages.size === 0;
  }

  report(): StorageReport {
    return {
      at: this.#setting.wallNow(),
      troubles: [...this.#troubles.values()],
      droppedTails: this.#tails,
      damages: [...this.#damages.values()],
      damageCount: this.#damageCount,
    };
  }

  #begin(trouble: DiskTrouble): void {
    const { kind, activity, file, offset, place, reason } = trouble;
    const { says: words, todo } = WORDS[kind];
    const says = place === undefined ? words : `${place}: ${words}`;
    const since = this.#setting.wallNow() - (trouble.lastedMs ?? 0);
    this.#troubles.set(keyOf(trouble), { kind, severity: SEVERITIES[kind], since, says, todo });
    this.#tell("storageFault", { kind, says, while: activity, file, offset, place, reason, todo });
  }

  #end(trouble: DiskTrouble): void {
    const { kind, place } = trouble;
    this.#troubles.delete(keyOf(trouble));
    const says = place === undefined ? ENDS[kind] : `${place}: ${ENDS[kind]}`;
    this.#tell("storageFaultEnded", { kind, place, says });
  }

  #noteTail({ file, offset, bytes }: Extract<StoreNotice, { kind: "tailDropped" }>): void {
    const says =
      `The end of the journal file ${file} was not whole, and was dropped: ${bytes} bytes from ` +
      `offset ${offset} on. Nobody was told that they are kept.`;
    if (this.#tails.length < INCIDENTS_MAX) {
      this.#tails.push({ at: this.#setting.wallNow(), says });
    }
    const todo = [
      "Nothing, after a power cut, a kill or a full disk. After an orderly end, check the disk.",
    ];
    this.#tell("journalTailDropped", { says, file, offset, bytes, todo });
  }

  #noteDamage({ file, part, what }: Damage): void {
    const place = `${part} ${what}`;
    if (this.#damages.has(place)) return;
    this.#damageCount++;
    if (this.#damages.size >= INCIDENTS_MAX) return;
    const container = part === undefined ? undefined : this.nameOfPart(part);
    const owner = container === undefined ? `part ${part} of the store` : `container ${container}`;
    const says =
      part === undefined
        ? `Stored data is damaged: ${what}.`
        : `Stored data is damaged: ${what} of ${owner}. Requests for it are refused.`;
    this.#damages.set(place, { at: this.#setting.wallNow(), says });
    this.#tell("storageDamage", { says, file, part, container, todo: DAMAGE_TODO });
  }

  #tell(event: string, fields: Readonly<Record<string, unknown>>): void {
    this.#setting.log(event, { ...fields, directory: this.#setting.directory });
  }
}

function keyOf({ kind, place = "" }: DiskTrouble): string {
  return `${kind} ${place}`;
}

const DAMAGE_TODO: readonly string[] = [
  "Run `orrery check` on the data directory, or on a backup of it, to see all that is damaged.",
  "Restore a backup, or write the damaged items anew from an export.",
];

const SEVERITIES: Readonly<Record<TroubleKind, StorageTrouble["severity"]>> = {
  full: "critical",
  readOnly: "critical",
  lost: "critical",
  failed: "critical",
  stalled: "warning",
  unreachable: "critical",
};

const WORDS: Readonly<Record<TroubleKind, Words>> = {
  full: {
    says:
      "The disk is full. Writes are refused with 503, except deletions while the reserve lasts; " +
      "reads go on.",
    todo: [
      "Make room on the file system of the data directory: writes come back by themselves within " +
        "seconds, without a restart.",
    ],
  },
  readOnly: {
    says: "The file system is read-only. Writes are refused with 503; reads go on.",
    todo: [
      "Look in the log of the system for why it became so, and make it writable: writes come " +
        "back by themselves within seconds, without a restart.",
    ],
  },
  lost: {
    says:
      "The files of the data directory are no longer in their place: removed, renamed, replaced, " +
      "or on a file system that is no longer there. Writes are refused with 503; reads go on.",
    todo: [
      "Export what matters now: what was read from the lost files is gone when the server ends.",
      "Put the data directory back, or restore a backup, and start the server again.",
    ],
  },
  failed: {
    says:
      "The disk failed a write, and nobody knows what it holds. Writes are refused with 503 " +
      "until the server is started again; reads go on. Everything acknowledged is kept.",
    todo: [
      "Look in the log of the system for errors of the device. Take a backup.",
      "Start the server again: it reads the journal anew, and tells if something is missing.",
    ],
  },
  stalled: {
    says: "A write to the disk has not returned for seconds. Writes wait for it; reads go on.",
    todo: ["Look what else keeps the disk busy, or whether it is about to fail."],
  },
  unreachable: {
    says:
      "The database behind the server cannot be reached. Requests are refused with 503, and a " +
      "write whose answer was lost waits until the database tells what became of it.",
    todo: [
      "Look whether the database runs, and whether this machine reaches it under the address of " +
        "--store: the server goes on by itself, without a restart.",
    ],
  },
};

const ENDS: Readonly<Record<TroubleKind, string>> = {
  full: "There is room on the disk again: writes are taken.",
  readOnly: "The file system can be written to again: writes are taken.",
  lost: "The files are in their place again.",
  failed: "The disk works again.",
  stalled: "The disk answers again: the write that took so long has returned.",
  unreachable: "The database can be reached again.",
};
