/**
 * The official client of the service. It is no dependency of this package: whoever runs a demo has
 * it beside this package or in the folder they are in, or is told how to get it.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { CommandFailure } from "../terminal/failure.ts";

export type OfficialClient = typeof import("@azure/cosmos");

export async function officialClient(folder: string): Promise<OfficialClient> {
  try {
    return await import("@azure/cosmos");
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    return createRequire(join(folder, "package.json"))("@azure/cosmos") as OfficialClient;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  throw new CommandFailure(
    "This drives the server with the official client, which is not installed here. " +
      "Get it with `npm install @azure/cosmos`.",
  );
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}
