/** Paths of requests that name what they are about by the bytes of its rid, and by no name. */
import type { ResourceType } from "./operations.ts";
import { chainOf } from "./operations.ts";

/** How many bytes of a rid each level of a path has more than the one above. */
const LEVEL_BYTES = [4, 4, 8] as const;

/** `undefined` where the rid is none of such a resource, or of the owner of such a feed. */
export function segmentsOfRid(
  type: ResourceType,
  isOfFeed: boolean,
  rid: Buffer,
): readonly string[] | undefined {
  const segments: string[] = [];
  const chain = chainOf(type);
  let bytes = 0;
  for (const [level, { word }] of chain.entries()) {
    segments.push(word);
    if (isOfFeed && level === chain.length - 1) break;
    bytes += LEVEL_BYTES[level]!;
    segments.push(ridText(rid.subarray(0, bytes)));
  }
  return rid.length === bytes ? segments : undefined;
}

function ridText(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("/", "-");
}
