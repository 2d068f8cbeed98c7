// The store of a simulated process on the scripted database: the engine of the product, and a server that is not one.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Kind, SqliteOptions, Store, Transaction } from "../../../src/store";
import { isUnavailable } from "../../../src/errors";
import { isList, TOUCH, type Yielded } from "../../../src/store/port";
import { openPostgres } from "../../../src/store/postgres/postgres";
import type { GateKind } from "../simulated-store";
import type { ScriptedDatabase } from "./database";
import type { WriteRecord } from "./ledger";
import type { Client } from "./parts";
import type { ScriptedServer } from "./server";

export interface PostgresHost {
  readonly client: Client;
  /** A random name of this process. */
  readonly instance: string;
  gate(kind: GateKind): Promise<void>;
  /** A write has returned. */
  wrote(): void;
}

/** Connections of a process to each of the databases. */
const CONNECTIONS = { records: 5, log: 3 };
const GATED = new Set<string | symbol>(["get", "all", "changed", "check"]);

export function openScriptedStore(options: SqliteOptions, server: ScriptedServer, host: PostgresHost): Store {
  const { client, instance } = host;
  const database = server.database(options.file);
  const connector = server.connector(client, database);
  const { migrations, durability = "full" } = options;
  const connections = CONNECTIONS[database.name];
  const engine = openPostgres({
    connector,
    schema: "main",
    migrations,
    instance,
    durability,
    connections,
  });
  /** The generations that were acknowledged when a request began. */
  const known = new AsyncLocalStorage<ReadonlyMap<string, number>>();
  const write = async <T>(body: () => Transaction<T>): Promise<T> => {
    await host.gate("before a write");
    const record = server.ledger.begin(client.name);
    try {
      const result = await engine.write(() => recorded(body(), record, database, client));
      server.ledger.acknowledged(record);
      return result;
    } catch (error) {
      if (client.life.isAlive) server.ledger.refused(record, error);
      if (database.name === "records" && isUnavailable(error)) client.refused();
      throw error;
    } finally {
      host.wrote();
      await host.gate("after a write");
    }
  };
  const generation = (kind: Kind): number | Promise<number> => {
    // A change that was acknowledged before the request is seen.
    const least = (known.getStore() ?? database.acknowledged).get(kind) ?? 0;
    const checked = (found: number): number => {
      const detail = `${client.name} read generation ${found} of ${kind} after ${least} was acknowledged`;
      if (found < least) server.found("generationIsCurrent", detail);
      return found;
    };
    const found = engine.generation(kind);
    return typeof found === "number" ? checked(found) : found.then(checked);
  };
  const request = <T>(work: () => T): T =>
    known.run(new Map(database.acknowledged), () => engine.request?.(work) ?? work());
  const gated = async (call: () => unknown): Promise<unknown> => {
    await host.gate("any");
    try {
      return await call();
    } finally {
      await host.gate("any");
    }
  };
  const own: Readonly<Record<string | symbol, unknown>> = { write, generation, request };
  return new Proxy(engine, {
    get: (target, name) => {
      if (Object.hasOwn(own, name)) return own[name];
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const bound = (...args: unknown[]): unknown => value.apply(target, args);
      return GATED.has(name) ? (...args: unknown[]) => gated(() => bound(...args)) : bound;
    },
  });
}

/** A body whose statements are told apart from those of others. */
function* recorded<T>(
  body: Transaction<T>,
  record: WriteRecord,
  database: ScriptedDatabase,
  client: Client,
): Transaction<T> {
  // A body that runs again may find that there is nothing left to do.
  record.hasAsked = false;
  try {
    let state = body.next();
    while (state.done !== true) {
      record.hasAsked ||= isSent(state.value);
      database.running.set(client, record);
      let answer: unknown;
      try {
        answer = yield state.value;
      } catch (error) {
        database.running.delete(client);
        state = body.throw(error);
        continue;
      }
      database.running.delete(client);
      state = body.next(answer);
    }
    return state.value;
  } catch (error) {
    record.thrown = error;
    database.failed(record);
    throw error;
  }
}

/** Whether the engine sends something for it at once. */
function isSent(yielded: Yielded): boolean {
  return isList(yielded) || (yielded.text !== TOUCH.text && !yielded.text.startsWith("PRAGMA"));
}
