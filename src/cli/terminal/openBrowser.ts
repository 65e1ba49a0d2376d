/**
 * Opens an address in the user's browser with the command that the platform has for it.
 *
 * Whether a browser opens is a comfort: a machine without one goes on without it, and is told what
 * to open by hand. The address is handed over as one argument, never through a shell.
 */
import { spawn } from "node:child_process";

type OpenCommand = readonly [command: string, ...args: string[]];

/** The command that opens `url` on a platform, as `process.platform` names it. */
export function openCommandOf(platform: string, url: string): OpenCommand {
  if (platform === "darwin") return ["open", url];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}

/** `say` is told, once, if no browser could be opened. Returns at once and never throws. */
export function openBrowser(url: string, say: (text: string) => void): void {
  const [command, ...args] = openCommandOf(process.platform, url);
  let isSaid = false;
  const complain = (reason: string): void => {
    if (isSaid) return;
    isSaid = true;
    say(`No browser could be opened (${command}: ${reason}). Open ${url} yourself.\n`);
  };
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  child.once("error", (error: Error & { readonly code?: string }) => {
    complain(error.code === "ENOENT" ? "there is no such program" : error.message);
  });
  child.once("exit", (code) => {
    if (code !== null && code !== 0) complain(`ended with ${code}`);
  });
  // The server does not wait for it, nor end with it.
  child.unref();
}
