/** Actions that run one after the other. */
import { expect, test } from "vitest";
import { settled } from "../simulatedAccount.fake.ts";
import { oneAfterAnother } from "./turns.ts";

test("an action begins when the one before has ended, and not earlier", async () => {
  const inTurn = oneAfterAnother();
  const seen: string[] = [];
  let endFirst = (): void => undefined;
  const first = inTurn(async () => {
    seen.push("first begins");
    await new Promise<void>((resolve) => {
      endFirst = resolve;
    });
    seen.push("first ends");
  });
  const second = inTurn(async () => void seen.push("second"));
  await settled();
  expect(seen).toEqual(["first begins"]);
  endFirst();
  await Promise.all([first, second]);
  expect(seen).toEqual(["first begins", "first ends", "second"]);
});

test("an action that fails is told to its asker, and the next one runs", async () => {
  const inTurn = oneAfterAnother();
  const failed = inTurn(() => Promise.reject(new Error("a defect")));
  const next = inTurn(async () => "done");
  await expect(failed).rejects.toThrow("a defect");
  expect(await next).toBe("done");
});
