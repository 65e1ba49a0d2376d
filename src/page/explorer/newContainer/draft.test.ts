/** What is typed of a new container: when it can be created, and what its definition has. */
import { expect, test } from "vitest";
import { type ContainerDraft, firstDraft, otherMembers, whyNotCreated } from "./draft.ts";

const FILLED: ContainerDraft = { ...firstDraft("shop"), container: "orders", key: "/tenant" };

test.each<[string, Partial<ContainerDraft>, string | undefined]>([
  ["everything there", {}, undefined],
  ["no database", { database: " " }, "Name a database."],
  ["no name", { container: "" }, "Name the container."],
  ["no key", { key: "" }, "Type a partition key."],
  ["too low a rate", { rate: "399" }, "At least 400 RU/s."],
  ["no rate", { rate: "" }, "At least 400 RU/s."],
  [
    "no time to live",
    { ttl: "seconds", seconds: "1.5" },
    "The time to live is a whole number of seconds, 1 or more.",
  ],
  [
    "a unique key without its slash",
    { uniqueKeys: "/a\nemail" },
    'A unique key is made of paths such as /email; "email" is none.',
  ],
])("%s", (_, changes, wanted) => {
  expect(whyNotCreated({ ...FILLED, ...changes })).toBe(wanted);
});

test.each<[string, Partial<ContainerDraft>, object]>([
  ["nothing else is asked for", {}, {}],
  ["items with a ttl of their own", { ttl: "noDefault" }, { defaultTtl: -1 }],
  ["a time to live", { ttl: "seconds", seconds: "60" }, { defaultTtl: 60 }],
  [
    "two unique keys, one of two paths",
    { uniqueKeys: " /email \n\n/a/b, /c\n" },
    { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }, { paths: ["/a/b", "/c"] }] } },
  ],
])("%s", (_, changes, wanted) => {
  expect(otherMembers({ ...FILLED, ...changes })).toEqual({ ok: true, value: wanted });
});
