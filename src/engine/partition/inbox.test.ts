/** What comes out of an inbox, and in which order. */
import { expect, test } from "vitest";
import { HIGH_CALLER } from "../../model/caller.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { Inbox } from "./inbox.ts";
import type { Waiting } from "./waiting.ts";

const A = "AA" as Epk;
const B = "BB" as Epk;

const waiting = (name: string, epk: Epk, more: Partial<Waiting> = {}): Waiting => ({
  epk,
  caller: HIGH_CALLER,
  keys: [name],
  bytes: 1,
  isShrinking: false,
  prepare: () => expect.fail("nothing is prepared here"),
  refuse: () => undefined,
  reject: () => undefined,
  ...more,
});

const names = (list: readonly Waiting[]): string => list.map(({ keys }) => keys[0]).join(" ");

test("first come, first served", () => {
  const inbox = new Inbox();
  for (const name of ["1", "2", "3"]) inbox.push(waiting(name, A));
  expect([inbox.count, names(inbox.takeBatch()), inbox.count]).toEqual([3, "1 2 3", 0]);
});

test("a batch has 128 items, or one item more than 8 MiB", () => {
  const inbox = new Inbox();
  for (let count = 0; count < 130; count++) inbox.push(waiting("x", A));
  expect([inbox.takeBatch().length, inbox.takeBatch().length]).toEqual([128, 2]);
  for (let count = 0; count < 5; count++) inbox.push(waiting("x", A, { bytes: 3 * 1024 ** 2 }));
  expect([inbox.takeBatch().length, inbox.takeBatch().length]).toEqual([3, 2]);
});

test("it is full beyond 64 MiB, what is held counted in", () => {
  const inbox = new Inbox();
  inbox.hold(A);
  inbox.push(waiting("1", A, { bytes: 64 * 1024 ** 2 }));
  expect(inbox.isFull).toBe(false);
  inbox.push(waiting("2", B));
  expect(inbox.isFull).toBe(true);
  inbox.release(A);
  inbox.takeBatch();
  inbox.takeBatch();
  expect(inbox.isFull).toBe(false);
});

test("what is held waits aside, in order; others and the holder pass", () => {
  const inbox = new Inbox();
  inbox.push(waiting("a1", A));
  inbox.push(waiting("b1", B));
  inbox.hold(A);
  inbox.push(waiting("a2", A));
  inbox.push(waiting("own", A, { isHolder: true }));
  expect(names(inbox.takeBatch())).toBe("b1 own");
  expect(inbox.count).toBe(0);
  inbox.push(waiting("b2", B));
  inbox.release(A);
  expect(names(inbox.takeBatch())).toBe("b2 a1 a2");
});

test("whoever takes over gets all there is", () => {
  const inbox = new Inbox();
  inbox.hold(A);
  inbox.push(waiting("a1", A));
  inbox.push(waiting("b1", B));
  expect(names(inbox.takeAll())).toBe("b1 a1");
  inbox.release(A);
  expect([inbox.count, inbox.isFull]).toEqual([0, false]);
});

test("what clients have put there can be taken without what jobs have", () => {
  const inbox = new Inbox();
  inbox.push(waiting("client", A));
  inbox.push(waiting("job", A, { isOfJob: true }));
  inbox.hold(B);
  inbox.push(waiting("held", B));
  expect(names(inbox.takeOfClients())).toBe("client held");
  expect(names(inbox.takeBatch())).toBe("job");
});
