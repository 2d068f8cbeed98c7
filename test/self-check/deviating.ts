// A front of a stand-in that changes single behaviours of the platform: what a self-check must find.
import type { JsonObject } from "../../src/base";

/** A request on its way to the stand-in. */
export interface Sent {
  verb: string;
  /** Without the leading slash. */
  path: string;
  /** Query, and the fields of a form. */
  params: Readonly<Record<string, string>>;
  body: string;
}

/** An answer on its way back. */
export interface Answered {
  status: number;
  headers: Record<string, string>;
  body: JsonObject;
}

export interface Deviation {
  /** What the platform does instead. */
  behaviour: string;
  /** The check that finds it. */
  check: string;
  /** The end of the path of the requests that it changes. */
  at: string | RegExp;
  verb?: string;
  /** Only some of these requests. */
  when?: (sent: Sent) => boolean;
  /** Parameters that the stand-in gets instead; undefined removes one. */
  sends?: (sent: Sent) => Record<string, string | undefined>;
  /** The body that the stand-in gets instead. */
  sendsBody?: (body: string) => string;
  answers?: (answer: Answered, sent: Sent) => Answered;
}

export interface DeviatingFront extends AsyncDisposable {
  readonly url: string;
  /** null: the stand-in as it is. */
  deviate(deviation: Deviation | null): void;
}

export function startFront(target: string): DeviatingFront {
  let current: Deviation | null = null;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: (request) => pass(target, request, current),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    deviate: (deviation) => void (current = deviation),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

async function pass(target: string, request: Request, deviation: Deviation | null): Promise<Response> {
  const sent = await sentBy(request);
  const active = deviation !== null && concerns(deviation, sent) ? deviation : null;
  const { path, body } = changed(request, sent, active);
  const headers = new Headers(request.headers);
  for (const name of ["host", "content-length", "connection"]) headers.delete(name);
  const response = await fetch(new URL(path, target), {
    method: request.method,
    headers,
    redirect: "manual",
    ...(["GET", "HEAD"].includes(request.method) ? {} : { body }),
  });
  const answer = await answerOf(response);
  const shown = active?.answers?.(answer, sent) ?? answer;
  return Response.json(shown.body, { status: shown.status, headers: shown.headers });
}

async function sentBy(request: Request): Promise<Sent> {
  const { pathname, searchParams } = new URL(request.url);
  const body = await request.text();
  const isForm = (request.headers.get("content-type") ?? "").startsWith("application/x-www-form-urlencoded");
  const form = isForm ? Object.fromEntries(new URLSearchParams(body)) : {};
  return {
    verb: request.method,
    path: decodeURIComponent(pathname.slice(1)),
    params: { ...Object.fromEntries(searchParams), ...form },
    body,
  };
}

function concerns({ at, verb, when }: Deviation, sent: Sent): boolean {
  if (verb !== undefined && verb !== sent.verb) return false;
  const isThere = typeof at === "string" ? sent.path.endsWith(at) : at.test(sent.path);
  return isThere && when?.(sent) !== false;
}

function changed(request: Request, sent: Sent, deviation: Deviation | null): { path: string; body: string } {
  const url = new URL(request.url);
  const body = deviation?.sendsBody?.(sent.body) ?? sent.body;
  const params = deviation?.sends?.(sent);
  if (params === undefined) return { path: url.pathname + url.search, body };
  const isForm = request.method === "POST" && !sent.body.startsWith("{");
  const from = isForm ? new URLSearchParams(sent.body) : url.searchParams;
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) from.delete(name);
    else from.set(name, value);
  }
  return isForm
    ? { path: url.pathname + url.search, body: from.toString() }
    : { path: url.pathname + url.search, body };
}

async function answerOf(response: Response): Promise<Answered> {
  const headers = Object.fromEntries(response.headers);
  for (const name of ["content-length", "content-encoding", "content-type", "transfer-encoding"])
    delete headers[name];
  // The stand-ins answer these calls with objects.
  return { status: response.status, headers, body: JSON.parse(await response.text()) as JsonObject };
}

/** An answer with other fields at its top. */
export function withFields(fields: JsonObject): Required<Deviation>["answers"] {
  return (answer) => ({ ...answer, body: { ...answer.body, ...fields } });
}

/** An answer without these fields at its top. */
export function withoutFields(...fields: string[]): Required<Deviation>["answers"] {
  return (answer) => ({ ...answer, body: without(answer.body, fields) });
}

/** An answer without this header. */
export function withoutHeader(name: string): Required<Deviation>["answers"] {
  return (answer) => ({ ...answer, headers: without(answer.headers, [name]) });
}

function without<T extends object>(from: T, fields: readonly string[]): T {
  // What is left has the same types.
  return Object.fromEntries(Object.entries(from).filter(([name]) => !fields.includes(name))) as T;
}

/** Another answer. */
export function instead(status: number, body: JsonObject): Required<Deviation>["answers"] {
  return ({ headers }) => ({ status, headers, body });
}

/** An answer with every item of a list changed. */
export function eachOf(
  field: string,
  change: (item: JsonObject) => JsonObject,
): Required<Deviation>["answers"] {
  return (answer) => ({
    ...answer,
    body: { ...answer.body, [field]: listIn(answer.body, field).map(change) },
  });
}

/** An answer with a list changed. */
export function listed(
  field: string,
  change: (items: JsonObject[]) => JsonObject[],
): Required<Deviation>["answers"] {
  return (answer) => ({ ...answer, body: { ...answer.body, [field]: change(listIn(answer.body, field)) } });
}

function listIn(body: JsonObject, field: string): JsonObject[] {
  const value = body[field];
  // The lists of these answers have objects.
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}
