// The network between a server and its database, in the test's process: it can lose, delay and hold packets.
import type { Socket } from "bun";

export interface Target {
  hostname?: string;
  port: number;
}

export interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** Where new connections lead; may be changed. */
  target: Target;
  /** The number of open connections of clients. */
  readonly connections: number;
  /** The same address as the URL's, through the proxy. */
  url(direct: string): string;
  /** Bytes are not passed and ends of connections are not noticed, until `heal` or `reset`. New connections hang. */
  cut(): void;
  /** Ends all connections; bytes that were not passed are lost. New connections are still accepted. */
  reset(): void;
  /** Bytes of the connections that exist are never passed again, and their ends are not noticed, until `reset`. */
  forget(): void;
  /** Passes everything again, in order, including what was not passed before; forgets patterns and the delay. */
  heal(): void;
  /** Everything arrives so many milliseconds later, in both directions. */
  delay(ms: number): void;
  /**
   * Once a client has sent the text, that connection gets no more answers, until `heal` or `reset`: the outcome of a
   * commit stays unknown. Fulfilled when the first client has sent it and it was passed to the database.
   */
  holdAfter(text: string): Promise<void>;
  /** The same, but the bytes with the text do not reach the database either. */
  holdBefore(text: string): Promise<void>;
}

interface Pattern {
  bytes: Buffer;
  passed: boolean;
  reached: () => void;
}

interface State {
  cut: boolean;
  delay: number;
  pattern: Pattern | undefined;
}

export function startProxy(target: Target): Proxy {
  const state: State = { cut: false, delay: 0, pattern: undefined };
  const links = new Set<Link>();
  const listener = Bun.listen<Link>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (client) => {
        const link = new Link(client, proxy.target, state, () => links.delete(link));
        links.add(link);
        client.data = link;
      },
      data: ({ data: link }, bytes) => link.sent(bytes),
      drain: ({ data: link }) => link.answers.flush(),
      close: ({ data: link }) => link.requests.end(),
      error: ({ data: link }) => link.requests.end(),
    },
  });
  const hold = (text: string, passed: boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.pattern = { bytes: Buffer.from(text), passed, reached: resolve };
    return promise;
  };
  const reset = (): void => {
    for (const link of links) link.terminate();
  };
  const proxy: Proxy = {
    port: listener.port,
    target,
    get connections() {
      return links.size;
    },
    url: (direct) => {
      const url = new URL(direct);
      url.hostname = "127.0.0.1";
      url.port = `${listener.port}`;
      return url.href;
    },
    cut: () => {
      state.cut = true;
    },
    reset,
    forget: () => {
      for (const link of links) link.forget();
    },
    heal: () => {
      Object.assign(state, { cut: false, delay: 0, pattern: undefined });
      for (const link of links) link.heal();
    },
    delay: (ms) => {
      state.delay = ms;
    },
    holdAfter: (text) => hold(text, true),
    holdBefore: (text) => hold(text, false),
    [Symbol.asyncDispose]: async () => {
      reset();
      listener.stop(true);
    },
  };
  return proxy;
}

/** A client's connection and the one to the database that belongs to it. */
class Link {
  readonly requests: Direction;
  readonly answers: Direction;
  readonly #client: Socket<Link>;
  readonly #state: State;
  readonly #forget: () => void;
  #database: Socket | undefined;
  #end = Buffer.alloc(0);

  constructor(client: Socket<Link>, target: Target, state: State, forget: () => void) {
    this.#client = client;
    this.#state = state;
    this.#forget = forget;
    this.requests = new Direction(state, () => this.#database, forget);
    this.answers = new Direction(state, () => client, forget);
    void this.#connect(target);
  }

  async #connect({ hostname = "127.0.0.1", port }: Target): Promise<void> {
    try {
      this.#database = await Bun.connect({
        hostname,
        port,
        socket: {
          data: (_, bytes) => this.answers.add(bytes),
          drain: () => this.requests.flush(),
          close: () => this.answers.end(),
          error: () => this.answers.end(),
        },
      });
      this.requests.flush();
    } catch {
      this.answers.end();
    }
  }

  /** Bytes of the client. A pattern may begin in the bytes before. */
  sent(bytes: Buffer): void {
    const { pattern } = this.#state;
    if (pattern === undefined || this.answers.held) return this.requests.add(bytes);
    const text = Buffer.concat([this.#end, bytes]);
    this.#end = text.subarray(Math.max(0, text.length - pattern.bytes.length + 1));
    if (!text.includes(pattern.bytes)) return this.requests.add(bytes);
    this.answers.held = true;
    this.requests.held = !pattern.passed;
    this.requests.add(bytes, pattern.reached);
    if (!pattern.passed) pattern.reached();
  }

  forget(): void {
    this.requests.forgotten = true;
    this.answers.forgotten = true;
  }

  heal(): void {
    this.requests.release();
    this.answers.release();
  }

  terminate(): void {
    this.#client.terminate();
    this.#database?.terminate();
    this.#forget();
  }
}

interface Packet {
  due: number;
  /** Undefined: the end of the connection. */
  bytes: Buffer | undefined;
  passed?: (() => void) | undefined;
}

/** One direction of a connection: what was sent and has not been passed yet, in order. */
class Direction {
  held = false;
  forgotten = false;
  readonly #state: State;
  readonly #to: () => Socket<Link> | Socket | undefined;
  readonly #ended: () => void;
  #packets: Packet[] = [];

  constructor(state: State, to: () => Socket<Link> | Socket | undefined, ended: () => void) {
    this.#state = state;
    this.#to = to;
    this.#ended = ended;
  }

  add(bytes: Buffer, passed?: () => void): void {
    // The socket reuses its buffer.
    this.#push(Buffer.from(bytes), passed);
  }

  end(): void {
    this.#push(undefined);
  }

  release(): void {
    this.held = false;
    for (const packet of this.#packets) packet.due = 0;
    this.flush();
  }

  flush(): void {
    for (let first = this.#packets[0]; first !== undefined; first = this.#packets[0]) {
      const to = this.#to();
      if (this.held || this.forgotten || this.#state.cut || to === undefined || first.due > performance.now())
        return;
      if (first.bytes === undefined) {
        to.end();
        this.#ended();
      } else {
        const written = to.write(first.bytes);
        if (written >= 0 && written < first.bytes.length) {
          first.bytes = first.bytes.subarray(written);
          return;
        }
        first.passed?.();
      }
      this.#packets.shift();
    }
  }

  #push(bytes: Buffer | undefined, passed?: () => void): void {
    const { delay } = this.#state;
    this.#packets.push({ due: performance.now() + delay, bytes, passed });
    if (delay > 0) setTimeout(() => this.flush(), delay + 1);
    else this.flush();
  }
}
