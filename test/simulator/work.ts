// Carries out the work of steps in a runtime.
import type { Principal } from "../../src/identity";
import type { Runtime } from "../../src/runtime";
import { Browser } from "./browser";
import type { Operation } from "./operation";
import type { Observer } from "./observer";
import { USERS, type Work } from "./steps";
import type { World } from "./world";

export const OPERATOR: Principal = { kind: "operator", projectId: "default" };
/** The second project, which is deleted and created again. */
export const SECOND = "second";
const SECRET = "WORD";
/** One more than a rotation reads at once, and those that are deleted meanwhile. */
const MANY_SECRETS = 220;
const DELETED_SECRETS = 200;
/** Runs are due as soon as they are scheduled, whatever the clocks. */
const PAST = "2020-01-01T00:00:00";

type Of<Kind extends Work["kind"]> = Work & { kind: Kind };

export class Workshop {
  /** The value of the secret that was acknowledged last; undefined while a write has an unknown outcome. */
  secret: string | undefined;
  /** Scheduled runs: the id by the label. */
  readonly runs = new Map<string, string>();
  /** The labels of runs that had not begun when the key of their caller was deleted. */
  readonly barred = new Set<string>();
  /** The newest API key. */
  #key: { id: string; key: string } | undefined;
  readonly #world: World;
  readonly #observer: Observer;
  readonly #operations: readonly Operation[];
  readonly #browsers: ReadonlyMap<string, Browser>;
  /** Callers of the second project, by incarnation. */
  readonly #visitors: Principal[] = [];

  constructor(world: World, observer: Observer, operations: readonly Operation[]) {
    this.#world = world;
    this.#observer = observer;
    this.#operations = operations;
    this.#browsers = new Map(USERS.map((user) => [user, new Browser(user, world.provider)]));
  }

  async do(operation: Operation, runtime: Runtime): Promise<void> {
    const { step } = operation;
    if (step.kind === "call") await this.#call(operation, runtime, step);
    else if (step.kind === "schedule") await this.#schedule(operation, runtime, OPERATOR, "Write", step.user);
    else if (step.kind === "api key") await this.#apiKey(operation, runtime, step.does);
    else if (step.kind === "client") await this.#client(operation, runtime, step);
    else if (step.kind === "consent" || step.kind === "browse") await this.#consent(operation, runtime, step);
    else if (step.kind === "delete") await this.#delete(runtime, step.user);
    else if (step.kind === "secret") await this.#secret(operation, runtime);
    else if (step.kind === "secrets") await this.#secrets(runtime, step.does);
    else if (step.kind === "hooks") await switchHooks(runtime, step.on);
    else if (step.kind === "rotate") await this.#rotate(operation, runtime, step);
    else if (step.kind === "project") await this.#project(runtime, step.does);
    else if (step.kind === "visit") await this.#visit(operation, runtime, step);
    else await checkHealth(operation, runtime);
  }

