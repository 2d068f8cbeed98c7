// Project × user × provider: whatever runs concurrently, the platform only gets the token of the right user.
import { describe, expect, test } from "bun:test";
import type { Principal } from "../../src/identity";
import type { Runtime } from "../../src/runtime";
import { Person } from "../authorization/person";
import { RotatingGrants, tokens } from "../support/token-endpoint";
import { agent, deploy, type Deployment, idpRecord, operator } from "../tools/deployment";
import { call, refusal, times } from "./executing";

interface Owner {
  readonly project: string;
  readonly user: string;
  readonly provider: string;
  /** Its name in tokens and paths. */
  readonly name: string;
}

const TOOLS: { readonly [provider: string]: string } = { idp: "Test.Call", other: "Test.Other" };

const OWNERS: Owner[] = ["default", "second"].flatMap((project) =>
  ["alice", "bob", "carol"].flatMap((user) =>
    Object.keys(TOOLS).map((provider) => ({
      project,
      user,
      provider,
      name: `${project}.${user}.${provider}`,
    })),
  ),
);

/** Two projects with the same provider ids. A consent with the code `X` gets tokens that contain X. */
async function twoProjects(): Promise<{ deployment: Deployment; other: Runtime }> {
  const deployment = await deploy();
  const { runtime, idp } = deployment;
  await runtime.identity.createProject(operator(), "second", "second");
  for (const project of ["default", "second"]) {
    for (const id of Object.keys(TOOLS)) await deployment.addProvider({ ...idpRecord(idp), id }, project);
  }
  const grants = new RotatingGrants();
  idp.otherwise((request) => {
    const { grant_type, code = "" } = request.params;
    if (grant_type === "refresh_token") return grants.answer(request);
    return { body: { ...tokens(grants.issue(code), 3600), scope: "a b" } };
  });
  return { deployment, other: await deployment.another() };
}

/** Random numbers below `limit`, the same for the same seed. */
function seeded(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

function execute(runtime: Runtime, { project, user, provider, name }: Owner) {
  const request = { tool_name: TOOLS[provider] ?? "", user_id: user, input: { path: name } };
  return runtime.tools.execute(agent(null, project), request);
}

function authorize(runtime: Runtime, { project, user, provider }: Owner) {
  const request = { tool_name: TOOLS[provider] ?? "", user_id: user };
  return runtime.tools.authorize(agent(null, project), request);
}

async function consent(runtime: Runtime, owner: Owner): Promise<void> {
  const authorization = await authorize(runtime, owner);
  if (authorization.status === "pending") await new Person(runtime).consent(authorization, owner.name);
}

async function remove(runtime: Runtime, { project, user, provider }: Owner): Promise<void> {
  const filter = { user_id: user, provider_id: provider };
  const { items } = await runtime.connections.list(operator(project), filter);
  for (const { id } of items) await runtime.connections.delete(operator(project), id);
}

/** One action of a user, an agent, an administrator or the platform. */
async function step(
  deployment: Deployment,
  runtime: Runtime,
  random: (limit: number) => number,
): Promise<void> {
  const owner = OWNERS[random(OWNERS.length)];
  if (owner === undefined) return;
  const what = random(20);
  if (what < 7) return consent(runtime, owner);
  if (what < 17) return void (await execute(runtime, owner));
  if (what === 17) return remove(runtime, owner);
  if (what === 18) return deployment.clock.move(20 * 60_000);
  deployment.platform.refuse(deployment.platform.tokens().at(-1) ?? "");
}

/** The owners in the path and in the token of a call. */
function namesOf({ address, authorization }: Deployment["platform"]["calls"][number]): [string, string] {
  const token = /^Bearer access-of-(.+)-\d+$/.exec(authorization ?? "")?.[1] ?? "none";
  return [address.replace("/api/", ""), token];
}

test.each([1, 2, 3])(
  "in 400 things at random over two processes no call has a token of another user (seed %d)",
  async (seed) => {
    const { deployment, other } = await twoProjects();
    await using _ = deployment;
    const random = seeded(seed);
    // Errors on the way are expected: no grant yet, or a connection that was just deleted.
    const worker = async (runtime: Runtime): Promise<void> => {
      for (let round = 0; round < 50; round++) await step(deployment, runtime, random).catch(() => undefined);
    };

    await times(8, (index) => worker(index % 2 === 0 ? deployment.runtime : other));
    // Once more for every user when nothing else runs: no state of another user is left.
    for (const owner of OWNERS) {
      await consent(deployment.runtime, owner);
      await execute(deployment.runtime, owner);
    }

    const calls = deployment.platform.calls.map(namesOf);
    expect(calls.filter(([named, token]) => named !== token)).toEqual([]);
    expect(calls.length).toBeGreaterThan(40);
    expect(new Set(calls.map(([named]) => named)).size).toBe(OWNERS.length);
  },
);

describe("with only bob connected", () => {
  async function bobConnected() {
    const { deployment, other } = await twoProjects();
    const bob = OWNERS.find(({ name }) => name === "default.bob.idp");
    if (bob !== undefined) await consent(deployment.runtime, bob);
    return { deployment, other };
  }

  const principals: [string, Principal, string | undefined, number][] = [
    ["a key that names alice", agent(), "alice", 403],
    ["a key without a user", agent(), undefined, 400],
    ["a key with an empty user", agent(), "", 400],
    ["a key with a space as user", agent(), " ", 400],
    ["a key that names bob in a different case", agent(), "Bob", 403],
    ["a key that names bob with a space", agent(), "bob ", 403],
    ["a key of the other project that names bob", agent(null, "second"), "bob", 403],
    ["a key that is bound to alice and names bob", agent(["alice"]), "bob", 403],
    ["a user token of alice that names bob", user("alice"), "bob", 403],
    ["a user token of alice", user("alice"), undefined, 403],
  ];
  test.each(principals)(
    "%s gets no token [fault: token-of-another-user]",
    async (_name, principal, user_id, status) => {
      const { deployment } = await bobConnected();
      await using _ = deployment;
      const request = { tool_name: "Test.Call", ...(user_id === undefined ? {} : { user_id }) };

      expect((await refusal(deployment.runtime.tools.execute(principal, request))).status).toBe(status);
      expect(deployment.platform.calls).toEqual([]);
    },
  );

  test("bob's grant at one provider is not used for the other", async () => {
    const { deployment } = await bobConnected();
    await using _ = deployment;

    expect((await refusal(call(deployment.runtime, "bob", "Test.Other"))).status).toBe(403);
    expect((await call(deployment.runtime, "bob")).success).toBe(true);
  });

  test("calls for alice and bob at once: hers are refused, his succeed with his token", async () => {
    const { deployment, other } = await bobConnected();
    await using _ = deployment;

    const outcomes = await times(20, (index) =>
      call(index % 4 < 2 ? deployment.runtime : other, index % 2 === 0 ? "alice" : "bob").then(
        ({ success }) => success,
        () => false,
      ),
    );

    expect(outcomes).toEqual(outcomes.map((_outcome, index) => index % 2 === 1));
    expect(new Set(deployment.platform.tokens())).toEqual(new Set(["access-of-default.bob.idp-1"]));
  });
});

function user(userId: string): Principal {
  return { kind: "user", projectId: "default", userId };
}
