/** Orders to try things on: the same every time, and uneven by category. */
import { expect, test } from "vitest";
import { exampleOrders } from "./exampleOrders.ts";

test("are the same every time, have ids of their own, and sell mostly toys", () => {
  const orders = exampleOrders(1000);
  expect(exampleOrders(1000)).toEqual(orders);
  expect(new Set(orders.map(({ id }) => id)).size).toBe(1000);
  const toys = orders.filter(({ category }) => category === "Toys").length;
  expect(toys / orders.length).toBeCloseTo(0.41, 1);
  expect(new Set(orders.map(({ customerId }) => customerId)).size).toBeGreaterThan(100);
});
