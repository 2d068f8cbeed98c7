// How an MCP worker is reached: with the headers of its record, and for calls with the user's token.
import { type Clock, netstrings, Redacted, reveal } from "../../base";
import type { Egress } from "../../egress";
import type { McpClient, Send } from "../../mcp";
import type { ToolContext } from "../../tools";
import type { LoadedWorker } from "../tool";
import type { WorkerUser } from "../user-values";
import type { HeldCalls } from "./held";

export interface McpParts {
  egress: Egress;
  clock: Clock;
  client: McpClient;
  held: HeldCalls;
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

/** Sends without a user of a run: for catalogs. */
export function ownSend(
  { egress }: Pick<McpParts, "egress">,
  worker: LoadedWorker,
  { token, user }: Administrator = {},
): Send {
  return async (request) =>
    egress.fetch(worker.uri, {
      ...request,
      headers: {
        ...(await headersOf(worker, user)),
        ...(token === undefined ? {} : { authorization: new Redacted(`Bearer ${token.reveal()}`) }),
        ...request.headers,
      },
      project: worker.projectId,
      secretsFor: [new URL(worker.uri).origin],
      maxBytes: MOST_CATALOG_BYTES,
    });
}

/** Sends as the user of a run, with the user's token if the tool needs one. */
export function callSend(context: ToolContext, headers: WorkerHeaders): Send {
  return (request) => context.fetch(BASE, "", { ...request, headers: { ...headers, ...request.headers } });
}

/** Names the server of a worker: another address is another server. */
export function serverKey({ projectId, id, uri }: LoadedWorker): string {
  return netstrings([projectId, id, uri]);
}

export interface SessionOwner {
  /** Empty: no user, for catalogs. */
  userId: string;
  /** Empty: the credentials of the record only. */
  connectionId: string;
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
    netstrings(sent),
  ];
  return new Bun.CryptoHasher("sha256").update(netstrings(fields)).digest("base64url");
}
