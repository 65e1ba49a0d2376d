/**
 * The peer: `@vercel/cosmosdb-server` from npm, in memory, over plain HTTP.
 *
 * Its own command closes the connection after every answer; that would make it three times slower
 * than it has to be and the comparison worthless. So keep-alive is switched on here, through its
 * own option. It checks no signature and writes nothing to disk: both are in its favour.
 */
import { createHttpServer } from "@vercel/cosmosdb-server";
import { announce } from "./announce.mjs";

announce(createHttpServer({ keepAlive: true }));
