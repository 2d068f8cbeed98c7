// What a request at random is to be: data, so that a failing one can be made smaller and shown. It becomes a request
// when it is sent, because only then are there ids to name.
import fc from "fast-check";
import type { ApiCall } from "../support/api";
import { type DescribedOperation, servedOperations } from "../support/described";
import { may } from "./credentials";
import { anything, arbitraryOf, parameterOf, toolRuns } from "./arbitrary";
import { type Prepared, toCall } from "./requests";
import { placesOf, withoutField, withValue } from "./schema";
import { type Credential, CREDENTIALS } from "./world";

type Texts = Readonly<Record<string, string | undefined>>;

export interface Plan {
  operation: string;
  credential: Credential;
  body: "valid" | { edits: { place: number; value?: unknown }[] } | { made: unknown } | { raw: string };
  /** In the place of what is valid. */
  path: Texts;
  /** Besides what is valid. */
  query: Texts;
  headers: Texts;
  /** Which text of the body bears the canary. */
  planted: number;
}

const TYPES = [
  "text/plain",
  "application/json; charset=utf-8",
  "application/problem+json",
  "application/jsonx",
  "a/b",
  "",
];
const RAW = [
  "",
  "{",
  "[]",
  "null",
  "0",
  '"',
  "{}",
  '{"a":1}{"b":2}',
  "\ufeff{}",
  '{"a":1,"a":2}',
  '{"__proto__":{}}',
  "[".repeat(300),
  "\u0000",
  "NaN",
  "{'a':1}",
];

const headers = fc.record(
  {
    "content-type": fc.constantFrom(...TYPES),
    "idempotency-key": fc.oneof(fc.uuid(), fc.constantFrom("k", "", "k".repeat(300))),
    "if-none-match": fc.constantFrom("*", '"x"', "W/"),
    accept: fc.constantFrom("*/*", "text/event-stream", ""),
    traceparent: fc.constantFrom("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "x"),
    origin: fc.constantFrom("https://application.example.com", "null"),
  },
  { requiredKeys: [] },
);

/** One plan for the operation; three of eight are valid as they are. */
function planOf(operation: DescribedOperation): fc.Arbitrary<Plan> {
  const changed = fc.oneof({ arbitrary: bodyOf(operation), weight: 1 });
  const known = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const path = someOf(known.map((name) => [name, parameterOf({ type: "string" }, name)]));
  const query = someOf(
    operation.parameters
      .filter((one) => one["in"] === "query")
      .map(({ name, schema }) => [String(name), parameterOf(schema, String(name))]),
  );
  const able = credentialsOf(operation);
  const nothing = fc.constant({});
  const base = { operation: fc.constant(operation.id), planted: fc.nat(50) };
  const valid = {
    ...base,
    credential: able,
    body: fc.constant("valid" as const),
    path: nothing,
    query: nothing,
    headers: nothing,
  };
  return fc.oneof(
    { weight: 3, arbitrary: fc.record(valid) },
    { weight: 3, arbitrary: fc.record({ ...valid, body: changed, query }) },
    { weight: 1, arbitrary: fc.record({ ...valid, path, query, headers }) },
    {
      weight: 1,
      arbitrary: fc.record({
        ...base,
        credential: fc.constantFrom(...CREDENTIALS),
        body: changed,
        path,
        query,
        headers,
      }),
    },
  );
}

export const plans: fc.Arbitrary<Plan> = fc.oneof(
  ...servedOperations.map((operation) => ({ weight: weightOf(operation), arbitrary: planOf(operation) })),
);

// Where much can be said, much can be said wrong.
function weightOf({ id, body }: DescribedOperation): number {
  if (id === "tool-execute") return 10;
  return body === undefined ? 1 : 2;
}

/** Credentials with which the operation works: what is behind the door is worth more than the door. */
function credentialsOf(operation: DescribedOperation): fc.Arbitrary<Credential> {
  const able = CREDENTIALS.filter((one) => one !== "a key of another project" && may(operation, one));
  return fc.oneof(fc.constant<Credential>("an admin key"), fc.constantFrom(...able));
}

function bodyOf({ id, body }: DescribedOperation): fc.Arbitrary<Plan["body"]> {
  if (body === undefined)
    return fc.oneof(
      fc.constant("valid" as const),
      fc.constantFrom(...RAW).map((raw) => ({ raw })),
    );
  const places = placesOf(body);
  const edit = fc.nat(Math.max(0, places.length - 1)).chain((place) => {
    const { schema = {}, path = [] } = places[place] ?? {};
    const value = fc.oneof(arbitraryOf(schema, String(path.at(-1))), anything);
    return fc.record({ place: fc.constant(place), value }, { requiredKeys: ["place"] });
  });
  return fc.oneof(
    { weight: 4, arbitrary: fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => ({ edits })) },
    { weight: 2, arbitrary: arbitraryOf(body).map((made) => ({ made })) },
    { weight: id === "tool-execute" ? 20 : 0, arbitrary: toolRuns.map((made) => ({ made })) },
    {
      weight: 1,
      arbitrary: fc.oneof(fc.constantFrom(...RAW), fc.string(), fc.json()).map((raw) => ({ raw })),
    },
  );
}

function someOf(entries: [string, fc.Arbitrary<string>][]): fc.Arbitrary<Texts> {
  return fc.record(Object.fromEntries(entries), { requiredKeys: [] });
}

/** The request of a plan, given the valid one. */
export function requestOf(plan: Plan, valid: Prepared, credential: string | undefined): ApiCall {
  const path = { ...valid.path, ...given(plan.path) };
  const query = { ...valid.query, ...given(plan.query) };
  const raw = plan.body !== "valid" && "raw" in plan.body ? { raw: plan.body.raw } : {};
  const request = toCall({ ...valid, body: editedBody(plan, valid), path, query }, credential);
  return { ...request, ...raw, headers: given(plan.headers) };
}

function given(texts: Texts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}

function editedBody({ body }: Plan, valid: Prepared): unknown {
  if (body === "valid" || "raw" in body) return valid.body;
  if ("made" in body) return body.made;
  const schema = valid.operation.body;
  const places = placesOf(schema);
  return body.edits.reduce<unknown>((edited, edit) => {
    const path = places[edit.place]?.path ?? [];
    return "value" in edit ? withValue(edited, schema, path, edit.value) : withoutField(edited, schema, path);
  }, valid.body);
}
