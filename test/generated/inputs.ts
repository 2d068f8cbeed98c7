// From one valid request: every request that is like it but for one thing.
import { placesOf, type Path, withoutField, withValue, wrongValues } from "./schema";
import { isMinted, type Prepared } from "./requests";

export interface Input {
  name: string;
  request: Prepared;
  /** What a caller who may call it gets. */
  statuses: readonly number[];
}

const INVALID = [400];
/** Of an address that names a project: that the credential is not for it. */
export const NOWHERE = [400, 401, 404];

export function badInputs(valid: Prepared): Input[] {
  return [...missingFields(valid), ...wrongFields(valid), ...wrongQueries(valid), ...unknownIds(valid)];
}

function missingFields(valid: Prepared): Input[] {
  const { operation, body, query } = valid;
  const fields = placesOf(operation.body).filter(({ required }) => required);
  const parameters = operation.parameters.filter((one) => one["in"] === "query" && one["required"] === true);
  return [
    ...fields.map(({ path }) => ({
      name: `${shown(path)} missing`,
      request: { ...valid, body: withoutField(body, operation.body, path) },
      statuses: INVALID,
    })),
    ...parameters.map(({ name }) => ({
      name: `query ${String(name)} missing`,
      request: { ...valid, query: without(query, String(name)) },
      statuses: INVALID,
    })),
    ...(operation.body === undefined
      ? []
      : [{ name: "no body", request: { ...valid, body: undefined }, statuses: INVALID }]),
  ];
}

function wrongFields(valid: Prepared): Input[] {
  const { operation, body } = valid;
  if (operation.body === undefined) return [];
  const whole = wrongValues(operation.body).map((value) => ({
    name: `a body that is ${JSON.stringify(value)}`,
    request: { ...valid, body: value },
    statuses: INVALID,
  }));
  const fields = placesOf(operation.body).flatMap(({ path, schema }) =>
    wrongValues(schema).map((value) => ({
      name: `${shown(path)} is ${JSON.stringify(value)}`,
      request: { ...valid, body: withValue(body, operation.body, path, value) },
      statuses: INVALID,
    })),
  );
  return [...whole, ...fields];
}

function wrongQueries(valid: Prepared): Input[] {
  return valid.operation.parameters
    .filter((one) => one["in"] === "query" && wrongValues(one["schema"]).includes("no such value"))
    .map(({ name }) => ({
      name: `query ${String(name)} is no such value`,
      request: { ...valid, query: { ...valid.query, [String(name)]: "no such value" } },
      statuses: INVALID,
    }));
}

function unknownIds(valid: Prepared): Input[] {
  const { operation, path, query, body, named } = valid;
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const ofPath = names.filter((name) => /(^|_)(id|name)$/.test(name));
  const ofQuery = Object.keys(query).filter((name) => isMinted(query[name]));
  const ofBody = placesOf(operation.body).filter(({ path: at }) => named.includes(String(valueAt(body, at))));
  return [
    ...ofPath.map((name) => ({
      name: `unknown ${name}`,
      request: { ...valid, path: { ...path, [name]: unknownLike(path[name]) } },
      statuses: ["org_id", "project_id"].includes(name) ? NOWHERE : [404, 400],
    })),
    ...ofQuery.map((name) => ({
      name: `unknown ${name} in the query`,
      request: { ...valid, query: { ...query, [name]: unknownLike(query[name]) } },
      statuses: [400, 404],
    })),
    ...ofBody.map(({ path: at }) => ({
      name: `unknown ${shown(at)}`,
      request: { ...valid, body: withValue(body, operation.body, at, unknownLike(valueAt(body, at))) },
      statuses: [400, 404],
    })),
  ];
}

/** An id of the same form that stands for nothing. */
function unknownLike(id: unknown): string {
  const text = String(id);
  return isMinted(text) ? text.replace(/_.*/, "_00000000000000000000000000") : `unknown-${text}`;
}

function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (Object(value) as Record<string, unknown>)[step], body);
}

function without(object: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

function shown(path: Path): string {
  return path.join(".");
}
