// The server's side of the supervisor.
import { closeSync } from "node:fs";
import type { Log } from "../base";
import { openPipe, sendDescriptors, socketPair } from "./descriptors";
import { eachLine, type Notice, type Order } from "./messages";
import { roleCommand } from "./plan";
import type { ProcessEnd } from "./spec";

export interface Listener {
  started(pid: number): void;
  ended(end: ProcessEnd): void;
}

const LOST: ProcessEnd = { code: null, signal: "SIGKILL", reason: "The supervisor of programs was ended." };

export class SupervisorLink {
  /** Resolves when watchdog and supervisor have ended. */
  readonly gone: Promise<unknown>;
  readonly #watchdog: Bun.Subprocess<"pipe", "pipe", "inherit">;
  readonly #socket: number;
  readonly #life: number;
  readonly #log: Log;
  readonly #listeners = new Map<string, Listener>();
  #isOpen = true;
  readonly #ready = Promise.withResolvers<void>();

  /** Starts the watchdog, which starts the supervisor. */
  static async open(executable: readonly string[], log: Log): Promise<SupervisorLink> {
    const link = new SupervisorLink(executable, log);
    await link.#ready.promise;
    return link;
  }

  private constructor(executable: readonly string[], log: Log) {
    this.#log = log;
    const [own, other] = socketPair();
    const life = openPipe();
    const { cmd, argv0 } = roleCommand(executable, "process-watchdog");
    this.#watchdog = Bun.spawn(cmd, {
      argv0,
      cwd: "/",
      env: {},
      // Signals of the terminal are for the server.
      detached: true,
      stdio: ["pipe", "pipe", "inherit", other, life.read],
    });
    closeSync(other);
    closeSync(life.read);
    this.#socket = own;
    this.#life = life.write;
    void eachLine(this.#watchdog.stdout, (line) => this.#take(JSON.parse(line) as Notice));
    this.gone = this.#watchdog.exited.then(() => this.#lost());
  }

  /** False when watchdog and supervisor have ended. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Passes the descriptors on and has the program started. They may be closed afterwards. */
  start(order: Order & { order: "start" }, descriptors: readonly number[], listener: Listener): void {
    this.#listeners.set(order.id, listener);
    sendDescriptors(this.#socket, order.id, descriptors);
    this.#send(order);
  }

  end(id: string): void {
    if (this.#listeners.has(id)) this.#send({ order: "end", id });
  }

  async close(): Promise<void> {
    await Promise.resolve(this.#watchdog.stdin.end()).catch(() => undefined);
    await this.gone;
  }

  #send(order: Order): void {
    // If it has ended, `gone` tells everybody who waits.
    const { stdin } = this.#watchdog;
    const write = async (): Promise<void> => {
      await stdin.write(`${JSON.stringify(order)}\n`);
      await stdin.flush();
    };
    void write().catch(() => undefined);
  }

  #take(notice: Notice): void {
    if (notice.notice === "ready") this.#ready.resolve();
    else if (notice.notice === "orphans") this.#log.refused("background_process", { count: notice.count });
    else if (notice.notice === "started") this.#listeners.get(notice.id)?.started(notice.pid);
    else {
      this.#listeners.get(notice.id)?.ended(notice.end);
      this.#listeners.delete(notice.id);
    }
  }

  #lost(): void {
    this.#isOpen = false;
    this.#ready.reject(new Error("the supervisor of programs could not be started"));
    for (const listener of this.#listeners.values()) listener.ended(LOST);
    this.#listeners.clear();
    closeSync(this.#socket);
    closeSync(this.#life);
  }
}
