/**
 * Every command of `orrery`, once: its name, what it is for in a few words, and where to load it
 * from. The lists that `orrery help` prints, the search for what somebody meant, and the completion
 * of shells are made of this table.
 *
 * The options of a command are not listed here. Its help has a line for each, which `helpOptions`
 * (`terminal/helpOptions.ts`) reads, and a test holds the help against what the command takes.
 */
import type { Environment } from "./connect/serverOptions.ts";

/** What is loaded when a command is asked for: none needs what all of them need together. */
interface LoadedCommand {
  readonly run: (
    args: string[],
    environment: Environment,
    table: readonly (CommandEntry | CommandFamily)[],
  ) => Promise<void>;
  readonly help: string;
}

export interface CommandEntry {
  readonly kind: "command";
  readonly name: string;
  readonly about: string;
  readonly load: () => Promise<LoadedCommand>;
  readonly words: readonly string[];
}

/** A command that has commands of its own. */
export interface CommandFamily {
  readonly kind: "family";
  readonly name: string;
  readonly about: string;
  /** What its help says before the list. */
  readonly intro: string;
  /** The document that tells the whole story. */
  readonly page: string;
  readonly commands: readonly CommandEntry[];
}

const SNAPSHOT: CommandFamily = {
  kind: "family",
  name: "snapshot",
  about: "save what is there as a seed, and load it elsewhere",
  intro: "Databases, containers, scripts and items as a folder of files, which is a seed.",
  page: "docs/use/seed.md",
  commands: [
    command("save", "write what is there into a folder", async () => {
      const { runSnapshotSave, SNAPSHOT_SAVE_HELP } = await import("./snapshot/save.ts");
      return { run: runSnapshotSave, help: SNAPSHOT_SAVE_HELP };
    }),
    command("load", "make in a running server what a seed says", async () => {
      const { runSnapshotLoad, SNAPSHOT_LOAD_HELP } = await import("./snapshot/load.ts");
      return { run: runSnapshotLoad, help: SNAPSHOT_LOAD_HELP };
    }),
  ],
};

const LAB: CommandFamily = {
  kind: "family",
  name: "lab",
  about: "find the partition key for your data and your workload",
  intro: `\
Finds the partition key for your data and your workload, with the numbers behind it and a run
that proves them. From start to end:`,
  page: "docs/lab/README.md",
  commands: [
    command("profile", "read your data once and save what it says about keys", async () => {
      const { LAB_PROFILE_HELP, runLabProfile } = await import("./lab/profile.ts");
      return { run: runLabProfile, help: LAB_PROFILE_HELP };
    }),
    command(
      "workload",
      "write a workload file to begin with, or check one",
      async () => {
        const { LAB_WORKLOAD_HELP, runLabWorkload } = await import("./lab/workload.ts");
        return { run: runLabWorkload, help: LAB_WORKLOAD_HELP };
      },
      ["new", "check", "templates"],
    ),
    command("advise", "simulate candidates, rank them, and say why", async () => {
      const { ADVISE_HELP, runLabAdvise } = await import("./lab/advise.ts");
      return { run: runLabAdvise, help: ADVISE_HELP };
    }),
    command("check", "score one key that you name", async () => {
      const { CHECK_HELP, runLabCheck } = await import("./lab/check.ts");
      return { run: runLabCheck, help: CHECK_HELP };
    }),
    command("select", "the guides' four rules for a key, and what they come to here", async () => {
      const { runLabSelect, SELECT_HELP } = await import("./lab/select.ts");
      return { run: runLabSelect, help: SELECT_HELP };
    }),
    command(
      "prove",
      "run the candidates on the engine, and compare with the prediction",
      async () => {
        const { runLabProve } = await import("./lab/prove.ts");
        const { LAB_PROVE_HELP } = await import("./lab/proveOptions.ts");
        return { run: runLabProve, help: LAB_PROVE_HELP };
      },
    ),
    command(
      "verify",
      "compare a container that was moved with what was predicted (advise --migrate)",
      async () => {
        const { runLabVerify, VERIFY_HELP } = await import("./lab/verify.ts");
        return { run: runLabVerify, help: VERIFY_HELP };
      },
    ),
    command("scenario", "worked cases of the guides, with their verdicts beside ours", async () => {
      const { runLabScenario, SCENARIO_HELP } = await import("./lab/scenario.ts");
      return { run: (args, environment) => runLabScenario(args, environment), help: SCENARIO_HELP };
    }),
    command(
      "approaches",
      "run four ways of keeping data that ages: hot and warm, one container, one a year",
      async () => {
        const { runLabApproaches } = await import("./lab/approaches/approaches.ts");
        const { APPROACHES_HELP } = await import("./lab/approaches/approaches.ts");
        return { run: runLabApproaches, help: APPROACHES_HELP };
      },
    ),
  ],
};

