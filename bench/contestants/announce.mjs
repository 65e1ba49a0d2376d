/**
 * What the small contestants share: listen on a free loopback port, print the ready line that the
 * bench waits for, and end when asked or when the bench is gone (its end of stdin closes).
 */

const UNCHECKED_KEY = Buffer.alloc(64).toString("base64");

/**
 * @param {import("node:http").Server} server
 * @param {string} key what clients sign with; any key will do for a server that checks none
 */
export function announce(server, key = UNCHECKED_KEY) {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("not a TCP port");
    const endpoint = `http://127.0.0.1:${address.port}`;
    process.stdout.write(`${JSON.stringify({ ready: true, endpoint, key, pid: process.pid })}\n`);
  });
  process.on("SIGTERM", () => process.exit(0));
  process.stdin.on("end", () => process.exit(0)).resume();
}
