// Changes with If-Match at two servers on one database: of those that saw the same record, one is made.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { at, call } from "../support/api";
import { type Site, startSite } from "../support/site";
import { type Stage, startStage } from "./stage";

const ROUNDS = 10;
const CHANGES = 6;
const PROVIDER = "/v1/admin/auth_providers/slack";

let stage: Stage;
let second: Site;
beforeAll(async () => {
  // Records name it, so it is the same at both.
  stage = await startStage({ environment: { RUNTIME_PUBLIC_URL: "http://localhost:9" } });
  const { folder, chat, environment } = stage.site;
  second = await startSite({ folder, chat, environment });
}, 60_000);
afterAll(async () => {
  await second?.[Symbol.asyncDispose]();
  await stage?.[Symbol.asyncDispose]();
});

function send(index: number, method: string, path: string, more: { body?: object; tag?: string } = {}) {
  const { body, tag } = more;
  return call(index % 2 === 0 ? stage.site.url : second.url, {
    method,
    path,
    key: stage.keys.admin,
    ...(body === undefined ? {} : { body }),
    ...(tag === undefined ? {} : { headers: { "if-match": tag } }),
  });
}

test("of changes with the tag of the same record, at either server, one is made", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const tag = (await send(round, "GET", PROVIDER)).headers.get("etag") ?? "";
    const answers = await Promise.all(
      Array.from({ length: CHANGES }, (_, index) =>
        send(index, "PATCH", PROVIDER, { body: { description: `round ${round}, change ${index}` }, tag }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: CHANGES - 1 }, () => 412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(at((await send(winner + 1, "GET", PROVIDER)).body, "description")).toBe(
      `round ${round}, change ${winner}`,
    );
  }
});

test("also if the address is spelled in different ways", async () => {
  const paths = [PROVIDER, "/v1/orgs/default/projects/default/auth_providers/slack"];
  for (let round = 0; round < ROUNDS; round++) {
    const tag = (await send(round, "GET", PROVIDER)).headers.get("etag") ?? "";
    const answers = await Promise.all(
      Array.from({ length: CHANGES }, (_, index) =>
        send(0, "PATCH", paths[index % 2] ?? "", { body: { description: `${round} ${index}` }, tag }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  }
});

test("of creations of one secret, in upper and lower case, one is made", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(
      ["ONE_", "one_", "One_", "oNE_"].map((key) =>
        call(stage.site.url, {
          method: "POST",
          path: `/v1/admin/secrets/${key}${round}`,
          key: stage.keys.admin,
          body: { value: key },
          headers: { "if-none-match": "*" },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
  }
});

test("a repeat under the same key gets the answer of the first, however the address is spelled", async () => {
  const repeat = (path: string) =>
    call(stage.site.url, {
      method: "POST",
      path,
      key: stage.keys.admin,
      body: { auth_requirement: { id: "slack", oauth2: { scopes: ["users:read"] } }, user_id: "repeated" },
      headers: { "idempotency-key": "spelled" },
    });
  const [first, second] = [
    await repeat("/v1/auth/authorize"),
    await repeat("/v1/orgs/default/projects/default/auth/authorize"),
  ];

  expect([first.status, second.status]).toEqual([200, 200]);
  expect(at(second.body, "id")).toBe(at(first.body, "id") as string);
});

test("a refused change does not keep the next one waiting", async () => {
  const tag = (await send(0, "GET", PROVIDER)).headers.get("etag") ?? "";
  expect((await send(0, "PATCH", PROVIDER, { body: { description: 5 }, tag })).status).toBe(400);
  expect((await send(1, "PATCH", PROVIDER, { body: { description: "newer" }, tag })).status).toBe(200);
  expect((await send(0, "DELETE", PROVIDER, { tag })).status).toBe(412);
});

test("a change without a tag between the reading and the change makes the precondition false", async () => {
  let lost = 0;
  let refused = 0;
  for (let round = 0; round < 5 * ROUNDS; round++) {
    const tag = (await send(round, "GET", PROVIDER)).headers.get("etag") ?? "";
    const [conditional, other] = await Promise.all([
      send(0, "PATCH", PROVIDER, { body: { description: `conditional ${round}` }, tag }),
      send(round, "PATCH", PROVIDER, { body: { description: `other ${round}` } }),
    ]);
    expect([other.status, [200, 412].includes(conditional.status)]).toEqual([200, true]);
    const last = at((await send(1, "GET", PROVIDER)).body, "description");
    if (conditional.status === 412) refused += 1;
    // The other one is gone, although the conditional one has not seen it.
    if (last !== `other ${round}`) lost += 1;
  }
  expect([lost, refused > 0]).toEqual([0, true]);
});

test("a precondition that is true stays true while other records are changed", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const tag = (await send(round, "GET", PROVIDER)).headers.get("etag") ?? "";
    const [conditional, ...others] = await Promise.all([
      send(0, "PATCH", PROVIDER, { body: { description: `with others ${round}` }, tag }),
      ...Array.from({ length: 4 }, (_, index) =>
        send(index, "POST", `/v1/admin/secrets/OTHER_${index}`, { body: { value: String(round) } }),
      ),
    ]);
    expect([conditional, ...others].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  }
});
