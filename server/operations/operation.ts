// One row of the operation table: all that the dispatcher and the API description need to know.
import type { Static, TObject, TSchema } from "typebox";
import type { Principal } from "../../src/identity";
import type { Runtime } from "../../src/runtime";
import type { Departure } from "../departure";
import type { RoutedOperation } from "./routing";

/** What a handler gets: everything checked against the row's schemas. */
export interface Call<Query, Body> {
  runtime: Runtime;
  principal: Principal;
  /** A parameter of the path, decoded. */
  path(name: string): string;
  query: Query;
  body: Body;
  /** The body as it came; empty where the operation takes none. */
  text: string;
  /** Value of `Idempotency-Key`. */
  idempotencyKey: string | undefined;
  /** Whether the caller is a browser that wants a page to read. */
  wantsPage(): boolean;
  /** Aborts when the caller hangs up. Cheaper than `signal`, which is a real one; the handler disposes of it. */
  departure(): Departure;
  /** Aborts when the caller hangs up; for an operation that only waits, also when the server stops. */
  signal: AbortSignal;
}

export interface OperationRow<Query extends TObject, Body extends TSchema> extends RoutedOperation {
  /** Served for our own terminal, and not part of the published contract. */
  extension?: true;
  tag: string;
  summary: string;
  /** Format of path parameters, by name; a value that breaks it is 400. */
  parameters?: Readonly<Record<string, TSchema>>;
  query?: Query;
  body?: Body;
  success: { status: number; schema?: TSchema };
  /** Statuses of errors that the operation declares. */
  errors: readonly number[];
  /** Bodies of further answers, or of errors that are not the `Error` record; null: none. */
  others?: Readonly<Record<number, TSchema | null>>;
  /** A repeat with the same `Idempotency-Key` gets the answer of the first; the handler sees to it. */
  takesIdempotencyKey?: true;
  /** The same, and the dispatcher sees to it: for what is done whole or not at all. */
  remembersAnswer?: true;
  /** Which tool a call is about: what is deprecated says so in a header. */
  tool?(call: Call<Static<Query>, Static<Body>>): { name: string; version?: string | undefined };
  /** Answers with an `ETag`, and 304 to who has that answer. */
  etag?: true;
  /** May take longer than the server's idle limit. */
  slow?: true;
  /** Answers a stream of server-sent events where the body asks for it. */
  streams?: true;
  /** Clients of language models read errors in a form of their own: it stands beside ours. */
  modelErrors?: true;
  /** Does nothing but wait: a server that stops does not wait with it. */
  waits?: true;
  handle(call: Call<Static<Query>, Static<Body>>): Promise<unknown> | unknown;
}

/** A row with its types forgotten, as the table holds it. */
export type Operation = OperationRow<TObject, TSchema>;

/** A call as the dispatcher makes it: checked by the row's own schemas, whatever they are. */
export type AnyCall = Parameters<Operation["handle"]>[0];

/** Keeps query and body typed while a row is written. */
export function operation<Query extends TObject, Body extends TSchema>(
  row: OperationRow<Query, Body>,
): Operation {
  // The dispatcher calls `handle` only with what passed this very row's schemas.
  return row as unknown as Operation;
}

/** An answer whose status depends on what it says (health). */
export class StatusAnswer {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}
