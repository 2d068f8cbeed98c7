// Calls to the API as a client would make them. Every answer is checked against the API description.
import { expect } from "bun:test";
import { isObject, type Json } from "../../src/base";
import { answerFaults } from "./described";

export interface ApiAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the body; null for an empty one. */
  body: Json;
}

export interface ApiCall {
  method: string;
  path: string;
  key?: string | undefined;
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
}

/** How a request travels: `fetch`, or past the network. */
export type Through = (url: string, init: RequestInit) => Promise<Response>;

export async function call(
  url: string,
  { method, path, key, body, raw, headers }: ApiCall,
  through: Through = fetch,
): Promise<ApiAnswer> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await through(url + path, {
    method,
    redirect: "manual",
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(content === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(content === undefined ? {} : { body: content }),
  });
  const text = await response.text();
  // A stream of events and the page of metrics are no JSON, and the description says no more of them than that.
  const type = response.headers.get("content-type") ?? "";
  const streamed = /^text\/(?:event-stream|plain)\b/.test(type);
  const answer = {
    status: response.status,
    headers: response.headers,
    text,
    body: streamed ? null : parse(text),
  };
  if (streamed) return answer;
  checkContract(method, path, answer);
  return answer;
}

/** A client with one key. */
export function api(url: string, key: string | undefined) {
  const send = (method: string) => (path: string, body?: unknown) => call(url, { method, path, key, body });
  return {
    get: send("GET"),
    post: send("POST"),
    patch: send("PATCH"),
    put: send("PUT"),
    delete: send("DELETE"),
  };
}

/** A field of an answer by its path, such as `output.value.data.ts`. */
export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return isObject(inner) ? inner[key] : undefined;
  }, value);
}

function parse(text: string): Json {
  return text === "" ? null : JSON.parse(text);
}

function checkContract(method: string, path: string, answer: ApiAnswer): void {
  expect(answer.headers.get("x-request-id")).toBeTruthy();
  if (answer.status >= 400 && answer.status !== 503) {
    expect(at(answer.body, "name")).toMatch(/^[a-z_]+$/);
    expect(typeof at(answer.body, "message")).toBe("string");
  }
  const faults = answerFaults(method, path.split("?")[0] ?? "", answer.status, answer.body) ?? [];
  expect({ method, path, faults }).toEqual({ method, path, faults: [] });
}
