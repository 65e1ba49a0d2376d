/** Frames of good requests, as the official clients send them: what others are made of. */
import { randomUUID } from "node:crypto";
import { parseResourcePath } from "../../src/protocol/request/resourcePath.ts";
import { encodeRequestFrame } from "../../src/protocol/rntbd/requestFrame.ts";
import { ITEMS, PARTITION_KEY, signatureOf } from "../http/wire.ts";

interface FrameTerms {
  readonly key: string;
  readonly replicaPath: string;
}

const QUERY = {
  ...PARTITION_KEY,
  "content-type": "application/query+json",
  "x-ms-documentdb-isquery": "True",
};
const UPSERT = { ...PARTITION_KEY, "x-ms-documentdb-is-upsert": "True" };
const BATCH = {
  ...PARTITION_KEY,
  "x-ms-cosmos-is-batch-request": "True",
  "x-ms-cosmos-batch-atomic": "True",
};
const OF_RANGE = { "x-ms-documentdb-partitionkeyrangeid": "0", "x-ms-max-item-count": "2" };

type Row = readonly [
  method: string,
  segments: readonly string[],
  headers: Readonly<Record<string, string>>,
  body?: string,
];

const ROWS: readonly Row[] = [
  ["GET", [...ITEMS, "kept"], PARTITION_KEY],
  ["GET", [...ITEMS, "nobody"], PARTITION_KEY],
  ["POST", ITEMS, UPSERT, '{"id":"written","pk":"a","n":1}'],
  ["PUT", [...ITEMS, "written"], PARTITION_KEY, '{"id":"written","pk":"a","n":2}'],
  [
    "PATCH",
    [...ITEMS, "written"],
    PARTITION_KEY,
    '{"operations":[{"op":"incr","path":"/n","value":1}]}',
  ],
  ["DELETE", [...ITEMS, "nobody"], PARTITION_KEY],
  ["POST", ITEMS, QUERY, '{"query":"SELECT * FROM c WHERE c.pk = @a","parameters":[]}'],
  ["POST", ITEMS, BATCH, '[{"operationType":"Read","id":"kept"}]'],
  ["GET", ITEMS, OF_RANGE],
  ["GET", ITEMS, { ...OF_RANGE, "a-im": "Incremental Feed" }],
  ["GET", ["dbs"], {}],
  ["HEAD", ["dbs", "d", "colls", "c"], {}],
];

export function requestFrames({ key, replicaPath }: FrameTerms): readonly Buffer[] {
  return ROWS.map(([method, segments, headers, body], index) => {
    const path = parseResourcePath(`/${segments.join("/")}`)!;
    const signed = { ...signatureOf(key, method, segments), ...headers };
    return encodeRequestFrame(
      { method, path, headers: signed, body: Buffer.from(body ?? "") },
      { activityId: randomUUID(), requestId: index + 1, replicaPath },
    )!;
  });
}
