// A client that listens for changes, of either family.
import type { JsonObject } from "../../src/base";
import { client, type McpCall, request, send } from "./site";

export type Family = "legacy" | "modern";

export interface Heard {
  message: JsonObject;
  /** The id of the event. */
  id: string | undefined;
}

export interface Listener extends AsyncDisposable {
  readonly response: Response;
  /** The id of the event with which the stream begins. */
  readonly begun: string | undefined;
  /** The message with which it begins. */
  readonly first: JsonObject | undefined;
  /** The next message; undefined at the end. */
  next(): Promise<Heard | undefined>;
  /** The methods of all messages until the end. */
  rest(): Promise<unknown[]>;
  close(): Promise<void>;
}

const META = "io.modelcontextprotocol";

/** Opens a stream. Resolves when it has begun, so that every later change is told. */
export async function listen(
  family: Family,
  url: string,
  call: McpCall,
  more: { version?: string; since?: string | undefined; notifications?: object } = {},
): Promise<Listener> {
  return heardIn(family === "legacy" ? get(url, call, more) : subscribe(url, call, more));
}

/** What an answer that has begun to arrive tells. */
export async function heardIn(answer: Promise<Response>): Promise<Listener> {
  const response = await answer;
  const events = eventsOf(response.ok ? response.body : null);
  const first = response.ok ? await events.next() : undefined;
  const next = async (): Promise<Heard | undefined> => {
    for (let event = await events.next(); event !== undefined; event = await events.next())
      if (event.data !== "") return { message: JSON.parse(event.data), id: event.id };
    return undefined;
  };
  return {
    response,
    begun: first?.id,
    first: first === undefined || first.data === "" ? undefined : JSON.parse(first.data),
    next,
    rest: async () => {
      const methods: unknown[] = [];
      for (let heard = await next(); heard !== undefined; heard = await next())
        methods.push(heard.message["method"] ?? "reply");
      return methods;
    },
    close: events.close,
    [Symbol.asyncDispose]: events.close,
  };
}

async function get(
  url: string,
  call: McpCall,
  { version = "2025-11-25", since }: { version?: string; since?: string | undefined },
) {
  const { session } = await client(url, call).initialize({}, version);
  return open(url, call, {
    "mcp-session-id": session,
    "mcp-protocol-version": version,
    ...(since === undefined ? {} : { "last-event-id": since }),
  });
}

/** A bare GET. */
export function open(
  url: string,
  { key, user, signal }: McpCall,
  headers: Record<string, string>,
): Promise<Response> {
  return fetch(url, {
    headers: {
      accept: "text/event-stream",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(user === undefined ? {} : { "x-user-id": user }),
      ...headers,
    },
    ...(signal === undefined ? {} : { signal }),
  });
}

function subscribe(
  url: string,
  call: McpCall,
  { notifications = { toolsListChanged: true } }: { notifications?: object },
) {
  const _meta = { [`${META}/protocolVersion`]: "2026-07-28", [`${META}/clientCapabilities`]: {} };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
  return send(url, request("subscriptions/listen", { notifications, _meta }), { ...call, headers });
}

interface Event {
  data: string;
  id: string | undefined;
}

function eventsOf(body: Response["body"]) {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  /** The next event or comment. */
  const next = async (): Promise<Event | undefined> => {
    for (;;) {
      const end = rest.indexOf("\n\n");
      if (end >= 0) {
        const text = rest.slice(0, end);
        rest = rest.slice(end + 2);
        return { data: /^data: ?(.*)$/m.exec(text)?.[1] ?? "", id: /^id: (.*)$/m.exec(text)?.[1] };
      }
      const read = await reader?.read();
      if (read === undefined || read.done) return undefined;
      rest += read.value;
    }
  };
  return { next, close: async () => void (await reader?.cancel()) };
}
