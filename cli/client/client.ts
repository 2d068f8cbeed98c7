// The two ways in which a command reaches what `runtime` can do: the services on the local data folder, or a server over
// HTTP. Each capability is written down once, with both ways side by side, so that a command cannot tell them apart.
import type { TSchema, Static } from "typebox";
import type { Config } from "../../src/config";
import type { Common } from "../command";
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
}

export type Client = Direct | Remote;

/** What the direct way of a capability gets: the session, and the check that a server would make of a body. */
export interface DirectCall extends Session {
  /** A body, or what else is named. Throws what the server answers for it, word for word. */
  checked<T extends TSchema>(schema: T, value: unknown, what?: "request body" | "query"): Static<T>;
}

/** One thing that can be done, in both ways. They answer the same record and throw the same errors. */
export interface Ways<A extends readonly unknown[], R> {
  direct(call: DirectCall, ...args: A): Promise<R> | R;
  remote(server: Server, ...args: A): Promise<R>;
}

export function capability<A extends readonly unknown[], R>({ direct, remote }: Ways<A, R>) {
  return async (client: Client, ...args: A): Promise<R> => {
    if (client.kind === "remote") return remote(client.server, ...args);
    const { checked } = await import("../../src/base");
    const check: DirectCall["checked"] = (schema, value, what = "request body") =>
      checked(schema, value, what);
    return direct({ ...client.session, checked: check }, ...args);
  };
}

/** Runs `work` against the server that flags, environment, file or login name, else on the data folder. */
export async function withClient<T>(
  io: Io,
  common: Common,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const config = await loadCommonConfig(io, common);
  const target = await targetOf(io, common, config);
  if (target === undefined)
    return withSession(io, common, (session) => work({ kind: "direct", config, session }), { config });
  const { connect } = await import("./http");
  const server = await connect(common, config, target);
  return work({ kind: "remote", config, server });
}

/** For what concerns the whole deployment: only on the data folder. `command`: its name, for the refusal. */
export async function withDataFolder<T>(
  io: Io,
  common: Common,
  command: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const config = await loadCommonConfig(io, common);
  const address = addressOf(common, config);
  if (address === undefined) return withSession(io, common, work, { config });
  throw new UsageError(
    `runtime ${command} works on the data folder only, and commands go to ${address} now. On the server's own ` +
      `machine: --server ${LOCAL}.`,
  );
}

/** For commands about this machine. Throws `usage` when a server was named on the command line. */
export function refuseServer({ server }: Common, command: string): void {
  if (server === undefined || server === LOCAL) return;
  throw new UsageError(`runtime ${command} is about this machine and takes no --server.`);
}

/** Whether browsers find a server at the addresses that users get. */
export async function isServed(client: Client): Promise<boolean> {
  return client.kind === "remote" || (await client.session.server()) !== undefined;
}
