// Collects the examples of error answers for the API description: for each operation and each status of an error, what the
// server really answers. Run it after a change of an error or an operation:
//
//   bun test/generated/error-examples.ts
import { join } from "node:path";
import { errorAnswer } from "../../server/answer";
import { errorMembersOf } from "../../server/model-error";
import { gatewayTimeout, unavailable } from "../../src/errors";
import { type ApiCall, call } from "../support/api";
import { breakableStore } from "../support/breakable-store";
import { describedOperations, type DescribedOperation, member, successOf } from "../support/described";
import { startSite } from "../support/site";
import { may } from "./credentials";
import { badInputs } from "./inputs";
import { type Prepared, toCall, validRequest } from "./requests";
import { type Credential, startWorld, type World } from "./world";

export const FILE = join(import.meta.dir, "../../server/openapi/error-examples.json");

/** The body by operation and status; `*`: of all operations that have no own one. */
export type ErrorExamples = { [operation: string]: { [status: string]: unknown } };

const WEAK: readonly Credential[] = ["a read key", "a run key", "a verify key"];

export async function collectExamples(): Promise<ErrorExamples> {
  await using world = await startWorld();
  const examples: ErrorExamples = { "*": await sharedExamples() };
  for (const operation of describedOperations) {
    const found: { [status: string]: unknown } = {};
    for (const status of errorStatusesOf(operation)) {
      const body = await bodyOf(world, operation, status);
      if (body !== undefined) found[status] = body;
    }
    if (Object.keys(found).length > 0) examples[operation.id] = found;
  }
  examples["service-health"] = { "503": await unhealthy() };
  return examples;
}

export function errorStatusesOf({ object }: DescribedOperation): number[] {
  return Object.keys(member(object, "responses"))
    .map(Number)
    .filter((status) => status >= 400);
}

/** The body of the first request that the operation answers with the status; undefined if none of ours does. */
async function bodyOf(world: World, operation: DescribedOperation, status: number): Promise<unknown> {
  for (const request of await requestsFor(world, operation, status)) {
    const answer = await world.send(request);
    if (answer.status === status) return withoutMarks(answer.body, world);
  }
  return undefined;
}

async function requestsFor(
  world: World,
  operation: DescribedOperation,
  status: number,
): Promise<readonly ApiCall[]> {
  if (operation.open || ![400, 403, 404, 409].includes(status)) return [];
  const valid = await validRequest(world, world.own, operation);
  const asAdmin = (request: Prepared): ApiCall => toCall(request, world.own.admin);
  if (status === 403) {
    const weak = WEAK.find((credential) => !may(operation, credential));
    const refused = weak === undefined ? [] : [toCall(valid, world.credentials[weak])];
    return [...withoutConsent(valid).map(asAdmin), ...refused];
  }
  if (status === 409 && successOf(operation) === 201) await world.send(asAdmin(valid));
  if (status === 409) return [...(await usedPlugin(world, valid)), valid].map(asAdmin);
  const bad = badInputs(valid).map(({ request }) => asAdmin(request));
  // The last id of a path is the record's own.
  return status === 404 ? bad.toReversed() : [...bad, ...longIds(valid).map(asAdmin)];
}

/** The last id of the path is longer than ids are. */
function longIds(valid: Prepared): Prepared[] {
  const [, last] = /\{(\w+)\}(?:\/\w+)?$/.exec(valid.operation.path) ?? [];
  return last === undefined ? [] : [{ ...valid, path: { ...valid.path, [last]: "x".repeat(300) } }];
}

/** The deletion of a plugin that has a hook. */
async function usedPlugin(world: World, valid: Prepared): Promise<Prepared[]> {
  const creation = describedOperations.find(({ id }) => id === "hooks-create");
  if (valid.operation.id !== "plugins-delete" || creation === undefined) return [];
  const { body } = await validRequest(world, world.own, creation);
  return [{ ...valid, path: { plugin_id: String(Object(body).plugin_id) } }];
}

/** A run for a user who has not consented. */
function withoutConsent(valid: Prepared): Prepared[] {
  if (valid.operation.id !== "tool-execute") return [];
  return [{ ...valid, body: { ...Object(valid.body), user_id: "bob@example.com" } }];
}

/** Answers that are the same for every operation. */
async function sharedExamples(): Promise<{ [status: string]: unknown }> {
  await using site = await startSite({
    environment: { RUNTIME_HTTP_RATE_LIMIT: "2", RUNTIME_HTTP_BODY_LIMIT: "1000000" },
  });
  const key = await site.key("admin");
  const send = (request: ApiCall) => call(site.url, request);
  const post = { method: "POST", path: "/v1/tools/execute", key };
  await send({ method: "GET", path: "/v1/tools", key });
  const large = await send({ ...post, raw: `{"tool_name":"${"x".repeat(2_000_000)}"}` });
  const second = await site.key("run");
  const typed = { ...post, key: second, raw: "{}", headers: { "content-type": "text/plain" } };
  const settings = {
    method: "PUT",
    path: "/v1/admin/settings/session_verification",
    key: await site.key("admin"),
  };
  const answers = [
    await send({ ...settings, body: {}, headers: { "if-match": '"of another version"' } }),
    await send({ method: "GET", path: "/v1/tools" }),
    large,
    await send(typed),
    await send({ ...post, body: {} }),
  ];
  const made = await Promise.all(
    [
      new Error("unexpected"),
      unavailable("The database is locked by another process or cannot be written."),
      gatewayTimeout("The model server did not answer in time."),
    ].map((error) => errorAnswer(error, errorMembersOf("/v1/chat/completions")).json() as Promise<unknown>),
  );
  const all = [...answers.map(({ body }) => body), ...made];
  return Object.fromEntries(all.map((body) => [String(Object(body).status), body]));
}

async function unhealthy(): Promise<unknown> {
  let broken = false;
  await using site = await startSite({ parts: { openStore: breakableStore(() => broken) } });
  broken = true;
  return (await call(site.url, { method: "GET", path: "/v1/health" })).body;
}

// Names of the generated requests have a random part.
function withoutMarks(body: unknown, { own }: World): unknown {
  const marks = new RegExp(`-?${own.mark}(-\\d+)?`, "g");
  const text = JSON.stringify(body).replaceAll(marks, "");
  // That of the example; generated ones are counted.
  return JSON.parse(
    text
      .replaceAll(/(?<=with priority )\d+/g, "10")
      .replaceAll(/\b([a-z]{2,4})_[0-9a-f]{32}\b/g, `$1_${"0".repeat(32)}`),
  );
}

if (import.meta.main) {
  await Bun.write(FILE, `${JSON.stringify(await collectExamples(), null, 2)}\n`);
  process.exit(0);
}
