/**
 * Which stores belong together, by what each notes of itself: an id of its own and the fleet that
 * it is of; the one with the catalogue knows all of them. So they may be named in any order and by
 * other addresses than before, and none is forgotten or taken for one of another fleet.
 */
import type { Random } from "../../base/world.ts";
import { NOTES_PART, readNote, writeNote } from "../notes.ts";
import type { PartitionStore } from "../partitionStore.ts";
import { StoreFault } from "../partitionStore.ts";
import type { FleetMember } from "./fleetStore.ts";
import { FleetStore } from "./fleetStore.ts";

const MEMBER_NOTE = "member";
const FLEET_NOTE = "fleet";
const ID_BYTES = 12;
const CATALOG_PART = 0;

interface MemberNote {
  readonly id: string;
  readonly fleet: string;
}

interface FleetNote {
  readonly members: readonly { readonly id: string; readonly name: string }[];
}

interface Known {
  readonly member: FleetMember;
  readonly note: MemberNote | undefined;
  readonly listed: FleetNote | undefined;
  readonly parts: readonly number[];
}

/**
 * The store that some stores make together. Rejects if they do not belong together, or are not all;
 * they stay open then.
 */
export async function formFleet(
  members: readonly [FleetMember, ...FleetMember[]],
  random: Random,
): Promise<PartitionStore> {
  const known: Known[] = [];
  for (const member of members) {
    const { store } = member;
    const note = (await readNote(store, MEMBER_NOTE)) as MemberNote | undefined;
    const listed = (await readNote(store, FLEET_NOTE)) as FleetNote | undefined;
    const parts = (await store.parts()).filter((part) => part !== NOTES_PART);
    known.push({ member, note, listed, parts });
  }
  const first = catalogOf(known);
  const { listed } = first;
  if (listed === undefined && members.length === 1) return first.member.store;
  const newId = (): string => Buffer.from(random.bytes(ID_BYTES)).toString("hex");
  const fleet = first.note?.fleet ?? newId();
  checkTogether(known, first, fleet);
  checkAllThere(known, listed);
  const noted: { id: string; name: string }[] = [];
  // The one with the catalogue is the first to know of the fleet.
  for (const { member, note } of [first, ...known.filter((one) => one !== first)]) {
    const id = note?.id ?? newId();
    if (note === undefined) await writeNote(member.store, MEMBER_NOTE, { id, fleet });
    noted.push({ id, name: member.name });
  }
  const all: FleetNote = { members: noted };
  if (JSON.stringify(all) !== JSON.stringify(listed)) {
    await writeNote(first.member.store, FLEET_NOTE, all);
  }
  const others = members.filter((member) => member !== first.member);
  return FleetStore.of([first.member, ...others]);
}

/** The one with the catalogue; the first one where there is none yet. */
function catalogOf(known: readonly Known[]): Known {
  const [first, second] = known.filter(
    ({ parts, listed }) => parts.includes(CATALOG_PART) || listed !== undefined,
  );
  if (second !== undefined) {
    throw new StoreFault(
      `${first!.member.name} and ${second.member.name} have a catalogue each: they hold the data ` +
        "of different accounts. Name one of them, with the databases that belong to it.",
    );
  }
  if (first !== undefined) return first;
  const member = known.find(({ note }) => note !== undefined);
  if (member === undefined) return known[0]!;
  throw new StoreFault(
    `${member.member.name} is one of several databases, and the one with the catalogue is not ` +
      "among those named with --store. Name all of them.",
  );
}

function checkTogether(known: readonly Known[], first: Known, fleet: string): void {
  for (const one of known) {
    if (one === first) continue;
    if (one.note !== undefined && one.note.fleet !== fleet) {
      throw new StoreFault(
        `${one.member.name} belongs to other databases than ${first.member.name}.`,
      );
    }
    if (one.note === undefined && one.parts.length > 0) {
      throw new StoreFault(
        `${one.member.name} holds data already, and not of these databases. A database that ` +
          "joins others must be empty.",
      );
    }
  }
}

function checkAllThere(known: readonly Known[], listed: FleetNote | undefined): void {
  const ids = new Set(known.map(({ note }) => note?.id));
  const missing = listed?.members.filter(({ id }) => !ids.has(id)) ?? [];
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(" and ");
  throw new StoreFault(
    `The data is in ${names} as well. Name all databases with --store; their order means nothing.`,
  );
}
