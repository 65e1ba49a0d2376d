/**
 * The shape of written items: which places they have, with which types and values.
 *
 * Places are a tree of names, so that walking an item looks names up and makes no texts. There are
 * at most 256 places; values elsewhere are only counted. All elements of an array count as one
 * place, and values below an array are not told apart. A secret place is not walked into: its whole
 * content is one value.
 */

import { LogHistogram } from "../base/logHistogram.ts";
import { SYSTEM_PROPERTIES } from "../base/systemProperties.ts";
import { DAY_MS } from "../base/units.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { isObject } from "../json/value.ts";
import type { ShapePath } from "./itemPath.ts";
import { pathText } from "./itemPath.ts";
import type { ItemsRecord, JsonType, PathRecord, RecordedGrain } from "./recording.ts";
import type { SaltedHash } from "./saltedHash.ts";
import type { Secrets } from "./secrets.ts";
import { finerOf, timeIn } from "./timeValue.ts";
import type { TallyRoom, ValueTally } from "./valueTally.ts";
import type { SecretNames } from "./valueText.ts";
import { secretText, valueText } from "./valueText.ts";

const PLACE_COUNT_MAX = 256;
const TYPES: readonly JsonType[] = ["string", "number", "boolean", "null", "array", "object"];

/** One place of the items. */
class Place {
  readonly index: number;
  readonly path: ShapePath;
  readonly isSecret: boolean;
  /** True when the place is secret, so that nothing below it is looked at. */
  readonly isClosed: boolean;
  readonly children: Map<string, Place> = new Map<string, Place>();
  /** The place of all elements, if the value is an array in some item. */
  elements: Place | undefined;
  /** Counts of values by type, in the order of `TYPES`. */
  readonly typeCounts: number[] = [0, 0, 0, 0, 0, 0];
  presentCount = 0;
  bytes = 0;
  valueCount = 0;
  values: ValueTally | undefined;
  hasAskedForValues = false;
  agoDays: LogHistogram | undefined;
  grain: RecordedGrain | undefined;
  /** The number of the last item that has this place. */
  lastItem = 0;

  constructor(index: number, path: ShapePath, secrets: Secrets) {
    this.index = index;
    this.path = path;
    this.isSecret = secrets.relationOf(path) === "secret";
    this.isClosed = secrets.secretAbove(path) !== undefined;
  }
}

/**
 * Called with every value of an item that counts as one: scalars, arrays as wholes, secrets as
 * wholes.
 */
type Meet = (place: Place, value: JsonValue) => void;

export class ItemShapes {
  readonly #secrets: Secrets;
  readonly #hash: SaltedHash;
  readonly #room: TallyRoom;
  readonly #root: Place;
  readonly #places: Place[] = [];
  readonly #bytes = new LogHistogram();
  #createdCount = 0;
  #leafCount = 0;
  #otherCount = 0;

  constructor(secrets: Secrets, hash: SaltedHash, room: TallyRoom) {
    this.#secrets = secrets;
    this.#hash = hash;
    this.#room = room;
    this.#root = new Place(-1, [], secrets);
  }

  place(index: number): Place {
    return this.#places[index]!;
  }

  /** Counts an item that was written. */
  add(item: JsonObject, { bytes, now, isNew }: ItemFacts): void {
    this.#bytes.add(bytes);
    if (isNew) this.#createdCount += 1;
    this.#walk(item, this.#root, { now, isBelowArray: false, isCounted: true }, undefined);
  }

  /** Walks through an item without counting it; adds places that are new. */
  visit(item: JsonObject, meet: Meet): void {
    this.#walk(item, this.#root, { now: 0, isBelowArray: false, isCounted: false }, meet);
  }

  record(names: SecretNames): ItemsRecord {
    const { count } = this.#bytes;
    return {
      count,
      createdCount: this.#createdCount,
      bytes: this.#bytes.byteSpread(),
      leafCountMean: count === 0 ? 0 : this.#leafCount / count,
      paths: this.#places
        .filter((place) => place.valueCount > 0)
        .map((each) => recordOf(each, names)),
      otherPathValueCount: this.#otherCount,
    };
  }

  #walk(object: JsonObject, parent: Place, walk: Walk, meet: Meet | undefined): void {
    for (const name of Object.keys(object)) {
      if (parent === this.#root && SYSTEM_PROPERTIES.has(name)) continue;
      const place = this.#child(parent, name);
      if (place === undefined) {
        if (walk.isCounted) this.#otherCount += 1;
      } else this.#at(place, object[name]!, walk, meet);
    }
  }

