// Every operation has two implementations: the services on the local data folder, or a server over HTTP. Each operation
// is declared once, with both next to each other, so that commands do not depend on which one runs.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TSchema, Static } from "typebox";
import { checkUserId, shellWord } from "../../src/base";
import type { Config } from "../../src/config";
import type { Runtime } from "../../src/runtime";
import { type Common, type Verb, verb, type VerbSpec } from "../command";
import type { Io } from "../io";
import { UsageError } from "../errors";
import { loadCommonConfig, type Session, withSession } from "../session";
import type { Server } from "./http";
import { addressOf, LOCAL, targetOf } from "./target";

export interface Direct {
  kind: "direct";
  config: Config;
  session: Session;
}

export interface Remote {
  kind: "remote";
  config: Config;
  server: Server;
  /** The person who is signed in, if commands do not act with a key. */
  user?: string | undefined;
}

export type Client = Direct | Remote;

/** The session of a direct operation, with the check of a body or query that a server would make. */
export interface DirectCall extends Session {
  /** Throws the same error as the server. */
  checked<T extends TSchema>(schema: T, value: unknown, what?: "request body" | "query"): Static<T>;
  /** The runtime, once the addresses that users get are those of a running server. */
  served(): Promise<Runtime>;
}

/** Both implementations of an operation. They return the same record and throw the same errors. */
export interface Implementations<A extends readonly unknown[], R> {
  direct(call: DirectCall, ...args: A): Promise<R> | R;
  remote(server: Server, ...args: A): Promise<R>;
}

export function operation<A extends readonly unknown[], R>({ direct, remote }: Implementations<A, R>) {
  return async (client: Client, ...args: A): Promise<R> => {
    if (client.kind === "remote") return remote(client.server, ...args);
    const { session } = client;
    const { checked } = await import("../../src/base");
    const call: DirectCall = {
      ...session,
      checked: (schema, value, what = "request body") => checked(schema, value, what),
      served: async () => {
        await session.server();
        return session.runtime;
      },
    };
    return direct(call, ...args);
  };
}

export interface ClientCall {
  io: Io;
  common: Common;
  client: Client;
}

interface ClientVerbSpec<O extends object> extends Omit<VerbSpec<O>, "run"> {
  /** Resolves to the exit code, if it is not 0. */
  run(call: ClientCall, options: O): Promise<number | void>;
}

/** A command that works against a server or on the data folder. */
export function clientVerb<O extends object>({ run, ...spec }: ClientVerbSpec<O>): Verb {
  return verb({
    ...spec,
    run: (io, common, options) => withClient(io, common, (client) => run({ io, common, client }, options)),
  });
}

/** Runs `work` against the server that is configured by flag, environment, file or login, or on the data folder. */
export async function withClient<T>(
  io: Io,
  common: Common,
  work: (client: Client) => Promise<T>,
  loaded?: Config,
): Promise<T> {
  const config = loaded ?? (await loadCommonConfig(io, common));
  const target = await targetOf(io, common, config);
  if (target === undefined) {
    checkDataFolder(common, config);
    return withSession(io, common, (session) => work({ kind: "direct", config, session }), { config });
  }
  const { connect } = await import("./http");
  const server = await connect(common, config, target);
  return work({ kind: "remote", config, server, user: target.signIn?.user });
}

/** For commands on the whole deployment, which need the data folder. `command` is the name for the error message. */
export async function withDataFolder<T>(
  io: Io,
  common: Common,
  command: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const config = await loadCommonConfig(io, common);
  const address = addressOf(common, config);
  if (address === undefined) {
    checkDataFolder(common, config);
    return withSession(io, common, work, { config });
  }
  throw new UsageError(
    `runtime ${command} works on the data folder only, but commands go to ${address}. On the server's own ` +
      `machine use --server ${LOCAL}.`,
  );
}

/**
 * A misspelled folder would become a new, empty installation: in the folder of `--data-dir`, only `runtime init` and
 * `runtime serve` create one, unless somebody has made an empty folder for it. Throws `usage`.
 */
export function checkDataFolder({ dataDir }: Common, config: Config): void {
  if (dataDir === undefined || config.settings["database.url"] !== undefined) return;
  const folder = config.dataFolder();
  if (existsSync(join(folder, "runtime.db"))) return;
  const exists = existsSync(folder);
  if (exists && readdirSync(folder).length === 0) return;
  const fault = exists ? "contains other files, but no installation" : "does not exist";
  throw new UsageError(
    `--data-dir: the folder ${folder} ${fault}. To create one there: runtime init --data-dir ${shellWord(dataDir)}`,
  );
}

/** For commands about this machine. Throws `usage` if the command line names a server. */
export function refuseServer({ server }: Common, command: string): void {
  if (server === undefined || server === LOCAL) return;
  throw new UsageError(`runtime ${command} works on this machine and does not take --server.`);
}

/** How long a command waits for a server that was started just before it, as with `runtime serve &`. */
const STARTING_MS = 1000;
const LOOK_EVERY_MS = 100;

/** Whether a server is running at the addresses that users get. `wait`: one that is starting counts as well. */
export async function isServed(client: Client, { wait = false } = {}): Promise<boolean> {
  if (client.kind === "remote" || (await client.session.server()) !== undefined) return true;
  if (!wait) return false;
  const { runtime } = client.session;
  const { clock } = runtime.core;
  const { findServer } = await import("../probe");
  for (const end = clock.monotonic() + STARTING_MS; clock.monotonic() < end;) {
    await clock.sleep(LOOK_EVERY_MS);
    if ((await findServer(runtime)) !== undefined) return true;
  }
  return false;
}

/** The user that a command acts for: `--user`, the person who is signed in, or the configured user. Throws `usage`. */
export function userOf(
  { config, user: person }: { config: Config; user?: string | undefined },
  flag: string | undefined,
): string {
  const user = flag ?? person ?? config.settings.user;
  if (user !== undefined) return checkUserId(user, flag === undefined ? "user" : "--user");
  throw new UsageError(
    "--user USER is required. To set a default, use RUNTIME_USER, or run `runtime init` once.",
  );
}
