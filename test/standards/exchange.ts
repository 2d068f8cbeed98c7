// Exchanges of the ledger: what is sent, as bytes or by `fetch`, and what must come back.
import { expect } from "bun:test";
import { sendRaw } from "../server/raw";
import type { Proof } from "./ledger";
import type { World } from "./world";

export type Value<T> = T | ((world: World) => T | Promise<T>);

export interface Sent {
  method?: string;
  /** Below the address of the deployment; an absolute address is used as it is. */
  path: Value<string>;
  /** A role whose key is sent. */
  as?: "admin" | "run" | "read";
  headers?: Value<Record<string, string>>;
  /** An object is sent as JSON. */
  body?: Value<string | object>;
}

export interface Expected {
  status?: number | readonly number[];
  /** A text is compared, a pattern is searched, null is absent. */
  headers?: Record<string, string | RegExp | null>;
  /** A text or pattern is searched in the body; an object must be part of its JSON. */
  body?: string | RegExp | object | ((world: World) => object | string | Promise<object | string>);
  /** Must not be in the body. */
  not?: string | RegExp;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export async function valueOf<T>(world: World, value: Value<T>): Promise<T> {
  return value instanceof Function ? value(world) : value;
}

export async function send(world: World, sent: Sent): Promise<Answer> {
  const path = await valueOf(world, sent.path);
  const body = sent.body === undefined ? undefined : await valueOf(world, sent.body);
  const response = await fetch(path.startsWith("http") ? path : world.url + path, {
    method: sent.method ?? (body === undefined ? "GET" : "POST"),
    redirect: "manual",
    headers: {
      ...(sent.as === undefined ? {} : { authorization: `Bearer ${world.keys[sent.as]}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(sent.headers === undefined ? {} : await valueOf(world, sent.headers)),
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export async function check(world: World, answer: Answer, expected: Expected): Promise<void> {
  const { status, headers = {}, not } = expected;
  if (typeof status === "number") expect(answer.status, answer.text).toBe(status);
  else if (status !== undefined) expect([...status], answer.text).toContain(answer.status);
  for (const [name, wanted] of Object.entries(headers)) {
    const value = answer.headers.get(name);
    if (wanted instanceof RegExp) expect(value ?? "", name).toMatch(wanted);
    else expect(value, name).toBe(wanted);
  }
  const body = typeof expected.body === "function" ? await expected.body(world) : expected.body;
  if (typeof body === "string") expect(answer.text).toContain(body);
  else if (body instanceof RegExp) expect(answer.text).toMatch(body);
  else if (body !== undefined) expect(JSON.parse(answer.text)).toMatchObject(body);
  if (typeof not === "string") expect(answer.text).not.toContain(not);
  else if (not !== undefined) expect(answer.text).not.toMatch(not);
}

/** One request and its answer. */
export function asks(sent: Sent, expected: Expected): Proof {
  return async (world) => check(world, await send(world, sent), expected);
}

/** GET of a path. */
export function gets(path: Value<string>, expected: Expected, more: Partial<Sent> = {}): Proof {
  return asks({ path, ...more }, expected);
}

/** Bytes on a socket; line ends become CRLF. A `Host` and `Connection: close` are the row's own. */
export function bytes(text: Value<string>, expected: Expected & { empty?: true }): Proof {
  return async (world) => {
    const raw = (await valueOf(world, text)).replaceAll("\n", "\r\n");
    const { status, head, body } = await sendRaw(world.url, [raw]);
    if (expected.empty === true) return expect([status, body]).toEqual([0, ""]);
    const lines = head
      .split("\r\n")
      .slice(1)
      .filter((line) => line.includes(":"));
    const headers = new Headers(
      lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(":")),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
    );
    return check(world, { status, headers, text: body }, expected);
  };
}

/** Several proofs, one after the other. */
export function all(...proofs: readonly Proof[]): Proof {
  return async (world) => {
    for (const proof of proofs) await proof(world);
  };
}
