// `runtime keys rotate-root`. It cannot be undone, and decides which key earlier backups need.
import { withDataFolder } from "./client/client";
import { type Common, verb } from "./command";
import { EXIT, UsageError } from "./errors";
import type { Io } from "./io";
import { printRecord } from "./output";

interface Options {
  leaveDamaged: boolean;
  deleteOld: boolean;
  yes: boolean;
}

export const rotateRootVerb = verb<Options>({
  usage: "rotate-root",
  summary:
    "Replace the root key. Servers may keep running. The old key is kept in a file of its own, because earlier backups need it.",
  examples: ["runtime keys rotate-root", "runtime keys rotate-root --yes"],
  flags: [
    { flag: "--leave-damaged", meaning: "continue if data keys are damaged, and leave those unchanged" },
    { flag: "--delete-old", meaning: "delete the old key: no backup from before can ever be opened again" },
    { flag: "--yes", meaning: "do not ask for confirmation" },
  ],
  read: (line) => ({
    leaveDamaged: line.has("leave-damaged"),
    deleteOld: line.has("delete-old"),
    yes: line.has("yes"),
  }),
  run: rotateRoot,
});

async function rotateRoot(io: Io, common: Common, options: Options): Promise<number> {
  const { yes, deleteOld } = options;
  if (!yes && !io.interactive)
    throw new UsageError(
      "Confirmation needs a terminal. To rotate the root key without confirmation, use --yes.",
    );
  const backups = deleteOld
    ? "No backup from before can then be opened."
    : "Backups from before then need the old key, which is kept next to the new one.";
  return withDataFolder(io, common, "keys rotate-root", async ({ runtime, principal }) => {
    if (!yes && !(await io.prompts.confirm(`Replace the root key? ${backups}`, false))) {
      io.note("Nothing was changed.");
      return EXIT.error;
    }
    const before = new Date(runtime.core.clock.now()).toISOString();
    const rotated = await runtime.rotation.rotateRoot(principal, options);
    const { id, old_id, old_in, damaged } = rotated;
    printRecord(io, common, rotated, {
      name: () => id,
      columns: [],
      optional: ["old_in", "damaged"],
      lines: () => [
        ["root key", id],
        ["old root key", old_id],
        ["kept in", old_in ?? "nowhere: it was deleted"],
      ],
    });
    if (damaged !== undefined)
      io.note(`Data keys that are damaged and were left unchanged: ${damaged}. See the log.`);
    io.note(
      old_in === undefined
        ? `Backups from before ${before} can no longer be opened. Make a new one.`
        : `Backups from before ${before} need the old root key ${old_id} from ${old_in}. Delete it when you no longer keep such backups.`,
    );
    io.note("Back up the new root key, separately from the data.");
    return EXIT.ok;
  });
}
