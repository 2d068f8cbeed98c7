// One export: a request to the collector, and what its answer means (OTLP 1.11, OTLP/HTTP).
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Redacted } from "../../base";
import { JsonEncoding } from "./encode-json";
import { ProtobufEncoding } from "./encode-protobuf";
import type { Encoding, SpanBatch } from "./encoding";
import { rejectedInJson, rejectedInProtobuf } from "./rejected";
import type { Resource } from "./span";

export const PROTOCOLS = ["http/protobuf", "http/json"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface Collector {
  /** The whole address. */
  endpoint: string;
  headers: Readonly<Record<string, Redacted>>;
  encoding: Encoding;
  compression: "none" | "gzip";
  timeoutMs: number;
}

/** The part of the outbound client that is used. Areas do not import it: it is observed itself. */
export interface Outbound {
  fetch(
    url: string,
    request: {
      method: "POST";
      group: "telemetry";
      headers: Readonly<Record<string, string | Redacted>>;
      bytes: Uint8Array<ArrayBuffer>;
      secretsFor: readonly string[];
      timeoutMs: number;
      maxBytes: number;
      signal: AbortSignal;
    },
  ): Promise<Response>;
}

export type Outcome =
  /** `rejected`: how many of the spans the collector did not take. */
  | { is: "taken"; rejected: number }
  /** `afterMs`: what the collector asked for; undefined: nothing. */
  | { is: "retry"; reason: string; afterMs: number | undefined }
  | { is: "refused"; reason: string };

// In another thread: requests go on meanwhile.
const compress = promisify(gzip);
/** A longer answer is not read. */
const MAX_ANSWER_BYTES = 64 * 1024;
const RETRYABLE = new Set([429, 502, 503, 504]);
/** Failures after which a collector may be there again. */
const TRANSIENT = new Set(["not_resolved", "unreachable", "timeout"]);
/** A collector that asks for more gets its next request then. */
const LONGEST_RETRY_AFTER_MS = 300_000;

export function encodingOf(protocol: Protocol, resource: Resource): Encoding {
  return protocol === "http/json" ? new JsonEncoding(resource) : new ProtobufEncoding(resource);
}

/** Sends spans. Never rejects. */
export async function send(
  egress: Outbound,
  collector: Collector,
  batch: SpanBatch,
  signal: AbortSignal,
): Promise<Outcome> {
  const { encoding } = collector;
  const isZipped = collector.compression === "gzip";
  try {
    const plain = batch.body();
    const response = await egress.fetch(collector.endpoint, {
      method: "POST",
      group: "telemetry",
      headers: {
        ...collector.headers,
        "content-type": encoding.contentType,
        ...(isZipped ? { "content-encoding": "gzip" } : {}),
      },
      bytes: isZipped ? new Uint8Array(await compress(plain)) : plain,
      secretsFor: [new URL(collector.endpoint).origin],
      timeoutMs: collector.timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    });
    return await outcomeOf(response);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    return TRANSIENT.has(reason) ? { is: "retry", reason, afterMs: undefined } : { is: "refused", reason };
  }
}

async function outcomeOf(response: Response): Promise<Outcome> {
  const { status } = response;
  if (response.ok) return { is: "taken", rejected: await rejectedOf(response) };
  const reason = `status ${status}`;
  if (!RETRYABLE.has(status)) return { is: "refused", reason };
  return { is: "retry", reason, afterMs: retryAfter(response.headers.get("retry-after")) };
}

// The message of the collector is not logged: it could contain anything, and repeat what was sent.
async function rejectedOf(response: Response): Promise<number> {
  try {
    const body = new Uint8Array(await response.arrayBuffer());
    if (body.byteLength === 0) return 0;
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const rejected = isJson ? rejectedInJson(body) : rejectedInProtobuf(body);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    // A collector that answers with a page has taken the spans all the same: the status says so.
    return 0;
  }
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function retryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS) : undefined;
}

// Errors of the outbound client have a reason; anything else is a defect of ours, and does not stop the server either.
function reasonOf(thrown: unknown): string {
  if (thrown instanceof Error && "reason" in thrown && typeof thrown.reason === "string")
    return thrown.reason;
  return thrown instanceof Error ? thrown.name : "unknown";
}
