// The public client as published, with only its base address changed, and a record of its calls.
import Arcade, { type ClientOptions } from "@arcadeai/arcadejs";

/** Called methods of all clients of `clientOf` in this run, such as `admin.secrets.create`. */
export const called = new Set<string>();

type Method = (...args: unknown[]) => unknown;

/** A client whose calls are recorded. */
export function clientOf(baseURL: string, apiKey: string, more: ClientOptions = {}): Arcade {
  const client = new Arcade({ baseURL, apiKey, ...more });
  for (const { path, resource, name } of methodsOf(client)) {
    const method: Method = Reflect.get(resource, name);
    Reflect.set(resource, name, (...args: unknown[]) => {
      called.add(path);
      return Reflect.apply(method, resource, args);
    });
  }
  return client;
}

export interface ClientMethod {
  /** `admin.secrets.create` */
  path: string;
  resource: object;
  name: string;
}

/** Every method of every nested resource, found on the client itself. */
export function methodsOf(client: Arcade): ClientMethod[] {
  return methodsIn(client, "");
}

function methodsIn(parent: object, prefix: string): ClientMethod[] {
  return Object.entries(parent).flatMap(([key, resource]: [string, unknown]) => {
    if (!isResource(resource)) return [];
    const path = `${prefix}${key}`;
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(resource));
    const methods = names
      .filter((name) => name !== "constructor" && typeof Reflect.get(resource, name) === "function")
      .map((name) => ({ path: `${path}.${name}`, resource, name }));
    return [...methods, ...methodsIn(resource, `${path}.`)];
  });
}

// A resource refers back to its client.
function isResource(value: unknown): value is object {
  return typeof value === "object" && value !== null && "_client" in value;
}

/** The error of a call. The client's promises are lazy: the runner's `rejects` does not start them. */
export function refusal(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );
}
