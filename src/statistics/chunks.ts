/**
 * Statistics as named pieces of bytes, so that they survive a restart, and so that storing them
 * again costs only what has changed.
 *
 * A chunk holds one block of time: of the totals and of all physical partitions ("load"), or of
 * heat. Its name is its place in a ring, such as "load:minute:7", so a container never has more
 * than a few hundred names, and chunks that are too old are overwritten. Bytes that are damaged, or
 * of a later version, are refused, and their time becomes a gap. The last seconds are not stored.
 */
import { Buffer } from "node:buffer";
import { assert } from "../base/assert.ts";
import type { Millis } from "../base/units.ts";
import { murmur32 } from "../partition/murmur3.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import type { ContainerMeter } from "./containerMeter.ts";
import type { History } from "./history.ts";
import { RESOLUTIONS } from "./resolution.ts";

export interface Chunk {
  readonly name: string;
  readonly bytes: Uint8Array;
}

type Subject = "load" | "heat";

/** Returns the chunks that changed since the last call; all of them for a new meter. */
export function takeChunks(meter: ContainerMeter, now: Millis): readonly Chunk[] {
  meter.settle(now);
  return RESOLUTIONS.flatMap((_, resolution) => [
    ...loadChunks(meter, resolution),
    ...heatChunks(meter, resolution),
  ]);
}

/** Marks chunks that could not be stored as changed again. */
export function putBackChunks(meter: ContainerMeter, chunks: Iterable<Chunk>): void {
  for (const { name } of chunks) {
    const [subject, resolutionName, place] = name.split(":");
    const resolution = RESOLUTIONS.findIndex((known) => known.name === resolutionName);
    assert(resolution !== -1 && place !== undefined, "only what was taken can be put back");
    const owner = subject === "heat" ? meter.heat : meter.history;
    owner.putBack(resolution, Number(place));
  }
}

/**
 * Adds chunks of an earlier run to what was counted since. The meters of all physical partitions
 * must be open: load of other ones is left out. Returns what was refused, and why.
 */
export function restoreChunks(meter: ContainerMeter, chunks: Iterable<Chunk>): readonly string[] {
  const refused: string[] = [];
  for (const { name, bytes } of chunks) {
    const payload = payloadOf(bytes);
    const problem = typeof payload === "string" ? payload : restorePayload(meter, name, payload);
    if (problem !== undefined) refused.push(`the statistics "${name}" ${problem}`);
  }
  return refused;
}

function loadChunks(meter: ContainerMeter, resolution: number): readonly Chunk[] {
  const histories = historiesOf(meter);
  const changed = histories.flatMap(([, history]) => history.takeChanged(resolution));
  return [...new Set(changed)].map((place) => {
    const writer = new ByteWriter();
    for (const [owner, history] of histories) {
      const block = history.packedBlock(resolution, place);
      if (block === undefined) continue;
      writer.text(owner);
      writer.number(block.number);
      writer.section(block.bytes);
    }
    return sealed("load", resolution, place, writer);
  });
}

function heatChunks({ heat }: ContainerMeter, resolution: number): readonly Chunk[] {
  return heat.takeChanged(resolution).map((group) => {
    const writer = new ByteWriter();
    for (const row of heat.packedRows(resolution, group)) {
      writer.number(row.number);
      writer.section(row.bytes);
    }
    return sealed("heat", resolution, group, writer);
  });
}

/** The name of the container's totals; range ids are never empty. */
const TOTALS = "";

function historiesOf(meter: ContainerMeter): readonly (readonly [string, History])[] {
  const ofPartitions = [...meter.meters].map(([id, { history }]) => [id, history] as const);
  return [[TOTALS, meter.history], ...ofPartitions];
}

/** Returns what is wrong, or `undefined`. */
function restorePayload(
  meter: ContainerMeter,
  name: string,
  payload: Uint8Array,
): string | undefined {
  const [subject, resolutionName] = name.split(":");
  const resolution = RESOLUTIONS.findIndex((known) => known.name === resolutionName);
  const isKnown = resolution !== -1 && (subject === "load" || subject === "heat");
  if (!isKnown) return "are not known by this name";
  const histories = new Map(historiesOf(meter));
  const reader = new ByteReader(payload);
  let isSound = true;
  while (isSound && !reader.isDone) {
    const owner = subject === "load" ? reader.text() : undefined;
    const entry = { number: reader.number(), bytes: reader.section() };
    if (reader.isBroken) isSound = false;
    else if (owner === undefined) isSound = meter.heat.restore(resolution, entry);
    else isSound = histories.get(owner)?.restore(resolution, entry) ?? true;
  }
  return isSound ? undefined : "are damaged";
}

/** The header of a chunk: two letters that identify it, the version, a checksum. */
const MARK = Buffer.from("OS");
const VERSION = 1;
const HEADER_BYTES = MARK.length + 1 + 4;

function sealed(subject: Subject, resolution: number, place: number, writer: ByteWriter): Chunk {
  const payload = writer.finish();
  const header = Buffer.alloc(HEADER_BYTES);
  MARK.copy(header);
  header[MARK.length] = VERSION;
  header.writeUInt32LE(murmur32(payload, payload.length), MARK.length + 1);
  const name = `${subject}:${RESOLUTIONS[resolution]!.name}:${place}`;
  return { name, bytes: Buffer.concat([header, payload]) };
}

/** Returns the payload, or what is wrong with the chunk. */
function payloadOf(bytes: Uint8Array): Uint8Array | string {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (all.length < HEADER_BYTES || !all.subarray(0, MARK.length).equals(MARK)) return "are damaged";
  if (all[MARK.length] !== VERSION) return `have the version ${all[MARK.length]}, not ${VERSION}`;
  const payload = all.subarray(HEADER_BYTES);
  const isWhole = murmur32(payload, payload.length) === all.readUInt32LE(MARK.length + 1);
  return isWhole ? payload : "are damaged";
}
