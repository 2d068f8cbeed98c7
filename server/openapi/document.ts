// The OpenAPI document, made from the operation table.
import type { TObject } from "typebox";
import { isObject, type JsonObject } from "../../src/base";
import type { Operation } from "../operations";
import { HEADERS, mediaOf, responsesOf } from "./answers";
import { Components } from "./components";
import { isExtensionParameter, MARK } from "./extensions";
import { parameterDescription } from "./fields";
import { INFO } from "./info";
import { RECORDS } from "./records";

const TAGS: Readonly<Record<string, string>> = {
  Administration: "Auth providers, secrets, connections of users and settings of a project.",
  Authorization: "Consent of users: start a flow, follow it, confirm the user.",
  Tools: "The tools, their requirements, and calls.",
  "Language model": "Chat completions with tools.",
  Hooks: "Decisions of a customer's webhook about tool calls.",
  Gateways: "Sets of tools, each at its own MCP address.",
  Operations: "The service itself. No credential is needed.",
};

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description: "Identifies this call: a repeat with the same key gets the answer of the first call.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};
const IF_NONE_MATCH = {
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of an earlier answer: 304 when nothing has changed.",
  schema: { type: "string" },
};
const SECURITY_SCHEMES = {
  Bearer: {
    type: "http",
    scheme: "bearer",
    description: "A project API key, or an access token of a user.",
  },
  ApiKey: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "The same credential without the word `Bearer`.",
  },
};

/** The document of these operations, for a server at `publicUrl`. */
export function documentOf(operations: readonly Operation[], publicUrl: string): JsonObject {
  const components = new Components(RECORDS);
  const responses = new Map<string, unknown>();
  const paths: { [path: string]: { [method: string]: unknown } } = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = operationObject(operation, components, responses);
  }
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const document = {
    openapi: "3.1.1",
    info: INFO,
    servers: [{ url: publicUrl }],
    tags: tags.map((name) => ({ name, description: TAGS[name] ?? name })),
    security: Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      responses: sorted(responses),
      schemas: sorted(components.used),
    },
  };
  // Through JSON, because schemas have properties of their library.
  return JSON.parse(JSON.stringify(document));
}

function operationObject(operation: Operation, components: Components, shared: Map<string, unknown>): object {
  const { id, tag, summary, credential, body } = operation;
  const parameters = parametersOf(operation, components);
  return {
    operationId: id,
    ...(operation.extension === true ? MARK : {}),
    tags: [tag],
    summary,
    description: accessOf(operation),
    ...(credential === "public" ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": mediaOf(body, components) } } }),
    responses: responsesOf(operation, components, shared),
  };
}

function accessOf({ credential }: Operation): string {
  if (credential === "public") return "No credential is needed.";
  return `For API keys with the role ${credential.map((role) => `\`${role}\``).join(" or ")}.`;
}

function parametersOf(operation: Operation, components: Components): object[] {
  const { path, parameters = {}, query, takesIdempotencyKey, remembersAnswer, etag } = operation;
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    description: parameterDescription(path, name),
    required: true,
    schema: components.show(parameters[name] ?? { type: "string", minLength: 1, maxLength: 256 }),
  }));
  return [
    ...named,
    ...(query === undefined ? [] : queryParameters(path, query, components)),
    ...(takesIdempotencyKey === true || remembersAnswer === true ? [IDEMPOTENCY_KEY] : []),
    ...(etag !== undefined ? [IF_NONE_MATCH] : []),
  ];
}

function queryParameters(path: string, query: TObject, components: Components): object[] {
  return Object.entries(query.properties).map(([name, property]) => {
    const shown = components.show(property);
    const { description = parameterDescription(path, name), ...schema } = isObject(shown) ? shown : {};
    return {
      name,
      in: "query",
      ...(description === undefined ? {} : { description }),
      ...(isExtensionParameter(path, name) ? MARK : {}),
      required: query.required?.includes(name) === true,
      // Lists are separated by commas.
      ...(schema["type"] === "array" ? { style: "form", explode: false } : {}),
      schema,
    };
  });
}

function sorted(entries: ReadonlyMap<string, unknown>): { [name: string]: unknown } {
  return Object.fromEntries([...entries].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
