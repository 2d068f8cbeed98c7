// The commands that most kinds of records have in common: list, show, delete.
import { type Client, type ClientCall, clientVerb, withClient } from "./client/client";
import { type FlagSpec, type Line, type Verb, verb } from "./command";
import { EXIT, UsageError } from "./errors";
import type { Io } from "./io";
import { print, printDeleted, printList, printRecord, type Shape } from "./output";

export const YES = { flag: "-y, --yes", meaning: "do not ask for confirmation" };
/** The flags of everything that deletes. */
export const DELETING: readonly FlagSpec[] = [
  YES,
  { flag: "--force", meaning: "delete also what is in use; do not ask at all" },
];

interface Texts {
  summary: string;
  examples: readonly string[];
}

interface Listing<T extends object> extends Texts {
  find(client: Client): Promise<readonly T[]>;
  shape: Shape<T>;
  /** The note for people if there are no records. */
  empty: string;
  /** Notes about the records, after the list. */
  after?(io: Io, records: readonly T[]): void;
}

/** `list`, of all records. */
export function listVerb<T extends object>({ find, shape, empty, after, ...texts }: Listing<T>): Verb {
  return clientVerb({
    ...texts,
    usage: "list",
    read: () => ({}),
    run: async ({ io, common, client }) => {
      const records = await find(client);
      printList(io, common, records, shape, empty);
      after?.(io, records);
    },
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

/** What is about to be deleted. */
export interface Deletion {
  id: string;
  /** What a person types to confirm, if it is in use: the id, the slug or the key. */
  name: string;
  /** With the consequences: `Delete the gateway support? Clients that use it get 404.` */
  question: string;
  /** The note at the end: `The gateway support is deleted.` */
  done: string;
  /** Why a yes is not enough: `It is the last admin key.` Undefined: it is not in use. */
  inUse?: string | undefined;
}

/** `--yes` and `--force`. */
export interface Confirmation {
  yes: boolean;
  force: boolean;
}

export function confirmationIn(line: Line): Confirmation {
  return { yes: line.has("yes"), force: line.has("force") };
}

/** `delete <id>`. `find` fails for an unknown id, before anything is asked. */
export function deleteVerb({
  find,
  remove,
  usage = "delete <id>",
  ...texts
}: Texts & {
  usage?: string;
  find(client: Client, id: string): Promise<Deletion> | Deletion;
  /** May resolve to the deleted record, which is then printed. */
  remove(client: Client, id: string): Promise<object | void>;
}): Verb {
  return verb({
    ...texts,
    usage,
    flags: DELETING,
    read: (line) => ({ id: line.word(0), ...confirmationIn(line) }),
    run: (io, common, { id, ...given }) => {
      // Before anything is opened or requested.
      checkConfirmable(io, given.yes || given.force);
      return withClient(io, common, async (client) => {
        const deletion = await find(client, id);
        return deleteConfirmed({ io, common }, given, deletion, () => remove(client, deletion.id));
      });
    },
  });
}

/** Throws `usage` if a deletion needs a confirmation and there is no terminal. */
export function checkConfirmable(io: Io, confirmed: boolean): void {
  if (!confirmed && !io.interactive)
    throw new UsageError("Confirmation needs a terminal. To delete without confirmation, use --yes.");
}

/**
 * The rule for every deletion. It asks at a terminal, and needs `--yes` elsewhere. What is in use needs its name typed, also
 * with `--yes`, or `--force`. Prints the deleted record, or its id. Resolves to the exit code.
 */
export async function deleteConfirmed(
  { io, common }: Omit<ClientCall, "client">,
  given: Confirmation,
  deletion: Deletion,
  remove: () => Promise<object | void>,
): Promise<number> {
  if (!(await isConfirmed(io, given, deletion))) {
    printDeleted(io, common, deletion.id, false);
    io.note("Nothing was deleted.");
    return EXIT.error;
  }
  const record = (await remove()) ?? undefined;
  if (record === undefined || common.output === "name") printDeleted(io, common, deletion.id);
  else print(io, common.output, record, () => "");
  io.note(deletion.done);
  return EXIT.ok;
}

async function isConfirmed(
  io: Io,
  { yes, force }: Confirmation,
  { name, question, inUse }: Deletion,
): Promise<boolean> {
  if (force) return true;
  if (inUse === undefined) return yes || io.prompts.confirm(question, false);
  if (!io.interactive) throw new UsageError(`${inUse} To delete it all the same, use --force.`);
  return (await io.prompts.ask(`${inUse} ${question} Type ${name} to confirm`)) === name;
}
