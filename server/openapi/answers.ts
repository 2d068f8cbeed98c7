// The answers of operations: their own record, the `Error` record, headers.
import type { TSchema } from "typebox";
import { isObject, type JsonObject } from "../../src/base";
import type { Operation } from "../operations";
import type { Components } from "./components";
import { ErrorRecord } from "./error-record";
import errorExamples from "./error-examples.json";
import { exampleOf } from "./examples";

/** Every status that an operation answers with, success first. */
export function statusesOf({ method, success, errors, others = {}, etag, credential }: Operation): number[] {
  const more = [
    ...errors,
    ...Object.keys(others).map(Number),
    ...(etag !== undefined ? [304] : []),
    // `If-Match` and `If-None-Match`.
    ...(credential === "public" || (method === "GET" && etag === undefined) ? [] : [412]),
    // Calls with a credential can be rate limited, and need the database.
    ...(credential === "public" ? [] : [429, 503]),
  ];
  return [success.status, ...new Set(more.toSorted((left, right) => left - right))];
}

/** The name of the examples that fit every operation. */
const EVERY = "*";

/** What the operation really answers with the status of an error; made by `test/generated/error-examples.ts`. */
function exampleOfError(operation: string, status: number): unknown {
  const all: { [operation: string]: { [status: string]: unknown } } = errorExamples;
  return all[operation]?.[status];
}

interface Refusal {
  name: string;
  description: string;
}

const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { name: "BadRequest", description: "The request breaks a rule; nothing was done." },
  401: { name: "Unauthorized", description: "The credential is missing, malformed or rejected." },
  403: { name: "Forbidden", description: "The credential may not do this, or the user has not consented." },
  404: { name: "NotFound", description: "The record does not exist in the project." },
  409: { name: "Conflict", description: "Another record conflicts with it." },
  412: {
    name: "PreconditionFailed",
    description: "`If-Match` or `If-None-Match` is false; nothing was done.",
  },
  413: { name: "RequestTooLarge", description: "The body is over the limit." },
  415: { name: "UnsupportedMediaType", description: "The body is not JSON." },
  429: { name: "TooManyRequests", description: "Too many requests; `Retry-After` is the time to wait." },
  500: { name: "InternalServerError", description: "The server failed; its log has the reason." },
  503: { name: "ServiceUnavailable", description: "The service cannot work at the moment." },
  504: { name: "GatewayTimeout", description: "An upstream did not answer in time." },
};
const PLAIN: Readonly<Record<number, string>> = {
  303: "Sends a browser to the page.",
  304: "Nothing has changed since the answer with this `ETag`.",
};

const REQUEST_ID = { "x-request-id": { $ref: "#/components/headers/RequestId" } };
const ETAG = { etag: { $ref: "#/components/headers/ETag" } };
const RETRY_AFTER = { "retry-after": { $ref: "#/components/headers/RetryAfter" } };
const DEPRECATION = { deprecation: { $ref: "#/components/headers/Deprecation" } };
const CHALLENGE = { "www-authenticate": { $ref: "#/components/headers/Challenge" } };
/** More headers of error answers, by status. */
const MORE: Readonly<Record<number, object>> = { 401: CHALLENGE, 429: RETRY_AFTER };

/** The headers of answers. */
export const HEADERS: JsonObject = {
  RequestId: {
    description: "Identifies this request in the log of the server.",
    schema: { type: "string" },
  },
  ETag: {
    description: "Changes when the answer does; send it back as `If-None-Match`.",
    schema: { type: "string" },
  },
  RetryAfter: {
    description: "Seconds after which the request may be sent again.",
    schema: { type: "integer", minimum: 0 },
  },
  Deprecation: {
    description:
      "Only for a tool that was replaced (RFC 9745): since when, as `@` and seconds. `Link` names its successor.",
    schema: { type: "string", pattern: "^@\\d+$" },
  },
  Challenge: {
    description: "How to send a credential (RFC 9110, section 11.6.1).",
    schema: { type: "string" },
  },
};

/** Responses of an operation by status. Those that many operations share are references into `shared`. */
export function responsesOf(
  operation: Operation,
  components: Components,
  shared: Map<string, unknown>,
): { [status: string]: unknown } {
  const { success, others = {}, etag, streams, tool } = operation;
  const responses = statusesOf(operation).map((status): [string, unknown] => {
    if (status === success.status) {
      const headers = {
        ...REQUEST_ID,
        ...(etag !== undefined ? ETAG : {}),
        ...(tool === undefined ? {} : DEPRECATION),
      };
      const done = response("Done.", headers, success.schema, components);
      return [String(status), streams === true ? withEvents(done) : done];
    }
    const other = others[status];
    const description = PLAIN[status] ?? REFUSALS[status]?.description ?? `Status ${status}.`;
    if (other !== undefined) {
      const plain = response(description, REQUEST_ID, other, components);
      return [String(status), withExample(plain, exampleOfError(operation.id, status))];
    }
    if (status < 400) return [String(status), response(description, { ...REQUEST_ID, ...ETAG })];
    const { name } = REFUSALS[status] ?? { name: `Status${status}` };
    const headers = { ...REQUEST_ID, ...MORE[status] };
    const own = exampleOfError(operation.id, status);
    const refusal = response(description, headers, ErrorRecord, components);
    if (own !== undefined) return [String(status), withExample(refusal, own)];
    if (!shared.has(name)) shared.set(name, withExample(refusal, exampleOfError(EVERY, status)));
    return [String(status), { $ref: `#/components/responses/${name}` }];
  });
  return Object.fromEntries(responses);
}

function response(description: string, headers: object, schema?: TSchema | null, components?: Components) {
  if (schema === undefined || schema === null || components === undefined) return { description, headers };
  return { description, headers, content: { "application/json": mediaOf(schema, components) } };
}

/** The answer with an example of its own, instead of that of its record. */
function withExample<T extends { content?: { [type: string]: object } }>(answer: T, example: unknown): T {
  if (answer.content === undefined) return answer;
  const content = Object.entries(answer.content).map(([type, { ...media }]) => {
    delete (media as { example?: unknown }).example;
    return [type, example === undefined ? media : { ...media, example }];
  });
  return { ...answer, content: Object.fromEntries(content) };
}

/** Adds the answer as events: each is one line of JSON after `data: `, the last one is `[DONE]`. */
function withEvents(answer: { content?: object }): object {
  const events = { schema: { type: "string", description: "Server-sent events." } };
  return { ...answer, content: { ...answer.content, "text/event-stream": events } };
}

/** A schema with the example of its record. */
export function mediaOf(schema: TSchema, components: Components): object {
  const example = exampleOf(components.nameOf(schema));
  const shown = components.show(schema);
  return { schema: isObject(shown) ? shown : {}, ...(example === undefined ? {} : { example }) };
}
