// Every operation × every kind of credential × a valid request, each required field missing, each field of a wrong type,
// unknown ids. Made from the API description: a new operation is in it as soon as it is in the table. That no project
// sees anything of the other one is checked with every answer (world.ts).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ApiAnswer } from "../support/api";
import { answerFaults, servedOperations, successOf } from "../support/described";
import { may } from "./credentials";
import { badInputs, type Input, NOWHERE } from "./inputs";
import { differenceOf, readerOf } from "./read-back";
import { advice, toCall, validRequest } from "./requests";
import { standing, sweep } from "./sweep";
import { type Credential, CREDENTIALS, PEOPLE, startWorld, type World } from "./world";

let world: World;
let stay: ReadonlySet<string>;
beforeAll(async () => {
  world = await startWorld();
  stay = await standing(world);
});
afterAll(() => world[Symbol.asyncDispose]());

const REJECTED: readonly Credential[] = ["no credential", "a malformed one", "a revoked key"];
const OF_THE_PROJECT = CREDENTIALS.filter((one) => one !== "a key of another project");

describe.each(servedOperations.map((one) => [one.id, one] as const))("%s", (_id, operation) => {
  const able = OF_THE_PROJECT.filter((credential) => may(operation, credential));
  afterAll(() => sweep(world, stay));
  const unable = [...CREDENTIALS, ...PEOPLE].filter((credential) => !may(operation, credential));

  test.each(able)("does what it is for, with %s", async (credential) => {
    const request = await validRequest(world, world.own, operation);
    const answer = await world.send(toCall(request, world.credentials[credential]));

    expect(answer.status, advice(request, answer)).toBe(successOf(operation));
  });

  test.each(readerOf(operation) === undefined ? [] : (["an admin key"] as const))(
    "answers what a read then shows, with %s",
    async (credential) => {
      const request = await validRequest(world, world.own, operation);
      const answer = await world.send(toCall(request, world.credentials[credential]));

      expect(await differenceOf(world, world.own, request, answer)).toBeUndefined();
    },
  );

  test("sent five times at once: succeeds, and the others hear that it is done or find nothing any more", async () => {
    const request = await validRequest(world, world.own, operation);
    const five = Array.from({ length: 5 }, () => world.send(toCall(request, world.own.admin)));
    const statuses = (await Promise.all(five)).map(({ status }) => status);

    expect(statuses).toContain(successOf(operation));
    expect(statuses.filter((status) => ![successOf(operation), 400, 404, 409].includes(status))).toEqual([]);
  });

  test.each(able)("says what is wrong, with %s", async (credential) => {
    const inputs = badInputs(await validRequest(world, world.own, operation));

    expect(await faultsOf(inputs, credential, ({ statuses }) => statuses)).toEqual([]);
  });

  test.each(unable)("is refused, whatever is sent, with %s", async (credential) => {
    const valid = await validRequest(world, world.own, operation);
    const inputs = [{ name: "valid", request: valid, statuses: [] }, ...badInputs(valid)];
    const refused = REJECTED.includes(credential) ? 401 : 403;
    const due = ({ statuses }: Input): readonly number[] =>
      refused === 403 && statuses === NOWHERE ? [refused, ...statuses] : [refused];

    expect(await faultsOf(inputs, credential, due)).toEqual([]);
  });

  test("does the same in another project, which sees and changes nothing of this one", async () => {
    const theirs = await validRequest(world, world.other, operation);
    const first = await world.send(toCall(theirs, world.other.admin));
    expect(first.status, advice(theirs, first)).toBe(successOf(operation));

    const ours = await validRequest(world, world.own, operation);
    // What an operation without a credential names belongs to no project.
    const named = !operation.open && (ours.named.length > 0 || operation.path.includes("{project_id}"));
    const inputs = [{ name: "valid", request: ours, statuses: named ? NOWHERE : [successOf(operation)] }];
    const all = [...inputs, ...badInputs(ours)];
    const due = ({ statuses }: Input): readonly number[] => (named ? [...statuses, ...NOWHERE] : statuses);
    expect(await faultsOf(all, "a key of another project", due)).toEqual([]);

    // What it would have taken away or changed is as it was: the same request succeeds.
    const again = await world.send(toCall(ours, world.own.admin));
    expect(again.status, advice(ours, again)).toBe(successOf(operation));
  });
});

const SCOPED = "/v1/orgs/{org_id}/projects/{project_id}";
// The page of metrics is about the whole installation.
const guarded = servedOperations.filter(
  ({ open, path }) => !open && path.startsWith("/v1/") && !path.includes("{project_id}"),
);

test.each(guarded.map((one) => [one.id, one] as const))(
  "%s does the same at the address that names the project, and knows no other one",
  async (_id, operation) => {
    const path = operation.path.replace(/^\/v1(\/admin)?/, SCOPED);
    const answerAt = async (org_id: string, project_id: string): Promise<ApiAnswer> => {
      const request = await validRequest(world, world.own, operation);
      const aliased = {
        ...request,
        operation: { ...operation, path },
        path: { ...request.path, org_id, project_id },
      };
      return world.send(toCall(aliased, world.own.admin));
    };

    const answer = await answerAt("default", "default");
    expect(answer.status, answer.text).toBe(successOf(operation));
    expect(answerFaults(operation.method, operation.path, answer.status, answer.body)).toEqual([]);
    for (const [org, project] of [
      ["default", "other"],
      ["unknown", "default"],
      ["default", "nowhere"],
    ] as const)
      expect((await answerAt(org, project)).status).toBe(404);
  },
);

async function faultsOf(
  inputs: readonly Input[],
  credential: Credential,
  due: (input: Input) => readonly number[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const input of inputs) {
    const { status, text } = await world.send(toCall(input.request, world.credentials[credential]));
    const statuses = due(input);
    if (!statuses.includes(status))
      faults.push(`${input.name}: ${status}, not ${statuses.join(" or ")}: ${text}`);
  }
  return faults;
}
