/**
 * The floor: a bare `node:http` server that answers 200 with a fixed 1 KB JSON body to everything.
 *
 * It looks at nothing, not even the body it is sent. No server written on `node:http` can be
 * expected to beat it, so it is what the other figures are divided by.
 */
import { createServer } from "node:http";
import { itemTextOf } from "../items.mjs";
import { announce } from "./announce.mjs";

const body = itemTextOf("hello", 0, 0);
const headers = { "content-type": "application/json", "content-length": body.length };

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, headers);
  response.end(body);
});
announce(server);
