// The load generator's jobs and results. One line of JSON each.

export interface Job {
  port: number;
  /** The process whose processor use is also measured. */
  pid: number;
  connections: number;
  /** Warm-up time, ms. */
  warmupMs: number;
  measureMs: number;
  /**
   * The generator looks for answers all the time, which needs a core of its own. Otherwise it sleeps while there are none: a
   * server that is slower than the generator then pays for waking it, and a faster one does not.
   */
  polls?: boolean;
  /** Whole raw requests, used in turn. */
  requests: readonly string[];
  /** Every answer must have this status … */
  status: number;
  /** … and this text in its body, where a failure could look like a success. */
  contains?: string | undefined;
  /** Latencies end with this text instead of the answer: the first event of a stream. */
  until?: string | undefined;
}

export interface Measured {
  /** Answers in the measured time. */
  answers: number;
  /** Answers a second. */
  rate: number;
  /** Latencies, ms. */
  p50: number;
  p99: number;
  /** Processor time of the server for one answer, µs. */
  serverMicros: number;
  /** Processor use of server and generator, as shares of the time. */
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

/** A raw request. */
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
