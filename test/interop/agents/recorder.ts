// A proxy in front of the server that keeps the requests of an agent to a gateway, without what differs from run to run.
import { isObject, type Json } from "../../../src/base";

export interface Recorded {
  method: string;
  headers: Record<string, string>;
  body?: Json;
  status: number;
}

export interface Recorder extends AsyncDisposable {
  readonly url: string;
  readonly recorded: Recorded[];
  /** Sets the server behind it. */
  to(url: string): void;
}

export const SESSION = "SESSION";

export function startRecorder(): Recorder {
  const recorded: Recorded[] = [];
  let target = "";
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 120,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const text = await request.text();
      const answer = await fetch(target + pathname + search, {
        method,
        headers: passed(headers),
        redirect: "manual",
        ...(text === "" ? {} : { body: text }),
      });
      if (pathname.startsWith("/mcp/"))
        recorded.push({
          method,
          headers: kept(headers),
          ...(text === "" ? {} : { body: steady(JSON.parse(text)) }),
          status: answer.status,
        });
      return new Response(answer.body, answer);
    },
  });
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    recorded,
    to: (url) => void (target = url),
    [Symbol.asyncDispose]: () => proxy.stop(true),
  };
}

function passed(headers: Headers): Headers {
  const copy = new Headers(headers);
  for (const name of ["host", "connection", "content-length", "accept-encoding"]) copy.delete(name);
  return copy;
}

/** Without the key, and with one name for every session. */
function kept(headers: Headers): Record<string, string> {
  const copy = new Headers(headers);
  for (const name of ["authorization", "host", "connection", "content-length"]) copy.delete(name);
  if (copy.has("mcp-session-id")) copy.set("mcp-session-id", SESSION);
  return Object.fromEntries([...copy].toSorted());
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
const NO_UUID = "00000000-0000-0000-0000-000000000000";

/** The same with fixed ids and times. */
function steady(value: unknown, name = ""): Json {
  if (Array.isArray(value)) return value.map((item) => steady(item));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, steady(inner, key)]));
  if (name.endsWith("_ms")) return 0;
  if (name === "itemId") return "item";
  return typeof value === "string" ? value.replaceAll(UUID, NO_UUID) : (value as Json);
}

/** The first request of each kind, in one order: what runs at the same time may arrive in any. */
export function handshakeOf(recorded: readonly Recorded[]): Recorded[] {
  const first = new Map<string, Recorded>();
  for (const each of recorded) {
    const kind = kindOf(each);
    if (!AT_THE_END.includes(kind) && !first.has(kind)) first.set(kind, each);
  }
  return [...first].toSorted(([left], [right]) => orderOf(left) - orderOf(right)).map(([, each]) => each);
}

/** What an agent sends as it ends may be lost. */
const AT_THE_END = ["POST notifications/cancelled", "DELETE"];

const ORDER = ["POST initialize", "POST notifications/initialized", "GET", "POST tools/list"];
const orderOf = (kind: string): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);

function kindOf({ method, body }: Recorded): string {
  if (!isObject(body)) return method;
  const params = isObject(body["params"]) ? body["params"] : {};
  return [method, body["method"], ...(body["method"] === "tools/call" ? [params["name"]] : [])].join(" ");
}
