/**
 * The second floor: a `node:http` server that only verifies the signature of each request.
 *
 * Every request pays one HMAC with `createHmac` and one comparison in constant time, nothing is
 * remembered between requests; a body is read to its end and forgotten. The answer is a fixed
 * 1 KB JSON body: 201 to POST, 200 to the rest, 401 when the signature is wrong. It stores nothing.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { itemTextOf } from "../items.mjs";
import { resourceOf, signatureIn, signatureOf } from "../signing.mjs";
import { announce } from "./announce.mjs";

const keyBytes = randomBytes(64);
const body = itemTextOf("signature", 0, 0);
const headers = { "content-type": "application/json", "content-length": body.length };
const refusal = '{"code":"Unauthorized","message":"The signature is wrong."}';

const server = createServer((request, response) => {
  if (request.method === "GET") {
    answer(request, response);
    return;
  }
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => answer(request, response));
});
announce(server, keyBytes.toString("base64"));

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
function answer(request, response) {
  if (isSigned(request)) {
    response.writeHead(request.method === "POST" ? 201 : 200, headers);
    response.end(body);
  } else {
    response.writeHead(401, { ...headers, "content-length": refusal.length });
    response.end(refusal);
  }
}

/** @param {import("node:http").IncomingMessage} request */
function isSigned(request) {
  const given = Buffer.from(signatureIn(request.headers.authorization ?? ""), "base64");
  const resource = resourceOf(decodeURIComponent(request.url ?? "/"));
  const date = String(request.headers["x-ms-date"] ?? "");
  const expected = Buffer.from(
    signatureOf(keyBytes, request.method ?? "", resource, date),
    "base64",
  );
  return given.length === expected.length && timingSafeEqual(given, expected);
}
