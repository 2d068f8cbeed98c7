// The API description as a judge: is this an answer that the document declares?
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { documentOf } from "../../server/openapi/document";
import { contractOperations, operations } from "../../server/operations";
import { isObject, type JsonObject } from "../../src/base";

type Check = ReturnType<typeof Compile>;

/** Of all that is served: what is beside the published contract is judged as well. */
export const description = documentOf(operations, "http://localhost");
const published = new Set(contractOperations.map(({ id }) => id));

/** An operation of the document. */
export interface DescribedOperation {
  id: string;
  /** `GET /v1/tools/{name}` */
  name: string;
  method: string;
  path: string;
  object: JsonObject;
  parameters: readonly JsonObject[];
  /** Schema of the request's body, as the document shows it. */
  body: JsonObject | undefined;
  /** Needs no credential. */
  open: boolean;
}

/** Every operation that is served. */
export const servedOperations: readonly DescribedOperation[] = Object.entries(
  member(description, "paths"),
).flatMap(([path, item]) =>
  Object.keys(isObject(item) ? item : {}).map((method) => {
    const object = member(item, method);
    const { parameters, requestBody } = object;
    return {
      id: String(object["operationId"]),
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      object,
      parameters: Array.isArray(parameters) ? parameters.map((one) => member(resolved(one))) : [],
      body: requestBody === undefined ? undefined : schemaOf(resolved(requestBody) ?? {}),
      open: object["security"] !== undefined,
    };
  }),
);

/** Those of the published contract. */
export const describedOperations = servedOperations.filter(({ id }) => published.has(id));

/** The status with which an operation succeeds. */
export function successOf({ object }: DescribedOperation): number {
  return Math.min(...Object.keys(member(object, "responses")).map(Number));
}

/** The example of the record that the operation takes. */
export function exampleOfBody({ object }: DescribedOperation): unknown {
  const { requestBody } = object;
  if (requestBody === undefined) return undefined;
  return structuredClone(member(resolved(requestBody), "content", "application/json")["example"]);
}

const context = Object.fromEntries(
  Object.entries(member(description, "components", "schemas")).map(([name, schema]) => [
    `#/components/schemas/${name}`,
    // The document is JSON Schema as the validator takes it.
    schema as TSchema,
  ]),
);
const checks = new Map<object, Check>();

/** What the answer breaks; empty: nothing. Undefined when the document has no such operation. */
export function answerFaults(method: string, path: string, status: number, body: unknown) {
  const operation = operationOf(method, path);
  if (operation === undefined) return undefined;
  const declared = resolved(member(operation, "responses")[String(status)]);
  if (declared === undefined) return [`status ${status} is not declared`];
  const schema = schemaOf(declared);
  if (schema === undefined) return body === null ? [] : ["a body, and none is declared"];
  const check = checks.get(schema) ?? Compile(context, schema as TSchema);
  checks.set(schema, check);
  return check.Check(body)
    ? []
    : check.Errors(body).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Where `$ref` leads, or the value itself. */
export function resolved(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const { $ref: reference } = value;
  if (typeof reference !== "string") return value as JsonObject;
  return member(description, ...reference.slice(2).split("/"));
}

/** The schema of a response's or request's JSON. */
export function schemaOf(content: JsonObject): JsonObject | undefined {
  return content["content"] === undefined
    ? undefined
    : member(content, "content", "application/json", "schema");
}

export function member(value: unknown, ...keys: string[]): JsonObject {
  const found = keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
  if (!isObject(found)) throw new Error(`the document has no ${keys.join(".")}`);
  return found as JsonObject;
}

function operationOf(method: string, path: string): JsonObject | undefined {
  const found = Object.entries(member(description, "paths"))
    .filter(([template, item]) => isObject(item) && method.toLowerCase() in item && fits(template, path))
    // The more that is fixed of a path, the more it is meant.
    .toSorted(([left], [right]) => left.split("{").length - right.split("{").length)[0];
  return found === undefined ? undefined : member(found[1], method.toLowerCase());
}

function fits(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
}