  #at(place: Place, value: JsonValue, walk: Walk, meet: Meet | undefined): void {
    if (walk.isCounted) this.#count(place, value, walk);
    const isWhole = typeof value !== "object" || value === null || place.isClosed;
    if (meet !== undefined && !walk.isBelowArray && (isWhole || Array.isArray(value))) {
      meet(place, value);
    }
    if (isWhole) return;
    if (Array.isArray(value)) {
      const elements = this.#elementsOf(place);
      const below = { ...walk, isBelowArray: true };
      for (const element of value as readonly JsonValue[]) {
        if (elements === undefined) this.#otherCount += walk.isCounted ? 1 : 0;
        else this.#at(elements, element, below, meet);
      }
    } else if (isObject(value)) this.#walk(value, place, walk, meet);
  }

  #count(place: Place, value: JsonValue, { now, isBelowArray }: Walk): void {
    const type = typeOf(value);
    place.typeCounts[TYPES.indexOf(type)]! += 1;
    place.valueCount += 1;
    if (place.lastItem !== this.#bytes.count) {
      place.lastItem = this.#bytes.count;
      place.presentCount += 1;
    }
    const isLeaf = type !== "object" && type !== "array";
    if (isLeaf && place.path[0] !== "id") this.#leafCount += 1;
    else if (place.isClosed) this.#leafCount += leafCountOf(value);
    place.bytes += isLeaf ? textLength(value) : place.isClosed ? JSON.stringify(value).length : 0;
    if (isBelowArray || !(isLeaf || place.isClosed)) return;
    if (!place.hasAskedForValues) place.values = this.#room.open();
    place.hasAskedForValues = true;
    const text = place.isSecret ? secretText(value, this.#hash) : valueText(value, this.#hash);
    place.values?.add(text);
    // The age of a secret instant would reveal the secret.
    const time = place.isSecret ? undefined : timeIn(value, now);
    if (time === undefined) return;
    place.agoDays ??= new LogHistogram();
    place.agoDays.add(Math.max(0, now - time.at) / DAY_MS);
    place.grain = place.grain === undefined ? time.grain : finerOf(place.grain, time.grain);
  }

  #child(parent: Place, name: string): Place | undefined {
    const known = parent.children.get(name);
    if (known !== undefined) return known;
    const made = this.#make([...parent.path, name]);
    if (made !== undefined) parent.children.set(name, made);
    return made;
  }

  #elementsOf(place: Place): Place | undefined {
    place.elements ??= this.#make([...place.path, 0]);
    return place.elements;
  }

  #make(path: ShapePath): Place | undefined {
    if (this.#places.length === PLACE_COUNT_MAX) return undefined;
    const place = new Place(this.#places.length, path, this.#secrets);
    this.#places.push(place);
    return place;
  }
}

interface ItemFacts {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** True when the item was not there before. */
  readonly isNew: boolean;
}

interface Walk {
  readonly now: number;
  readonly isBelowArray: boolean;
  readonly isCounted: boolean;
}

function recordOf(place: Place, names: SecretNames): PathRecord {
  const { agoDays, grain } = place;
  // A price that sometimes looks like a year is no time, so nine of ten values must be instants.
  const isTime = agoDays !== undefined && agoDays.count >= 0.9 * place.valueCount;
  return {
    path: pathText(place.path),
    isSecret: place.isSecret,
    presentCount: place.presentCount,
    types: Object.fromEntries(
      TYPES.map((type, at) => [type, place.typeCounts[at]!] as const).filter(
        ([, count]) => count > 0,
      ),
    ),
    bytesMean: place.bytes / place.valueCount,
    ...(place.values !== undefined && { values: place.values.record(names) }),
    ...(isTime && { time: { agoDays: agoDays.spread(), grain: grain! } }),
  };
}

function leafCountOf(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + leafCountOf(part), 0);
}

function typeOf(value: JsonValue): JsonType {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value as JsonType;
  return Array.isArray(value) ? "array" : "object";
}

/** Length as JSON text. Characters that take several bytes are ignored, because they are few. */
function textLength(value: JsonValue): number {
  return typeof value === "string" ? value.length + 2 : String(value).length;
}
