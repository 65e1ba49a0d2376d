/** The nodes as a table for people. */
import { expect, test } from "vitest";
import type { NodesAnswer } from "../../protocol/nodes.ts";
import { nodesText } from "./nodes.ts";

const NOW = 1_800_000_000_000;
const COMMON = { version: "1.2.3", startedAt: NOW - 7_500_000, process: 7, isReached: true };
const ANSWER: NodesAnswer = {
  answeredBy: "a-2",
  worker: "a-1",
  nodes: [
    {
      ...COMMON,
      name: "a-1",
      role: "works",
      worksSince: NOW - 130_000,
      heardMsAgo: 400,
      endpoint: "http://10.0.0.1:8081",
      address: "10.0.0.1:9000",
    },
    {
      ...COMMON,
      name: "a-2",
      role: "forwards",
      heardMsAgo: 1999,
      endpoint: "http://10.0.0.2:8081",
      address: "10.0.0.2:9000",
    },
    {
      ...COMMON,
      name: "a-3",
      role: "silent",
      heardMsAgo: 200_000,
      endpoint: "http://10.0.0.3:8081",
      address: "10.0.0.3:9000",
      isReached: false,
    },
  ],
};

test("tells who works and since when, who answers, and who is silent", () => {
  expect(nodesText(ANSWER, NOW)).toBe(`\
node   role             heard      reached  clients               nodes          up   version
─────  ───────────────  ─────────  ───────  ────────────────────  ─────────────  ───  ───────
a-1    works for 2 min  0 s ago    yes      http://10.0.0.1:8081  10.0.0.1:9000  2 h  1.2.3
a-2 *  forwards         1 s ago    yes      http://10.0.0.2:8081  10.0.0.2:9000  2 h  1.2.3
a-3    silent           3 min ago  no       http://10.0.0.3:8081  10.0.0.3:9000  2 h  1.2.3
* has answered.
`);
});

test("says so when none of them works", () => {
  const { worker: _, ...rest } = ANSWER;
  expect(nodesText(rest, NOW)).toMatch(/None of them works now; requests wait .*503/);
});
