/** The arguments of `orrery query`. */
import { describe, expect, test } from "vitest";
import { BadOption, WELL_KNOWN_KEY } from "../../server/surroundings/options.ts";
import type { QueryOptions } from "./queryOptions.ts";
import { queryOptionsOf } from "./queryOptions.ts";

const BASE = ["SELECT 1", "--container", "d/c"];

const options = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<QueryOptions> => (await queryOptionsOf([...BASE, ...args], environment))!;

describe("a parameter", () => {
  test.each<[string, string, unknown]>([
    ["a number", "n=3", { name: "@n", value: 3 }],
    ["with its @", "@n=3", { name: "@n", value: 3 }],
    ["a string in quotes", 'n="3"', { name: "@n", value: "3" }],
    ["a string without", "name=ada", { name: "@name", value: "ada" }],
    ["an object", 'o={"a":[1]}', { name: "@o", value: { a: [1] } }],
    ["with more equal signs", "e=a=b", { name: "@e", value: "a=b" }],
    ["empty", "e=", { name: "@e", value: "" }],
    ["a string that looks like a number", "v:string=5052", { name: "@v", value: "5052" }],
    ["a string that looks like JSON", '@v:string={"a"', { name: "@v", value: '{"a"' }],
    ["a number by its type", "v:number=-1.5e3", { name: "@v", value: -1500 }],
    ["a boolean", "v:boolean=true", { name: "@v", value: true }],
    ["null", "v:null", { name: "@v", value: null }],
    ["null with its value", "v:null=null", { name: "@v", value: null }],
    ["an array by its type", 'v:json=["a",1]', { name: "@v", value: ["a", 1] }],
    ["with a colon in its value", "v=a:string=b", { name: "@v", value: "a:string=b" }],
  ])("%s", async (_rule, text, expected) => {
    const { parameters } = await options(["--parameter", text]);
    expect(parameters).toEqual([expected]);
  });
});

test.each([
  ["v:number=ada", "'ada' is no number"],
  ["v:boolean=1", "'1' is no boolean"],
  ["v:json={", "'{' is no json"],
  ["v:null=0", "'0' is no null"],
  ["v:text=a", "its type can be string, number, boolean, null, json"],
  ["v:string", "must be <name>=<value>"],
  ["1=2", "must be <name>=<value>"],
])("--parameter %s is refused", async (text, said) => {
  await expect(options(["--parameter", text])).rejects.toThrow(said);
});

describe("a partition key", () => {
  test.each<[string, string, unknown]>([
    ["a word", "ada", ["ada"]],
    ["a number", "3", [3]],
    ["a string that looks like one", '"3"', ["3"]],
    ["a hierarchical one", '["a",1]', ["a", 1]],
    ["null", "null", [null]],
  ])("%s", async (_rule, text, expected) => {
    expect((await options(["--partition-key", text])).key).toEqual(expected);
  });
});

describe("the server", () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
    ["is the one `orrery start` runs", [], {}, "http://127.0.0.1:8081/"],
    ["is where the environment says", [], { PORT: "1", PROTOCOL: "https" }, "https://127.0.0.1:1/"],
    ["is the one that was named", ["--endpoint", "https://h:2"], { PORT: "1" }, "https://h:2/"],
  ])("%s", async (_rule, args, environment, expected) => {
    const { account } = await options(args, environment);
    expect(account).toEqual({ endpoint: new URL(expected), key: WELL_KNOWN_KEY });
  });
});

test.each<[string, readonly string[]]>([
  ["no container", ["SELECT 1"]],
  ["half a container", ["SELECT 1", "--container", "d"]],
  ["more than a container", ["SELECT 1", "--container", "d/c/x"]],
  ["no query", ["--container", "d/c"]],
  ["two queries", [...BASE, "SELECT 2"]],
  ["a query and a file", [...BASE, "-f", "x.sql"]],
  ["a file that is not there", ["--container", "d/c", "-f", "no-such-file.sql"]],
  ["a format that is none", [...BASE, "--format", "xml"]],
  ["no rows", [...BASE, "--max-items", "0"]],
  ["a page of no size", [...BASE, "--page-size", "many"]],
  ["a parameter without a value", [...BASE, "--parameter", "n"]],
  ["a parameter without a name", [...BASE, "--parameter", "=1"]],
  ["an address that is none", [...BASE, "--endpoint", "localhost"]],
  ["another protocol", [...BASE, "--endpoint", "ftp://h"]],
])("%s is refused", async (_rule, args) => {
  await expect(queryOptionsOf([...args], {})).rejects.toThrow(BadOption);
});

test("help asks for nothing else", async () => {
  expect(await queryOptionsOf(["--help"], {})).toBeUndefined();
});
