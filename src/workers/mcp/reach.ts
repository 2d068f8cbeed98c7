// How an MCP worker is reached: with the headers of its record, and for calls with the user's token.
import { type Clock, type JsonObject, netstrings, present, Redacted, reveal } from "../../base";
import type { Egress } from "../../egress";
import type { McpClient, Send } from "../../mcp";
import type { Telemetry } from "../../telemetry";
import type { ToolContext } from "../../tools";
import { identityHeaders, type OnBehalf } from "../identity";
import { isProgram, type StdioWorkers } from "../stdio";
import type { LoadedWorker } from "../tool";
import type { WorkerUser } from "../user-values";
import type { HeldCalls } from "./held";
import type { OwnTokens } from "./own-tokens";

export interface McpParts {
  egress: Egress;
  telemetry?: Telemetry | undefined;
  clock: Clock;
  client: McpClient;
  held: HeldCalls;
  /** Workers that are programs. */
  stdio?: StdioWorkers | undefined;
  /** Setting `mcp.max_result_bytes`. */
  maxResultBytes: number;
  /** Called when a worker seems to have other tools than its stored catalog. */
  stale?: ((projectId: string, workerId: string) => void) | undefined;
}

export type WorkerHeaders = Readonly<Record<string, string | Redacted>>;

/** The name of the worker's address in its catalog. */
export const BASE = "worker";
const MOST_CATALOG_BYTES = 10 * 1024 * 1024;

/** Those of the record, in lower case, without those of the protocol. */
export async function headersOf(worker: LoadedWorker, user?: WorkerUser): Promise<WorkerHeaders> {
  const headers = Object.entries(await worker.headers(user)).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return Object.fromEntries(headers.filter(([name]) => !isOfProtocol(name)));
}

function isOfProtocol(name: string): boolean {
  return name.startsWith("mcp-") || ["accept", "content-type", "last-event-id"].includes(name);
}

/** Whom a catalog is read for: the token of the administrator's consent, and the administrator's own keys. */
export interface Administrator {
  token?: Redacted | undefined;
  user?: WorkerUser | undefined;
}

function programsOf({ stdio }: Pick<McpParts, "stdio">): StdioWorkers {
  if (stdio === undefined) throw new Error("there are no programs here");
  return stdio;
}

/** How a server is asked without a user. */
export interface OwnReach extends AsyncDisposable {
  send: Send;
  /** What a program has written on its standard error. */
  lastWords(): string[];
  /** The server has answered. */
  answered(): Promise<void>;
}

export async function ownReach(parts: McpParts, worker: LoadedWorker, by: Administrator): Promise<OwnReach> {
  const hasKeys = Object.keys(by.user?.keys ?? {}).length > 0;
  if (isProgram(worker)) return programsOf(parts).reading(worker, hasKeys ? by.user : undefined);
  const nothing = async (): Promise<void> => undefined;
  return {
    send: ownSend(parts, worker, by),
    lastWords: () => [],
    answered: nothing,
    [Symbol.asyncDispose]: nothing,
  };
}

/** Sends without a user of a run: for catalogs. `on`: the user whose session it ends. */
export function ownSend(
  { egress }: Pick<McpParts, "egress">,
  worker: LoadedWorker,
  { token, user, on }: Administrator & { on?: OnBehalf } = {},
): Send {
  return async (request) =>
    egress.fetch(worker.uri, {
      ...request,
      group: "worker",
      address: await worker.address?.(),
      headers: {
        ...(await headersOf(worker, user)),
        ...(token === undefined ? {} : { authorization: new Redacted(`Bearer ${token.reveal()}`) }),
        ...(await identityHeaders(worker, on)),
        ...request.headers,
      },
      project: worker.projectId,
      secretsFor: [new URL(worker.uri).origin],
      maxBytes: MOST_CATALOG_BYTES,
    });
}

/** The place of a request in a trace, for its `_meta`, if the worker may have it. A program has no address. */
export function traceMeta(
  { telemetry }: Pick<McpParts, "telemetry">,
  { toolkit, uri, stdio }: LoadedWorker,
): JsonObject | undefined {
  const origin = stdio === undefined ? new URL(uri).origin : undefined;
  const trace = telemetry?.headersFor(() => ({ groups: [toolkit, "worker"], origin }));
  return trace === undefined ? undefined : present(trace);
}

/** Sends as the user of a run, with the user's token if the tool needs one. */
export function callSend(
  parts: Pick<McpParts, "stdio">,
  worker: LoadedWorker,
  context: ToolContext,
  { headers, own }: { headers: WorkerHeaders; own: OwnTokens },
): Send {
  const { call, userKeys, fence } = context;
  if (isProgram(worker))
    return programsOf(parts).callSend(worker, { id: call.userId, keys: userKeys }, fence);
  return async (request) => {
    const identity = await identityHeaders(worker, call);
    own.add(identity);
    // A header of the client must not take the place of the token.
    const all = { ...headers, ...identity, ...request.headers };
    return context.fetch(BASE, "", { ...request, address: await worker.address?.(), headers: all });
  };
}

/** The address of a worker with its secrets, which are credentials of the record; empty if it has none. */
export async function secretAddressOf(worker: LoadedWorker): Promise<string> {
  const address = await worker.address?.();
  return address === undefined ? "" : reveal(address);
}

/** Names the server of a worker: another address is another server, and another program too. */
export function serverKey({ projectId, id, uri, stdio }: LoadedWorker): string {
  return netstrings([
    projectId,
    id,
    uri,
    ...(stdio === undefined ? [] : [stdio.command, ...stdio.arguments]),
  ]);
}

export interface SessionOwner {
  /** Empty: no user, for catalogs. */
  userId: string;
  /** Empty: the credentials of the record only. */
  connectionId: string;
  /** Who asks on behalf of the user. */
  actor: string;
  /** What else belongs to the session, such as the announced capabilities. */
  rest: readonly string[];
}

/**
 * Names who may use a session: a server may keep anything in it. So it belongs to the project, the worker, the user, the
 * user's connection, and the credentials of the record.
 */
export function sessionKey(worker: LoadedWorker, headers: WorkerHeaders, owner: SessionOwner): string {
  const sent = Object.entries(headers).flatMap(([name, value]) => [name, reveal(value)]);
  const fields = [
    serverKey(worker),
    owner.userId,
    owner.connectionId,
    netstrings(owner.rest),
    // A server may keep who called first.
    netstrings(worker.identity === undefined ? [] : [worker.identity.header, owner.actor]),
    netstrings(sent),
  ];
  return new Bun.CryptoHasher("sha256").update(netstrings(fields)).digest("base64url");
}