const LIFECYCLE: CommandFamily = {
  kind: "family",
  name: "lifecycle",
  about: "data that ages: how to keep it, move it by itself, archive it, get it back",
  intro: `\
Data that ages: new items live in a hot container, and move by themselves to a warm one when
their date is long enough ago. Nothing is lost on the way, whatever is killed when.`,
  page: "docs/use/lifecycle.md",
  commands: [
    command(
      "plan",
      "look at all items, and say what a lifecycle would do; nothing is changed",
      async () => {
        const { PLAN_HELP, runLifecyclePlan } = await import("./lifecycle/start.ts");
        return { run: runLifecyclePlan, help: PLAN_HELP };
      },
    ),
    command("start", "begin to move items, from now on", async () => {
      const { runLifecycleStart, START_HELP } = await import("./lifecycle/start.ts");
      return { run: runLifecycleStart, help: START_HELP };
    }),
    command("status", "what lifecycles do, once or again and again (--watch)", async () => {
      const { runLifecycleStatus, STATUS_HELP } = await import("./lifecycle/status.ts");
      return { run: runLifecycleStatus, help: STATUS_HELP };
    }),
    command(
      "pause",
      "stop moving; items that were not moved stay in the hot container",
      async () => {
        const { lifecycleStep, STEP_HELP } = await import("./lifecycle/steps.ts");
        return { run: lifecycleStep("pause"), help: STEP_HELP.pause };
      },
    ),
    command("resume", "go on", async () => {
      const { lifecycleStep, STEP_HELP } = await import("./lifecycle/steps.ts");
      return { run: lifecycleStep("resume"), help: STEP_HELP.resume };
    }),
    command("run", "begin a round now", async () => {
      const { lifecycleStep, STEP_HELP } = await import("./lifecycle/steps.ts");
      return { run: lifecycleStep("run"), help: STEP_HELP.run };
    }),
    command("change", "other settings, at once", async () => {
      const { lifecycleStep, STEP_HELP } = await import("./lifecycle/steps.ts");
      return { run: lifecycleStep("change"), help: STEP_HELP.change };
    }),
    command("stop", "end a lifecycle for good", async () => {
      const { lifecycleStep, STEP_HELP } = await import("./lifecycle/steps.ts");
      return { run: lifecycleStep("stop"), help: STEP_HELP.stop };
    }),
    command(
      "advise",
      "which containers your data is best kept in, by the guides' framework and your figures",
      async () => {
        const { ADVISE_HELP, adviseCommand } = await import("./lifecycle/advise.ts");
        return { run: adviseCommand, help: ADVISE_HELP };
      },
    ),
    command(
      "archive",
      "put whole old logical partitions away in compressed files, proven before deletion",
      async () => {
        const { archiveCommand } = await import("./archive/archive.ts");
        const { ARCHIVE_HELP } = await import("./archive/help.ts");
        return { run: archiveCommand, help: ARCHIVE_HELP };
      },
    ),
    command("restore", "write items of an archive into a container", async () => {
      const { restoreCommand } = await import("./archive/restore.ts");
      const { RESTORE_HELP } = await import("./archive/help.ts");
      return { run: restoreCommand, help: RESTORE_HELP };
    }),
  ],
};

