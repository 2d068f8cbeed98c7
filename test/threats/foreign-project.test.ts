// A key of another project that names records of this one: every operation, at both of its addresses, made from the API
// description, so that a new operation is tried as soon as it is in the table. `world.send` checks each answer for words
// and ids of the project that does not call.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NOWHERE } from "../generated/inputs";
import { type Prepared, toCall, validRequest } from "../generated/requests";
import { startWorld, type World } from "../generated/world";
import { databaseOf, dump } from "../server/stage";
import { type ApiAnswer, api, at } from "../support/api";
import { type DescribedOperation, servedOperations, successOf } from "../support/described";
import { printFigure } from "./figure";

const SCOPE = "/v1/orgs/{org_id}/projects/{project_id}";
const guarded = servedOperations.filter(({ open }) => !open);

let world: World;
let victim: string;
beforeAll(async () => {
  world = await startWorld();
  victim = await world.site.key("admin");
  // Something of everything, which lists and the audit trail could show.
  for (const operation of guarded)
    await world.send(toCall(await validRequest(world, world.own, operation), world.own.admin));
  await world.connect(world.own);
});
afterAll(() => world[Symbol.asyncDispose]());

let tried = 0;
afterAll(() =>
  printFigure(
    "a key of another project",
    `${guarded.length} operations, ${tried} requests: 0 show or change anything`,
  ),
);

/** Rows of this project, except when keys were used and runs were logged. */
function ownRows(): unknown {
  const own = (row: unknown): boolean => JSON.stringify(row).includes('"project_id":"default"');
  return Object.entries(dump(databaseOf(world.site))).map(([table, rows]) => [table, rows.filter(own)]);
}

const isNamed = ({ named, operation }: Prepared): boolean =>
  named.length > 0 || operation.path.includes("{project_id}");

async function asOther(request: Prepared): Promise<ApiAnswer> {
  tried += 1;
  return world.send(toCall(request, world.other.admin));
}

describe.each(guarded.map((one) => [one.id, one] as const))("%s", (_id, operation) => {
  test("of another project's key finds nothing and changes nothing here", async () => {
    const request = await validRequest(world, world.own, operation);
    const before = ownRows();
    const answer = await asOther(request);

    expect(isNamed(request) ? NOWHERE : [successOf(operation)], answer.text).toContain(answer.status);
    expect(ownRows()).toEqual(before);
  });

  test("at the address that names this project is refused", async () => {
    const path = SCOPE + operation.path.replace(/^\/v1(\/admin)?/, "");
    const scoped: DescribedOperation = operation.path.includes("{project_id}")
      ? operation
      : { ...operation, path };
    const own = await validRequest(world, world.own, operation);
    const where = { org_id: world.own.organization, project_id: world.own.id };
    const before = ownRows();
    const answer = await asOther({ ...own, operation: scoped, path: { ...own.path, ...where } });

    expect([401, 404], answer.text).toContain(answer.status);
    expect(ownRows()).toEqual(before);
  });
});

const named = guarded.filter(({ path }) => /\{project_id\}.*\{/.test(path));

test.each(named.map((one) => [one.id, one] as const))(
  "%s finds no record of this project at the address of the other one",
  async (_id, operation) => {
    const own = await validRequest(world, world.own, operation);
    const before = ownRows();
    const answer = await asOther({ ...own, path: { ...own.path, project_id: world.other.id } });

    expect([400, 404], answer.text).toContain(answer.status);
    expect(ownRows()).toEqual(before);
  },
);

describe("whose a slug is cannot be seen:", () => {
  const bodyOf = (slug: string) => ({ name: "Made", slug, auth_type: "arcade_header" });
  const pathOf = (id: string) => `/v1/orgs/default/projects/${id}/gateways`;

  test("every answer about a slug is the same for a foreign, an own and a reserved one", async () => {
    const other = api(world.site.url, world.other.admin);
    await api(world.site.url, victim).post(pathOf("default"), bodyOf("theirs"));
    await other.post(pathOf("other"), bodyOf("ours"));
    const { body } = await other.post(pathOf("other"), bodyOf("mine"));
    const id = String(at(body, "id"));
    const answersTo = async (slug: string) => {
      const all = [
        await other.post(`${pathOf("other")}/slug`, { slug }),
        await other.post(pathOf("other"), bodyOf(slug)),
        await other.patch(`${pathOf("other")}/${id}`, { slug }),
        await other.put(`${pathOf("other")}/${id}`, { id, ...bodyOf(slug) }),
      ];
      return all.map(({ status, text }) => [status, text]);
    };
    const foreign = await answersTo("theirs");

    expect(foreign.map(([status]) => status)).toEqual([200, 409, 400, 400]);
    expect(await answersTo("ours")).toEqual(foreign);
    expect(await answersTo("admin")).toEqual(foreign);
    tried += 8;
  });

  test("the gateway of another project refuses a key like an unknown credential", async () => {
    await api(world.site.url, victim).post(pathOf("default"), bodyOf("guarded"));
    const call = async (key: string) => {
      const headers = {
        authorization: `Bearer ${key}`,
        "x-user-id": "alice",
        "content-type": "application/json",
      };
      const init = { method: "POST", headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
      const response = await fetch(`${world.site.url}/mcp/guarded`, init);
      const text = await response.text();
      return [response.status, text.includes("default") || text.includes(world.own.mark)];
    };

    expect(await call(world.other.admin)).toEqual([401, false]);
    expect(await call("rt_unknown")).toEqual([401, false]);
    tried += 2;
  });
});
