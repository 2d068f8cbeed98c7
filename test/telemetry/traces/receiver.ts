// A collector for tests, built from the published protocol files: it refuses a request that is not exactly one of them.
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";
import { checkJson } from "./proto-json";

const FOLDER = join(import.meta.dirname, "proto");
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => join(FOLDER, target);
root.loadSync("opentelemetry/proto/collector/trace/v1/trace_service.proto");
root.resolveAll();
const Request = root.lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest");
const Response_ = root.lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse");

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  traceState: string;
  name: string;
  kind: number;
  flags: number;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  hasError: boolean;
  resource: Record<string, unknown>;
}

export interface Receiver extends Disposable {
  /** Without a path. */
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Each request: its path, headers, and the body without compression. */
  readonly requests: { path: string; headers: Headers; body: Buffer }[];
  /** Why requests were not valid. */
  readonly faults: string[];
  /** Resolves when as many spans, or such ones, have arrived. */
  until(isThere: (spans: readonly ReceivedSpan[]) => boolean): Promise<void>;
  one(name: string): ReceivedSpan;
}

export interface ReceiverOptions {
  /** Instead of taking the spans; undefined: takes them. */
  answer?: (request: globalThis.Request, body: Buffer) => Promise<Response> | Response | undefined;
}

export function startReceiver({ answer }: ReceiverOptions = {}): Receiver {
  const waiting = new Set<() => void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const bytes = Buffer.from(await request.arrayBuffer());
      const body = request.headers.get("content-encoding") === "gzip" ? gunzipSync(bytes) : bytes;
      receiver.requests.push({ path: new URL(request.url).pathname, headers: request.headers, body });
      const other = await answer?.(request, body);
      if (other !== undefined) return other;
      try {
        receiver.spans.push(...read(request, body));
      } catch (thrown) {
        receiver.faults.push(String(thrown));
        return new Response(null, { status: 400 });
      }
      for (const look of waiting) look();
      const type = request.headers.get("content-type") ?? "";
      const empty = type === "application/json" ? "{}" : Response_.encode({}).finish();
      return new Response(Buffer.from(empty), { headers: { "content-type": type } });
    },
  });
  const receiver: Receiver = {
    url: server.url.origin,
    spans: [],
    requests: [],
    faults: [],
    until: (isThere) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isThere(receiver.spans)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    one: (name) => {
      const found = receiver.spans.filter((span) => span.name === name);
      if (found.length !== 1 || found[0] === undefined)
        throw new Error(
          `${found.length} spans ${name} among ${receiver.spans.map((span) => span.name).join(", ")}`,
        );
      return found[0];
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
  return receiver;
}

function read(request: globalThis.Request, body: Buffer): ReceivedSpan[] {
  if (request.method !== "POST") throw new Error(`method ${request.method}`);
  const type = request.headers.get("content-type");
  if (type === "application/json") return spansOf(fromJson(body.toString("utf8")));
  if (type === "application/x-protobuf") return spansOf(decodeRequest(body));
  throw new Error(`content type ${type}`);
}

/** Decodes a request, and refuses fields that the protocol does not have. */
export function decodeRequest(body: Uint8Array): protobuf.Message {
  const message = Request.decode(body);
  const fault = Request.verify(message);
  if (fault !== null) throw new Error(fault);
  // Unknown fields are not kept, so the same message without them is shorter.
  const again = Request.encode(message).finish();
  if (again.byteLength !== body.byteLength)
    throw new Error(`${body.byteLength - again.byteLength} bytes too many`);
  return message;
}

function fromJson(text: string): protobuf.Message {
  const value: unknown = JSON.parse(text);
  checkJson(Request, value, "request");
  return Request.fromObject(withBytes(value) as Record<string, unknown>);
}

/** Ids are hexadecimal in OTLP, where the JSON of Protocol Buffers has base64. */
function withBytes(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withBytes(item));
  if (typeof value === "string" && /^(?:traceId|spanId|parentSpanId)$/.test(key))
    return Buffer.from(value, "hex");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withBytes(inner, name)]));
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- messages of protobufjs have no types
type Message = any;

function spansOf(message: Message): ReceivedSpan[] {
  const spans: ReceivedSpan[] = [];
  for (const { resource, scopeSpans } of message.resourceSpans)
    for (const { scope, spans: inScope } of scopeSpans) {
      if (scope.name !== "runtime") throw new Error(`scope ${scope.name}`);
      for (const span of inScope) spans.push(spanOf(span, attributesOf(resource.attributes)));
    }
  return spans;
}

function spanOf(span: Message, resource: Record<string, unknown>): ReceivedSpan {
  const startNs = BigInt(span.startTimeUnixNano.toString());
  const endNs = BigInt(span.endTimeUnixNano.toString());
  if (startNs < 10n ** 18n || endNs < startNs) throw new Error(`times ${startNs} ${endNs}`);
  if (span.name === "" || span.kind < 1 || span.kind > 5)
    throw new Error(`name ${span.name}, kind ${span.kind}`);
  return {
    traceId: id(span.traceId, 16),
    spanId: id(span.spanId, 8),
    parentSpanId: span.parentSpanId?.length > 0 ? id(span.parentSpanId, 8) : undefined,
    traceState: span.traceState ?? "",
    name: span.name,
    kind: span.kind,
    flags: span.flags,
    startNs,
    endNs,
    attributes: attributesOf(span.attributes),
    links: span.links.map((link: Message) => ({ traceId: id(link.traceId, 16), spanId: id(link.spanId, 8) })),
    hasError: span.status?.code === 2,
    resource,
  };
}

function id(bytes: Uint8Array, length: number): string {
  if (bytes.length !== length || bytes.every((byte) => byte === 0))
    throw new Error(`an id of ${bytes.length} bytes`);
  return Buffer.from(bytes).toString("hex");
}

function attributesOf(list: Message[]): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const { key, value } of list) {
    if (key === "" || Object.hasOwn(attributes, key)) throw new Error(`attribute ${key} twice, or empty`);
    attributes[key] = plain(value);
  }
  return attributes;
}

function plain(value: Message): unknown {
  const kinds = ["stringValue", "boolValue", "intValue", "doubleValue", "arrayValue"].filter(
    (kind) => value[kind] !== null && Object.hasOwn(value, kind),
  );
  const [kind] = kinds;
  if (kinds.length !== 1 || kind === undefined) throw new Error(`a value with ${kinds.length} kinds`);
  if (kind === "arrayValue") return value.arrayValue.values.map(plain);
  return kind === "intValue" ? Number(value.intValue) : value[kind];
}