const CLUSTER: CommandFamily = {
  kind: "family",
  name: "cluster",
  about: "`cluster demo`: three servers on one database here, and one is killed",
  intro: "Several servers on one database. `orrery nodes` shows those of a running one.",
  page: "docs/operate/clusters.md",
  commands: [
    command(
      "demo",
      "three of them on this machine: one is killed under load, and what survives is shown",
      async () => {
        const { CLUSTER_DEMO_HELP, runClusterDemo } = await import("./cluster/clusterDemo.ts");
        return { run: runClusterDemo, help: CLUSTER_DEMO_HELP };
      },
    ),
  ],
};

export const COMMANDS: readonly (CommandEntry | CommandFamily)[] = [
  command("start", "run the server (the default when no command is given)", async () => {
    const { runStart, START_HELP } = await import("./start.ts");
    return { run: runStart, help: START_HELP };
  }),
  command("ls", "list databases, containers, or items", async () => {
    const { LS_HELP, runLs } = await import("./resources/ls.ts");
    return { run: runLs, help: LS_HELP };
  }),
  command("show", "everything about a database, a container or an item", async () => {
    const { runShow, SHOW_HELP } = await import("./resources/show.ts");
    return { run: runShow, help: SHOW_HELP };
  }),
  command("create", "make a database or a container", async () => {
    const { CREATE_HELP, runCreate } = await import("./resources/create.ts");
    return { run: runCreate, help: CREATE_HELP };
  }),
  command("rm", "delete a database, a container or an item", async () => {
    const { RM_HELP, runRm } = await import("./resources/rm.ts");
    return { run: runRm, help: RM_HELP };
  }),
  command("get", "print an item", async () => {
    const { GET_HELP, runGet } = await import("./resources/get.ts");
    return { run: runGet, help: GET_HELP };
  }),
  command("put", "write items, from a file or standard input", async () => {
    const { PUT_HELP, runPut } = await import("./resources/put.ts");
    return { run: runPut, help: PUT_HELP };
  }),
  command("query", "ask a running server, and print the rows", async () => {
    const { runQuery } = await import("./query.ts");
    const { QUERY_HELP } = await import("./query/queryOptions.ts");
    return { run: runQuery, help: QUERY_HELP };
  }),
  command("partitions", "show how a container is placed and where its load is", async () => {
    const { PARTITIONS_HELP, runPartitions } = await import("./partitions/partitions.ts");
    return { run: runPartitions, help: PARTITIONS_HELP };
  }),
  command("split", "split a physical partition", async () => {
    const { runSplit, SPLIT_HELP } = await import("./partitions/split.ts");
    return { run: runSplit, help: SPLIT_HELP };
  }),
  command("merge", "merge two physical partitions", async () => {
    const { MERGE_HELP, runMerge } = await import("./partitions/merge.ts");
    return { run: runMerge, help: MERGE_HELP };
  }),
  command("move", "move a physical partition to another database of the server", async () => {
    const { MOVE_HELP, runMove } = await import("./partitions/move.ts");
    return { run: runMove, help: MOVE_HELP };
  }),
  command("rebalance", "show which database has what, and even it out", async () => {
    const { REBALANCE_HELP, runRebalance } = await import("./partitions/rebalance.ts");
    return { run: runRebalance, help: REBALANCE_HELP };
  }),
  command(
    "copy",
    "copy a container under another key, verified, and lead clients to the copy",
    async () => {
      const { runCopy } = await import("./copy/copy.ts");
      const { COPY_HELP } = await import("./copy/help.ts");
      return { run: runCopy, help: COPY_HELP };
    },
    ["cut-over", "complete", "revert", "verify", "mirror", "set-aside"],
  ),
  LIFECYCLE,
  command(
    "jobs",
    "long work of the server: list, watch, pause, resume, cancel, throttle",
    async () => {
      const { JOBS_HELP, runJobs } = await import("./jobs/jobs.ts");
      return { run: runJobs, help: JOBS_HELP };
    },
    ["list", "show", "watch", "pause", "resume", "cancel", "throttle"],
  ),
  LAB,
  command("import", "put items from files into a container", async () => {
    const { runImport } = await import("./import.ts");
    const { IMPORT_HELP } = await import("./import/options.ts");
    return { run: runImport, help: IMPORT_HELP };
  }),
  command("export", "write the items of a container to a file", async () => {
    const { runExport } = await import("./export.ts");
    const { EXPORT_HELP } = await import("./export/options.ts");
    return { run: runExport, help: EXPORT_HELP };
  }),
  SNAPSHOT,
  command("backup", "write a backup of a running server into one file", async () => {
    const { BACKUP_HELP, runBackup } = await import("./backup.ts");
    return { run: runBackup, help: BACKUP_HELP };
  }),
  command("restore", "make a data directory of a backup", async () => {
    const { RESTORE_HELP, runRestore } = await import("./restore.ts");
    return { run: runRestore, help: RESTORE_HELP };
  }),
  command("check", "look for damage in a data directory or a backup", async () => {
    const { CHECK_HELP, runCheck } = await import("./check.ts");
    return { run: runCheck, help: CHECK_HELP };
  }),
  command("doctor", "find out whether a database can keep the data", async () => {
    const { DOCTOR_HELP, runDoctor } = await import("./doctor.ts");
    return { run: runDoctor, help: DOCTOR_HELP };
  }),
  command("nodes", "show the servers that share a database, and which of them works", async () => {
    const { NODES_HELP, runNodes } = await import("./cluster/nodes.ts");
    return { run: runNodes, help: NODES_HELP };
  }),
  CLUSTER,
  command("record", "record what is asked of a container, as a workload for the lab", async () => {
    const { RECORD_HELP, runRecord } = await import("./record.ts");
    return { run: runRecord, help: RECORD_HELP };
  }),
  command(
    "keys",
    "show the account keys of a running server, or make one anew",
    async () => {
      const { KEYS_HELP, runKeys } = await import("./keys.ts");
      return { run: runKeys, help: KEYS_HELP };
    },
    ["list", "regenerate"],
  ),
  command("trust", "say how clients trust the server's certificate, or install it", async () => {
    const { runTrust, TRUST_HELP } = await import("./trust.ts");
    return { run: runTrust, help: TRUST_HELP };
  }),
  command(
    "demo",
    "watch hot and full partitions, fan-out and splits happen",
    async () => {
      const { DEMO_HELP, runDemo } = await import("./demo.ts");
      return { run: runDemo, help: DEMO_HELP };
    },
    ["hot-partition", "full-partition", "fan-out", "split"],
  ),
  command("config", "check and print the settings file, or its schema", async () => {
    const { CONFIG_HELP, runConfig } = await import("./config.ts");
    return { run: runConfig, help: CONFIG_HELP };
  }),
  command(
    "completion",
    "print what lets a shell complete all this",
    async () => {
      const { COMPLETION_HELP, runCompletion } = await import("./completion.ts");
      return { run: runCompletion, help: COMPLETION_HELP };
    },
    ["bash", "zsh", "fish"],
  ),
];

function command(
  name: string,
  about: string,
  load: () => Promise<LoadedCommand>,
  words: readonly string[] = [],
): CommandEntry {
  return { kind: "command", name, about, load, words };
}

/** The one of this name. */
export function entryNamed<T extends { readonly name: string }>(
  entries: readonly T[],
  name: string | undefined,
): T | undefined {
  return entries.find((entry) => entry.name === name);
}
