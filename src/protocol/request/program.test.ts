/** What programs are called that are counted. */
import { expect, test } from "vitest";
import { programOf } from "./program.ts";

test.each([
  ["Node.js/20.20.2 (linux; x64) azure-cosmos-js/4.10.1", "azure-cosmos-js/4"],
  ["azsdk-js-cosmosdb/4.10.1 Node.js/20.19 (Linux x64)", "azsdk-js-cosmosdb/4"],
  ["azsdk-python-cosmos/4.14.2 Python/3.12.3 (Linux)", "azsdk-python-cosmos/4"],
  ["azsdk-java-cosmos/4.80.0 Linux/6.1 JRE/21|F1", "azsdk-java-cosmos/4"],
  ["shop azsdk-go-azcosmos/v1.4.0 (go1.24; linux)", "azsdk-go-azcosmos/1"],
  ["shop/7.1 azsdk-rust-cosmos/0.30.0", "azsdk-rust-cosmos/0"],
  ["cosmos-netstandard-sdk/3.52.1|1|X64|Linux", "cosmos-netstandard-sdk/3"],
  ["curl/8.5.0", "curl/8"],
  ["Mozilla/5.0 (X11; Linux)", "Mozilla/5"],
  ["", "unknown"],
  ["no product at all", "unknown"],
  ["<script>/1", "unknown"],
  [`${"a".repeat(60)}/1`, "unknown"],
  [`${" ".repeat(600)}late/1`, "unknown"],
])("%s is %s", (agent, program) => {
  expect(programOf({ "user-agent": agent })).toBe(program);
});

test("who does not say is unknown", () => {
  expect(programOf({})).toBe("unknown");
});
