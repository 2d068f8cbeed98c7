// The notification protocol of service managers: sd_notify(3) and sd_watchdog_enabled(3). Without `NOTIFY_SOCKET`, nothing
// of it is loaded.
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../base";
import type { DatagramSocket } from "./socket";

export type Environment = { readonly [name: string]: string | undefined };

/** A full queue of the service manager is tried again, because its last message must not be lost. */
const ATTEMPTS = 40;
const ATTEMPT_INTERVAL_MS = 50;

export interface Notifier {
  /** How often the service manager wants to hear that the service works (ms); undefined: not at all. */
  readonly watchdogMs: number | undefined;
  /** Sends assignments, for example `READY=1`. Messages arrive in their order. Never fails: the log has the reason. */
  send(...assignments: readonly string[]): Promise<void>;
  /** CLOCK_MONOTONIC in microseconds, for `MONOTONIC_USEC=`. */
  monotonicMicroseconds(): bigint;
  close(): void;
}

/**
 * The service manager of this process, if it has one. Its variables are removed from `env`, so that programs that are started
 * with it do not report for this process.
 */
export async function openNotifier(env: Environment, log: Log): Promise<Notifier | undefined> {
  const path = env["NOTIFY_SOCKET"] ?? "";
  const watchdogMs = watchdogOf(env);
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) Reflect.deleteProperty(env, name);
  if (path === "" || process.platform !== "linux") return undefined;
  try {
    const { openDatagramSocket } = await import("./socket");
    return new SocketNotifier(openDatagramSocket(path), watchdogMs, log);
  } catch (error) {
    log.warn(
      "NOTIFY_SOCKET cannot be used, so the service manager does not learn that this server is ready",
      {
        error,
      },
    );
    return undefined;
  }
}

// The watchdog may be meant for another process, from which this one has inherited the variables.
function watchdogOf(env: Environment): number | undefined {
  const [microseconds, pid] = [Number(env["WATCHDOG_USEC"]), env["WATCHDOG_PID"] ?? ""];
  if (!Number.isSafeInteger(microseconds) || microseconds <= 0) return undefined;
  return pid === "" || pid === String(process.pid) ? microseconds / 1000 : undefined;
}

/** One line of text, as the status is shown. */
export function statusLine(text: string): string {
  return `STATUS=${text.replaceAll(/\s+/g, " ").trim()}`;
}

class SocketNotifier implements Notifier {
  readonly watchdogMs: number | undefined;
  readonly #socket: DatagramSocket;
  readonly #log: Log;
  #failed = false;
  #closed = false;
  #last: Promise<void> = Promise.resolve();

  constructor(socket: DatagramSocket, watchdogMs: number | undefined, log: Log) {
    this.#socket = socket;
    this.watchdogMs = watchdogMs;
    this.#log = log;
  }

  send(...assignments: readonly string[]): Promise<void> {
    return (this.#last = this.#last.then(() => this.#send(assignments.join("\n"))));
  }

  async #send(message: string): Promise<void> {
    try {
      for (let attempt = 1; !this.#closed; attempt++) {
        if (this.#socket.send(message)) break;
        if (attempt === ATTEMPTS) throw new Error("the service manager does not read its messages");
        await pause(ATTEMPT_INTERVAL_MS);
      }
      this.#failed = false;
    } catch (error) {
      // Once, because the watchdog sends again and again.
      if (!this.#failed) this.#log.warn("the service manager could not be notified", { error });
      this.#failed = true;
    }
  }

  monotonicMicroseconds(): bigint {
    return this.#socket.monotonicMicroseconds();
  }

  close(): void {
    if (!this.#closed) this.#socket.close();
    this.#closed = true;
  }
}
