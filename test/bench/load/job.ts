// What the load generator is told, and what it answers. One line of JSON each.

export interface Job {
  port: number;
  /** Process whose use of the processor is measured along. */
  pid: number;
  connections: number;
  /** Time before anything counts, ms. */
  warmupMs: number;
  measureMs: number;
  /** Whole requests as they go over the wire, taken in turn. */
  requests: readonly string[];
  /** Every answer must have this status … */
  status: number;
  /** … and this text in its body, where a failure could look like a success. */
  contains?: string | undefined;
  /** Latencies end when this text has come, not with the answer: the first event of a stream. */
  until?: string | undefined;
}

export interface Measured {
  /** Answers that came in the measured time. */
  answers: number;
  /** Answers a second. */
  rate: number;
  /** Latencies, ms. */
  p50: number;
  p99: number;
  /** Processor time of the server for one answer, µs. */
  serverMicros: number;
  /** Shares of the time in which server and generator used the processor. */
  serverBusy: number;
  generatorBusy: number;
}

export type Outcome = { measured: Measured } | { failed: string };

export interface HttpRequest {
  method?: string;
  path: string;
  key?: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** A request as bytes on the wire. */
export function rawRequest({ method = "GET", path, key, body, headers = {} }: HttpRequest): string {
  const content = body === undefined ? "" : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(content)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join("\r\n")}\r\n\r\n${content}`;
}
