#!/usr/bin/env node
/**
 * Where the command begins: lets Node keep what it compiles, where it can (22.8 and later), and
 * loads everything else. It is a file of its own because what a file imports is compiled before
 * its first line runs. `NODE_COMPILE_CACHE` says where that is kept, `NODE_DISABLE_COMPILE_CACHE=1`
 * that nothing is; by default it is in the system's folder for temporary files.
 */
import module from "node:module";

module.enableCompileCache?.();

const { runCommand } = await import("./command.ts");
await runCommand(process.argv.slice(2));
