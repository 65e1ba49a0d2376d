/** Connecting, language by language. */
import { expect, test } from "vitest";
import { connectionString, snippetsFor } from "./snippets.ts";

test("every language has the endpoint and the key", () => {
  const snippets = snippetsFor("http://127.0.0.1:8081", "a2V5");
  expect(snippets.map(({ language }) => language)).toEqual([
    "JavaScript",
    ".NET",
    "Java",
    "Python",
    "Go",
  ]);
  for (const { code } of snippets) {
    expect(code).toContain('"http://127.0.0.1:8081"');
    expect(code).toContain('"a2V5"');
  }
});

test("Java is told to allow plain HTTP only where it is plain", () => {
  const java = (endpoint: string): string =>
    snippetsFor(endpoint, "k").find(({ language }) => language === "Java")!.code;
  expect(java("http://h:1")).toContain("WITHOUT_TLS");
  expect(java("https://h:1")).not.toContain("WITHOUT_TLS");
});

test("the connection string is the one that clients take", () => {
  expect(connectionString("https://h:1", "k")).toBe("AccountEndpoint=https://h:1/;AccountKey=k;");
});
