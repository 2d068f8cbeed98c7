// A valid request of any operation of the API description: the example of its record, with ids that are there and names
// that are free.
import { isObject } from "../../src/base";
import { type ApiAnswer, type ApiCall, at } from "../support/api";
import { type DescribedOperation, servedOperations, exampleOfBody, successOf } from "../support/described";
import { least } from "./schema";
import { FIXTURES } from "./fixtures";
import type { Project, World } from "./world";

export interface Prepared {
  operation: DescribedOperation;
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: unknown;
  /** Ids of records of the project that the request names. */
  named: readonly string[];
}

/** Parameters that say in which project, not which record. */
const WHERE = ["org_id", "project_id"];

/** Throws a sentence that says what to add when an id cannot be had. */
export async function validRequest(
  world: World,
  project: Project,
  operation: DescribedOperation,
): Promise<Prepared> {
  const fixture = FIXTURES[operation.id] ?? {};
  const named: string[] = [];
  const made = async (name: string, collection: string): Promise<string | undefined> => {
    const id = await make(world, project, name, collection);
    if (id !== undefined) named.push(id);
    return id;
  };
  const path = await pathOf(world, project, operation, made);
  const query = (await fixture.query?.(world, project)) ?? {};
  const given = fixture.body === undefined ? {} : await fixture.body(world, project);
  const ids = Object.entries(path).filter(([name]) => /(^|_)id$/.test(name) && !WHERE.includes(name));
  named.push(...ids.map(([, id]) => id), ...Object.values(query).filter(isMinted));
  // What an operation without a credential names belongs to no project, and what a new record is given is its own.
  if (!operation.open && !creates(operation))
    named.push(...Object.values(given).filter((value) => typeof value === "string"));
  // Records that only the terminal sends have no examples.
  const example =
    exampleOfBody(operation) ?? (operation.body === undefined ? undefined : least(operation.body));
  const whole = isObject(example) ? { ...example, ...given } : example;
  const body =
    operation.body === undefined ? undefined : await freshBody(world, project, operation, whole, path, made);
  return { operation, path, query, body, named: [...new Set(named)] };
}

export function toCall({ operation, path, query, body }: Prepared, credential: string | undefined): ApiCall {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => escaped(path[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  return {
    method: operation.method,
    path: filled + (search === "" ? "" : `?${search}`),
    key: credential,
    ...(body === undefined ? {} : { body }),
  };
}

// A text with a percent sign of its own goes as it is: broken escapes are what servers stumble over.
function escaped(text: string): string {
  // These lead to another address before anybody sends them.
  if (/^(\.|%2e){1,2}$/i.test(text) || text === "") return "-";
  return /^[\w.%-]*%[\w.%-]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}

/** The status of the operation's own answer. */
export function succeeded({ operation }: Prepared, { status }: ApiAnswer): boolean {
  return status === successOf(operation);
}

/** What to do about a valid request that did not succeed. */
export function advice({ operation }: Prepared, { status, text }: ApiAnswer): string {
  return (
    `${operation.id} answered ${status} to the request that should be valid: ${text}. Give its record an example ` +
    `that works (server/openapi/examples.ts), or what the example lacks an entry "${operation.id}" in ` +
    `FIXTURES (test/generated/fixtures.ts).`
  );
}

type Made = (name: string, collection: string) => Promise<string | undefined>;

async function pathOf(
  world: World,
  project: Project,
  operation: DescribedOperation,
  made: Made,
): Promise<Record<string, string>> {
  const given = (await FIXTURES[operation.id]?.path?.(world, project)) ?? {};
  const path: Record<string, string> = { org_id: project.organization, project_id: project.id, ...given };
  for (const [whole, name = ""] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const collection = operation.path.slice(0, operation.path.indexOf(`/${whole}`));
    path[name] ??= (await made(name, collection)) ?? lacking(operation, name);
  }
  return path;
}

function lacking({ id, name: called }: DescribedOperation, name: string): never {
  throw new Error(
    `${called}: no operation makes a "${name}". Add an entry "${id}" with a path to FIXTURES in ` +
      "test/generated/fixtures.ts that answers one.",
  );
}

/** The id of a new record of the collection; undefined when no operation makes one. */
async function make(
  world: World,
  project: Project,
  name: string,
  collection: string,
): Promise<string | undefined> {
  const creation = creationAt(collection);
  if (creation === undefined) return undefined;
  const request = await validRequest(world, project, creation);
  const answer = await world.send(toCall(request, project.admin));
  if (!succeeded(request, answer)) throw new Error(`No ${name}: ${advice(request, answer)}`);
  return String(at(answer.body, "id"));
}

function creationAt(collection: string): DescribedOperation | undefined {
  const creation = servedOperations.find(({ name }) => name === `POST ${collection}`);
  return creation !== undefined && successOf(creation) === 201 ? creation : undefined;
}

/** Where the records live that a field of this name points to: `plugin_id` → `/v1/plugins`. */
function collectionOf(field: string): string | undefined {
  const paths = servedOperations.map(({ path }) => path).filter((path) => path.endsWith(`/{${field}}`));
  return paths
    .map((path) => path.slice(0, path.lastIndexOf("/")))
    .find((path) => creationAt(path) !== undefined);
}

// What must be free (ids, names, slugs, priorities) is; what points to a record points to a new one; the project's mark
// stands in every text that people write.
async function freshBody(
  world: World,
  project: Project,
  operation: DescribedOperation,
  value: unknown,
  path: Readonly<Record<string, string>>,
  made: Made,
  top = true,
): Promise<unknown> {
  if (Array.isArray(value)) {
    return Promise.all(value.map((one) => freshBody(world, project, operation, one, path, made, false)));
  }
  if (!isObject(value)) return value;
  const fresh: { [name: string]: unknown } = {};
  for (const [name, given] of Object.entries(value)) {
    const collection = collectionOf(name);
    const own = Object.values(path).at(-1);
    if (name === "priority") fresh[name] = world.count() % 1000;
    else if (name === "description") fresh[name] = `${String(given)} ${project.mark}`;
    // The fixture names the record.
    else if (top && name === "id" && isOwn(String(given), project)) fresh[name] = given;
    else if (top && name === "id") fresh[name] = creates(operation) ? unique(world, project, given) : own;
    else if (top && ["name", "slug"].includes(name)) fresh[name] = unique(world, project, given);
    else if (collection !== undefined && typeof given === "string")
      fresh[name] = isOwn(given, project) ? given : await made(name, collection);
    else fresh[name] = await freshBody(world, project, operation, given, path, made, false);
  }
  return fresh;
}

function creates(operation: DescribedOperation): boolean {
  return successOf(operation) === 201;
}

function unique(world: World, { mark }: Project, given: unknown): string {
  return `${String(given)}-${mark}-${world.count()}`;
}

function isOwn(text: string, { mark }: Project): boolean {
  return text.includes(mark);
}

/** Whether a text is an id that the server made. */
export function isMinted(text: unknown): text is string {
  return typeof text === "string" && /^(ar|ac|te|tc|gw|us|hk|pl|sec|fl|key)_\w{8,}$/.test(text);
}
