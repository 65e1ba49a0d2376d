/** What a connection speaks is told from as few bytes as it takes. */
import { expect, test } from "vitest";
import { spokenIn } from "./firstBytes.ts";

/** The first frame of a client in direct mode whose length is `length`. */
function frame(length: number): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt32LE(length, 0);
  return bytes;
}

test.each([
  ["nothing", Buffer.alloc(0), undefined],
  ["a greeting of TLS", Buffer.from("16030102", "hex"), "tls"],
  ["its first byte", Buffer.from("16", "hex"), undefined],
  ["a request", Buffer.from("GET / HTTP/1.1\r\n"), "http"],
  ["one in small letters", Buffer.from("get / HTTP/1.1\r\n"), "http"],
  ["the preface of HTTP/2", Buffer.from("PRI * HTTP/2.0\r\n"), "http"],
  ["an empty line in front", Buffer.from("\r\nGET / HTTP/1.1\r\n"), "http"],
  ["one letter", Buffer.from("P"), undefined],
  ["two letters", Buffer.from("PO"), "http"],
  ["a short frame", frame(0x34), "binary"],
  ["a frame whose length is a letter", frame("G".charCodeAt(0)), "binary"],
  ["a frame whose length is a small letter", frame("g".charCodeAt(0)), "binary"],
  ["a long frame", frame(0x0150), "binary"],
  ["a zero", Buffer.from([0]), "binary"],
  ["bytes of no protocol", Buffer.from([0xff, 0xfe]), "binary"],
])("%s", (_what, bytes, spoken) => {
  expect(spokenIn(bytes)).toBe(spoken);
});

test("every length that a first frame can have is told from HTTP and TLS by two bytes", () => {
  for (let length = 24; length < 768; length++) {
    expect(spokenIn(frame(length).subarray(0, 2))).toBe("binary");
  }
});
