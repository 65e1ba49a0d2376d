/** What an owner is told whose port another program has. */
import { BadOption } from "./surroundings/options.ts";

export function portTaken(error: Error & { code?: string }, port: number, option: string): Error {
  if (error.code !== "EADDRINUSE") return error;
  return new BadOption(
    `Port ${port} is taken by another program. Stop it, or choose another with ${option} ` +
      "(0 lets the system choose).",
  );
}
