// A row of the operation table: what the dispatcher and the API description need.
import type { Static, TObject, TSchema } from "typebox";
import type { Principal, Right } from "../../src/identity";
import type { Runtime } from "../../src/runtime";
import type { Departure } from "../departure";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The argument of a handler. Query and body have passed the schemas of the row. */
export interface Call<Query, Body> {
  runtime: Runtime;
  principal: Principal;
  /** A parameter of the path, decoded. */
  path(name: string): string;
  query: Query;
  body: Body;
  /** The text of the body; empty where the operation takes none. */
  text: string;
  /** Value of `Accept`. */
  accept: string | undefined;
  /** Value of `Idempotency-Key`. */
  idempotencyKey: string | undefined;
  /** Aborts like `signal`. Cheaper than `signal`, which is a real one; the handler disposes of it. */
  departure(): Departure;
  /**
   * Aborts when the caller hangs up or, in a slow operation, loses its credential; for an operation that only waits, also
   * when the server stops.
   */
  signal: AbortSignal;
  /** The answer is a stream, which aborts `signal` until the returned function is called. */
  streaming(): () => void;
}

interface OperationRow<Query extends TObject, Body extends TSchema> {
  id: string;
  method: Method;
  /** Another method that clients send for it. Served, but not part of the contract. */
  alias?: Method;
  /** For example `/v1/admin/secrets/{secret_key}`. */
  path: string;
  /** Further paths of it, not part of the contract either. */
  alsoAt?: readonly string[];
  /** Roles that may call it; `public` needs no credential. */
  credential: readonly Right[] | "public";
  /** Added to the 403 of a role that may not call it: what to do. */
  roleAdvice?: string;
  /** Served for our own command line, and not part of the published contract. */
  extension?: true;
  tag: string;
  summary: string;
  /** Format of path parameters, by name; a value that breaks it is 400. */
  parameters?: Readonly<Record<string, TSchema>>;
  query?: Query;
  body?: Body;
  /** Throws for a body that is refused whatever else is wrong with it. */
  refuses?(body: unknown): void;
  success: { status: number; schema?: TSchema };
  /** Statuses of errors that the operation declares. */
  errors: readonly number[];
  /** Bodies of further answers, or of errors that are not the `Error` record; null: none. */
  others?: Readonly<Record<number, TSchema | null>>;
  /** The handler answers a repeat with the same `Idempotency-Key` with its first answer. */
  takesIdempotencyKey?: true;
  /** The dispatcher does that, for operations that are one transaction. */
  remembersAnswer?: true;
  /** The tool that a call names: answers about a deprecated tool have a `Deprecation` header. */
  tool?(call: Call<Static<Query>, Static<Body>>): { name: string; version?: string | undefined };
  /** Answers with an `ETag`, and 304 when the caller has that version: always, or for a cached text (`JsonText`) only. */
  etag?: "record" | "text";
  /** What is at the address, or undefined, for a path without a GET operation. For preconditions. */
  current?(call: Call<Static<Query>, Static<Body>>): unknown;
  /** May take longer than the server's idle limit. */
  slow?: true;
  /** A read that the audit trail records. */
  audited?: true;
  /** Answers with server-sent events when the body requests them. */
  streams?: true;
  /** Only waits: a server that stops ends the call. */
  waits?: true;
  /** Undefined for the operation that a plugin serves. */
  handle?(call: Call<Static<Query>, Static<Body>>): unknown;
}

/** A row as the table holds it, without the types of its query and body. */
export type Operation = OperationRow<TObject, TSchema>;

/** An operation that the dispatcher runs. */
export type ServedOperation = Operation & Required<Pick<Operation, "handle">>;

/** A call as the dispatcher makes it, checked against the schemas of its row. */
export type AnyCall = Parameters<ServedOperation["handle"]>[0];

/** A row of the table. Keeps query and body typed while it is written. */
export function operation<Query extends TObject, Body extends TSchema>(
  method: Method,
  path: string,
  row: Omit<OperationRow<Query, Body>, "method" | "path">,
): Operation {
  // The dispatcher calls `handle` only with what passed the schemas of this row.
  return { method, path, ...row } as unknown as Operation;
}

/** An answer whose status depends on its content (health). */
export class StatusAnswer {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}
