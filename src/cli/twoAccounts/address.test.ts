/** Which URLs may be an account, in all the ways in which an address can be written. */
import { describe, expect, test } from "vitest";
import { accountUrl, guardedLookup, isForbiddenAddress } from "./address.ts";

describe("an address", () => {
  test.each([
    "169.254.169.254",
    "169.254.0.1",
    "0.0.0.0",
    "0.1.2.3",
    "168.63.129.16",
    "100.100.100.200",
    "255.255.255.255",
    "224.0.0.1",
    "::",
    "fe80::1",
    "febf::1",
    "fd00:ec2::254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::ffff:0.0.0.0",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "64:ff9b:1::a9fe:a9fe",
    "::ffff:0:a9fe:a9fe",
    "::169.254.169.254",
    "192.0.0.192",
  ])("%s is none of an account", (address) => {
    expect(isForbiddenAddress(address)).toBe(true);
  });

  test.each([
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "10.0.0.5",
    "192.168.1.2",
    "169.253.1.1",
    "20.1.2.3",
    "2603::1",
  ])("%s may be one", (address) => {
    expect(isForbiddenAddress(address)).toBe(false);
  });
});

describe("a URL is refused", () => {
  test.each([
    ["file:///etc/passwd", /is a file: URL/],
    ["ftp://host/", /is a ftp: URL/],
    ["data:text/plain,x", /is a data: URL/],
    ["not a url", /is no URL/],
    ["https://user:secret@host/", /has a name or a password/],
    ["https://host/path", /with more behind it/],
    ["https://host/?a=b", /with more behind it/],
    ["http://169.254.169.254/", /no address of an account/],
    // The same, in the notations that URLs allow.
    ["http://2852039166/", /no address of an account/],
    ["http://0xa9fea9fe/", /no address of an account/],
    ["http://0251.0376.0251.0376/", /no address of an account/],
    ["http://169.254.43518/", /no address of an account/],
    ["http://169.254.169.254./", /no address of an account/],
    ["http://[::ffff:169.254.169.254]/", /no address of an account/],
    ["http://[fe80::1]:8081/", /no address of an account/],
    ["http://[::]/", /no address of an account/],
    ["http://0/", /no address of an account/],
    ["http://metadata.google.internal/", /no address of an account/],
    ["http://METADATA.google.internal./", /no address of an account/],
  ])("%s", (text, complaint) => {
    expect(() => accountUrl("--from", text)).toThrow(complaint);
  });

  test("without showing what is secret in it", () => {
    expect(() => accountUrl("--from", "https://user:secret@host/")).not.toThrow(/secret/);
  });

  test("unless it is the address of an account", () => {
    const good = [
      "https://a.documents.azure.com:443/",
      "http://127.0.0.1:8081",
      "https://[::1]:1/",
    ];
    for (const text of good) expect(accountUrl("--to", text).href).toContain("//");
  });
});

test("a name that leads nowhere is told as such, and one of this machine is let through", async () => {
  const asked = (name: string): Promise<unknown> =>
    new Promise((resolve) => guardedLookup(name, {}, (error, found) => resolve(error ?? found)));
  expect(["127.0.0.1", "::1"]).toContain(await asked("localhost"));
  // An address looks up to itself, which is how a name that leads there comes out.
  expect(await asked("169.254.169.254")).toMatchObject({ name: "ForbiddenAddress" });
});