  async #call(operation: Operation, runtime: Runtime, { tool, user, key }: Of<"call">): Promise<void> {
    const { label } = operation;
    const options = key === undefined ? {} : { idempotencyKey: label.replaceAll(" ", "-") };
    operation.execution = await runtime.tools.execute(OPERATOR, requestOf(tool, user, label), options);
  }

  async #schedule(
    { label }: Operation,
    runtime: Runtime,
    principal: Principal,
    tool: string,
    user: string,
  ): Promise<void> {
    const request = { ...requestOf(tool, user, label), run_at: PAST };
    const { id, status } = await runtime.tools.execute(principal, request);
    if (status === "pending") this.runs.set(label, id);
  }

  async #apiKey(operation: Operation, runtime: Runtime, does: "create" | "delete"): Promise<void> {
    if (does === "create") {
      const { id, key = "" } = await runtime.identity.createKey(OPERATOR, {
        name: operation.label,
        role: "run",
      });
      this.#key = { id, key };
      return;
    }
    const { id } = this.#key ?? {};
    if (id === undefined) throw new Error("there is no key");
    operation.keyId = id;
    await runtime.identity.deleteKey(OPERATOR, id);
    for (const { label, keyId } of this.#operations) {
      const run = this.runs.get(label);
      if (keyId === id && run !== undefined && this.#observer.run(run)?.status === "pending")
        this.barred.add(label);
    }
  }

  async #client(operation: Operation, runtime: Runtime, { user, does }: Of<"client">): Promise<void> {
    if (this.#key === undefined) throw new Error("there is no key");
    const { id, key } = this.#key;
    operation.keyId = id;
    const principal = await runtime.identity.authenticate(`Bearer ${key}`);
    if (does === "schedule") await this.#schedule(operation, runtime, principal, "Write", user);
    else
      operation.execution = await runtime.tools.execute(
        principal,
        requestOf("Write", user, operation.label),
        {},
      );
  }

  async #consent(operation: Operation, runtime: Runtime, step: Of<"consent"> | Of<"browse">): Promise<void> {
    const scope = `s${operation.step.number}`;
    if (step.kind === "consent") {
      await new Browser(step.user, this.#world.provider).consent(runtime, scope, step.again);
      operation.isConnected = true;
      return;
    }
    const browser = this.#browsers.get(step.user);
    operation.isConnected =
      (await browser?.next(runtime, { scope, again: false, choice: step.choice })) === true;
  }

  async #delete(runtime: Runtime, user: string): Promise<void> {
    const row = this.#observer.connection(user);
    if (row === undefined) throw new Error("there is no connection");
    await runtime.connections.delete(OPERATOR, row.id);
  }

  async #secret(operation: Operation, runtime: Runtime): Promise<void> {
    const { label: value, began, since } = operation;
    this.secret = undefined;
    await runtime.secrets.upsert(OPERATOR, SECRET, { value });
    // Of two writes at the same time either may be the last.
    const isAlone = this.#operations.every(
      (other) =>
        other === operation ||
        other.step.kind !== "secret" ||
        (other.ended ?? Infinity) < began ||
        (other.life.endedAt ?? Infinity) < since,
    );
    if (isAlone) this.secret = value;
  }

  async #secrets(runtime: Runtime, does: "store" | "delete"): Promise<void> {
    const principal = await runtime.identity.operator(SECOND);
    const { incarnation } = principal;
    if (does === "store") {
      const keys = Array.from({ length: MANY_SECRETS }, (_, index) => `${incarnation} ${1000 + index}`);
      await Promise.all(keys.map((key) => runtime.secrets.upsert(principal, key, { value: "x" })));
      return;
    }
    const keys = this.#observer.secretKeys(SECOND).toSorted().slice(0, DELETED_SECRETS);
    await Promise.all(keys.map((key) => runtime.secrets.delete(principal, key)));
  }

  async #rotate(operation: Operation, runtime: Runtime, { what }: Of<"rotate">): Promise<void> {
    if (what === "root") return void (await runtime.rotation.rotateRoot(OPERATOR));
    const principal = what === "data" ? OPERATOR : await runtime.identity.operator(SECOND);
    operation.principal = principal;
    operation.rotated = await runtime.rotation.rotateDataKey(principal);
  }

  async #project(runtime: Runtime, does: "create" | "delete"): Promise<void> {
    if (does === "delete") return runtime.identity.deleteProject(OPERATOR, SECOND);
    await runtime.identity.createProject(OPERATOR, SECOND, SECOND);
    this.#visitors.push(await runtime.identity.operator(SECOND));
  }

  async #visit(operation: Operation, runtime: Runtime, { does, isLate }: Of<"visit">): Promise<void> {
    const principal = this.#visitors.at(isLate ? -2 : -1);
    if (principal === undefined) return;
    operation.principal = principal;
    const { label } = operation;
    // As the server does for each request.
    if (does !== "write") await runtime.identity.requireCurrent(principal);
    if (does === "write") {
      const key = `${principal.incarnation} ${operation.step.number}`;
      await runtime.secrets.upsert(principal, key, { value: label });
    } else if (does === "schedule") await this.#schedule(operation, runtime, principal, "Plain", "eve");
    else if (does === "call")
      operation.execution = await runtime.tools.execute(principal, requestOf("Plain", "eve", label));
    else {
      const { items: changes } = await runtime.trail.audit(principal, {});
      const { items: executions } = await runtime.trail.executions(principal, {});
      operation.seen = [...changes, ...executions].map(({ id }) => id);
    }
  }
}

async function switchHooks(runtime: Runtime, on: boolean): Promise<void> {
  const { items } = await runtime.plugins.list(OPERATOR, {});
  const [plugin] = items;
  if (plugin !== undefined)
    await runtime.plugins.update(OPERATOR, plugin.id, { status: on ? "active" : "inactive" });
}

async function checkHealth(operation: Operation, runtime: Runtime): Promise<void> {
  const { process } = operation;
  const { failingSince, fault } = process.trouble;
  const { healthy } = await runtime.health();
  // What has changed meanwhile may have changed before it looked.
  operation.health = { healthy, failingSince: process.trouble.fault === fault ? failingSince : undefined };
}

function requestOf(tool: string, user: string, text: string) {
  return { tool_name: `Sim.${tool}`, user_id: user, input: { text } };
}
