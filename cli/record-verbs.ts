// The commands that most kinds of records have in common: list, show, delete.
import { type Client, type ClientCall, clientVerb } from "./client/client";
import type { FlagSpec, Verb } from "./command";
import { EXIT, UsageError } from "./errors";
import type { Io } from "./io";
import { print, printDeleted, printList, printRecord, type Shape } from "./output";

export const YES = { flag: "-y, --yes", meaning: "do not ask for confirmation" };

interface Texts {
  summary: string;
  examples: readonly string[];
}

/** `list`, of all records. `empty` is the note for people if there are none. */
export function listVerb<T extends object>({
  find,
  shape,
  empty,
  ...texts
}: Texts & { find(client: Client): Promise<readonly T[]>; shape: Shape<T>; empty: string }): Verb {
  return clientVerb({
    ...texts,
    usage: "list",
    read: () => ({}),
    run: async ({ io, common, client }) => printList(io, common, await find(client), shape, empty),
  });
}

/** `show <id>` */
export function showVerb<T extends object>({
  find,
  shape,
  ...texts
}: Texts & { find(client: Client, id: string): Promise<T>; shape: Shape<T> }): Verb {
  return clientVerb({
    ...texts,
    usage: "show <id>",
    read: (line) => ({ id: line.word(0) }),
    run: async ({ io, common, client }, { id }) => printRecord(io, common, await find(client, id), shape),
  });
}

/** `delete <id>`, without a confirmation. `done` is the note for people. */
export function deleteVerb({
  remove,
  done,
  usage = "delete <id>",
  ...texts
}: Texts & {
  usage?: string;
  flags?: readonly FlagSpec[];
  remove(client: Client, id: string): Promise<unknown>;
  done(id: string): string;
}): Verb {
  return clientVerb({
    ...texts,
    usage,
    read: (line) => ({ id: line.word(0) }),
    run: async ({ io, common, client }, { id }) => {
      await remove(client, id);
      printDeleted(io, common, id);
      io.note(done(id));
    },
  });
}

/** Throws `usage` if a deletion needs a confirmation and there is no terminal. */
export function checkConfirmable(io: Io, yes: boolean): void {
  if (!yes && !io.interactive)
    throw new UsageError("Confirmation needs a terminal. To delete without confirmation, use --yes.");
}

/** Asks for confirmation, deletes, and prints the deleted record, or its id. Resolves to the exit code. */
export async function deleteConfirmed(
  { io, common }: Omit<ClientCall, "client">,
  { yes, id, question }: { yes: boolean; id: string; question: string },
  remove: () => Promise<{ record?: object; done: string }>,
): Promise<number> {
  if (!yes && !(await io.prompts.confirm(question, false))) {
    printDeleted(io, common, id, false);
    io.note("Nothing was deleted.");
    return EXIT.error;
  }
  const { record, done } = await remove();
  if (record === undefined || common.output === "name") printDeleted(io, common, id);
  else print(io, common.output, record, () => "");
  io.note(done);
  return EXIT.ok;
}
