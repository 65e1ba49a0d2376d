/**
 * How a container of the image runs: what it starts, as whom, which ports and folders are for
 * others. The Dockerfile says the same, and a test compares the two.
 */

/** Where the application is. */
export const APPLICATION = "opt/orrery";
const TEMPORARY = "/tmp";
/** Where Testcontainers' module for Python copies the certificate from. */
export const CERTIFICATE = `${TEMPORARY}/cosmos/appdata/.system/profiles/Client/AppData/Local/CosmosDBEmulator/emulator.pem`;
/** The user that serves; it owns what is to be kept. */
export const USER = 1000;
/** What is to be kept. Data is in a folder of it, and so is a certificate authority. */
export const KEPT = "/data";

/** Whatever a container is told besides comes after these, and wins. */
const ARGUMENTS = [
  ["start"],
  ["--host", "0.0.0.0"],
  ["--health-port", "8080"],
  ["--well-known-key"],
  ["--admin", "any"],
  ["--emulator-log"],
  ["--ca-file", CERTIFICATE],
].flat();

const SECOND_NS = 1e9;

/** In the words of an image's configuration. */
export const CONTAINER = {
  User: `${USER}:0`,
  WorkingDir: KEPT,
  Entrypoint: ["/usr/local/bin/node", `/${APPLICATION}/dist/cli.js`, ...ARGUMENTS],
  Cmd: [],
  Env: ["PATH=/usr/local/bin:/usr/bin", "ENABLE_EXPLORER=true"],
  ExposedPorts: { "8080/tcp": {}, "8081/tcp": {} },
  Volumes: { [KEPT]: {} },
  StopSignal: "SIGTERM",
  Healthcheck: {
    Test: ["CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/ready"],
    Interval: 5 * SECOND_NS,
    Timeout: 2 * SECOND_NS,
    StartPeriod: 60 * SECOND_NS,
    Retries: 3,
  },
};

/** @type {(manifest: { version: string, description: string, license: string }) => Record<string, string>} */
export function labelsOf({ version, description, license }) {
  return {
    "org.opencontainers.image.title": "orrery",
    "org.opencontainers.image.description": description,
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": license,
  };
}
