// Two projects with the same two users: a token for one project gives no access to the other, on any path.
import { expect, test } from "bun:test";
import { issued } from "../interop/oidc/forge";
import { tokensOf } from "../interop/oidc/sign-in";
import { addOther, linkChat, startOpenIdSite } from "../interop/oidc/site";
import { type ApiAnswer, at, call } from "../support/api";

const REQUESTS = 1000;
const PEOPLE = ["alice", "bob"];

/** Requests of a user of `project`; `id` is one of the user's consents there. */
const asks = (project: string, id: string) => {
  const scoped = `/v1/orgs/default/projects/${project}`;
  const run = { tool_name: "Chat.WhoAmI" };
  return [
    { method: "POST", path: `${scoped}/tools/execute`, body: run },
    { method: "POST", path: `${scoped}/tools/requirements`, body: { tool_names: ["Chat.WhoAmI"] } },
    { method: "POST", path: `${scoped}/tools/authorize`, body: run },
    { method: "GET", path: `${scoped}/tools?limit=1` },
    { method: "GET", path: `${scoped}/auth/status?id=${id}` },
    { method: "GET", path: `/v1/auth/status?id=${id}` },
  ];
};

test(`of ${REQUESTS} requests with crossed project audiences none is served, of the uncrossed ones all are`, async () => {
  await using deployment = await startOpenIdSite();
  const { site, provider, audience } = deployment;
  const projects = [
    { id: "default", audience },
    { id: "other", audience: await addOther(deployment) },
  ];
  const asked: { own: string; foreign: string; request: ReturnType<typeof asks>[number] }[] = [];
  for (const [index, project] of projects.entries()) {
    const elsewhere = projects[1 - index]?.audience ?? "";
    for (const person of PEOPLE) {
      const own = (await tokensOf(provider, person, project.audience)).access_token;
      const foreign = (await tokensOf(provider, person, elsewhere)).access_token;
      const id = await linkChat(site, person, project.id);
      asked.push(...asks(project.id, id).map((request) => ({ own, foreign, request })));
    }
  }

  const uncrossed = await Promise.all(
    asked.map(({ own, request }) => call(site.url, { ...request, key: own })),
  );
  expect(uncrossed.map(({ status }) => status)).toEqual(asked.map(() => 200));
  const platformSaw = site.chat.requests.length;

  const crossed: ApiAnswer[] = [];
  while (crossed.length < REQUESTS) {
    const batch = asked.slice(0, REQUESTS - crossed.length);
    crossed.push(
      ...(await Promise.all(
        batch.map(({ foreign, request }) => call(site.url, { ...request, key: foreign })),
      )),
    );
  }
  const served = crossed.filter(({ status }) => status < 400).length;
  process.stdout.write(`crossed project audiences: ${crossed.length} requests, ${served} served\n`);

  expect(served).toBe(0);
  expect(new Set(crossed.map(({ body }) => at(body, "name")))).toEqual(
    new Set(["not_found", "invalid_parameter"]),
  );
  expect(site.chat.requests.length).toBe(platformSaw);
}, 60_000);

test("with a token of one project, a tool only uses connections of the user in that project", async () => {
  await using deployment = await startOpenIdSite();
  const { site, provider, audience } = deployment;
  const other = await addOther(deployment);
  await linkChat(site, "alice");
  await linkChat(site, "bob", "other");

  const run = async (aud: string, sub: string): Promise<unknown> => {
    const key = issued(provider, aud, { sub });
    const body = { tool_name: "Chat.WhoAmI" };
    const answer = await call(site.url, { method: "POST", path: "/v1/tools/execute", key, body });
    return at(answer.body, "output.value.username") ?? at(answer.body, "name");
  };
  const owed = "tool_requirements_not_met";
  expect(await seenBy(run, [audience, other])).toEqual([
    ["alice", owed],
    [owed, "bob"],
  ]);
});

function seenBy(
  run: (aud: string, sub: string) => Promise<unknown>,
  audiences: string[],
): Promise<unknown[][]> {
  return Promise.all(audiences.map((aud) => Promise.all(PEOPLE.map((person) => run(aud, person)))));
}
