// A connection whose bytes are received only when they are asked for: Bun's own sockets, because those of `node:net` keep
// the last piece that they received.
import type { Socket } from "bun";
import type { Trust } from "../tls";

export interface ConnectTo {
  /** A checked address, not a name. */
  address: string;
  port: number;
  /** Undefined: without TLS. */
  trust: Trust | undefined;
}

/** How a connection ended: with the error, or by the other side. */
type End = { thrown: unknown } | "ended";

/** Rejects with the error of the engine. `signal` closes it at any time. */
export async function openConnection(to: ConnectTo, signal: AbortSignal): Promise<Connection> {
  signal.throwIfAborted();
  const connection = new Connection(to);
  connection.closeOn(signal);
  await connection.open();
  return connection;
}

export class Connection {
  readonly #to: ConnectTo;
  readonly #opened = Promise.withResolvers<void>();
  #socket: Socket<undefined> | undefined;
  /** Not written yet: the other side is slow. */
  #unsent: Uint8Array | undefined;
  /** Received before it was asked for. */
  readonly #received: Uint8Array[] = [];
  #waiting: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  #end: End | undefined;
  /** Nothing is asked for: whatever happens then makes it useless. */
  #isIdle = false;
  #leave: () => void = () => undefined;

  constructor(to: ConnectTo) {
    this.#to = to;
  }

  /** Rejects with the error of the engine, also if the certificate is not the right one. */
  async open(): Promise<void> {
    const { address, port, trust } = this.#to;
    Bun.connect({
      hostname: address,
      port,
      ...(trust === undefined ? {} : { tls: tlsInit(trust) }),
      socket: {
        open: (socket) => this.#open(socket),
        handshake: (_socket, isRight, error) => this.#shaken(isRight ? error : (error ?? closed())),
        data: (socket, piece) => this.#data(socket, piece),
        drain: () => this.#send(),
        end: () => this.#finish("ended"),
        error: (_socket, thrown) => this.#finish({ thrown }),
        close: (_socket, thrown) => this.#finish(thrown === undefined ? "ended" : { thrown }),
        connectError: (_socket, thrown) => this.#finish({ thrown }),
      },
    }).catch((thrown: unknown) => this.#finish({ thrown }));
    await this.#opened.promise;
  }

  get to(): ConnectTo {
    return this.#to;
  }

  /** Whether it can be used for another request. */
  get isUsable(): boolean {
    return this.#end === undefined && this.#received.length === 0 && this.#unsent === undefined;
  }

  closeOn(signal: AbortSignal): void {
    const abort = (): void => this.close();
    signal.addEventListener("abort", abort, { once: true });
    this.#leave = () => signal.removeEventListener("abort", abort);
  }

  /** Notices until it is used again that the other side closes it. */
  rest(): void {
    this.#leave();
    this.#isIdle = true;
    this.#socket?.resume();
  }

  wake(signal: AbortSignal): void {
    this.#isIdle = false;
    this.closeOn(signal);
  }

  write(bytes: Uint8Array): void {
    this.#unsent = bytes;
    this.#send();
  }

  /** The next bytes; undefined at the end. Rejects if the connection breaks. */
  read(): Promise<Uint8Array | undefined> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    if (!this.#answer()) this.#socket?.resume();
    return promise;
  }

  close(): void {
    this.#socket?.terminate();
    this.#received.length = 0;
    this.#finish({ thrown: closed() });
  }

  #open(socket: Socket<undefined>): void {
    this.#socket = socket;
    // It was closed meanwhile.
    if (this.#end !== undefined) return void socket.terminate();
    if (this.#to.trust === undefined) this.#opened.resolve();
  }

  /** Nothing is sent before the certificate was checked. */
  #shaken(error: Error | null): void {
    if (error === null) return this.#opened.resolve();
    this.#finish({ thrown: error });
    this.#socket?.terminate();
  }

  #send(): void {
    if (this.#unsent === undefined || this.#socket === undefined) return;
    const written = this.#socket.write(this.#unsent);
    this.#unsent =
      written < this.#unsent.byteLength ? this.#unsent.subarray(Math.max(0, written)) : undefined;
  }

  #data(socket: Socket<undefined>, piece: Uint8Array): void {
    socket.pause();
    if (this.#isIdle) return this.close();
    this.#received.push(piece);
    this.#answer();
  }

  #finish(end: End): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#leave();
    this.#opened.reject(end === "ended" ? closed() : end.thrown);
    this.#answer();
  }

  #answer(): boolean {
    const waiting = this.#waiting;
    if (waiting === undefined) return true;
    const piece = this.#received.shift();
    if (piece === undefined && this.#end === undefined) return false;
    this.#waiting = undefined;
    if (piece !== undefined) waiting.resolve(piece);
    else if (this.#end === "ended" || this.#end === undefined) waiting.resolve(undefined);
    else waiting.reject(this.#end.thrown);
    return true;
  }
}

function tlsInit({ name, ...trust }: Trust) {
  return {
    ...trust,
    // Certificates are checked even if NODE_TLS_REJECT_UNAUTHORIZED=0, and their names with them (tested).
    rejectUnauthorized: true,
    // With an empty one, the address is checked and no name is sent: it cannot be an address (RFC 6066, section 3).
    serverName: name ?? "",
  };
}

function closed(): Error {
  return Object.assign(new Error("The connection was closed."), { code: "ECONNRESET" });
}
