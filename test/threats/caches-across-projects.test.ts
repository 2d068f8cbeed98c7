// A cache that answers one project with what belongs to another: two projects in which everything has the same name (users,
// providers, connections, secrets, hooks, idempotency keys), asked in turns and at once.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { client, type McpSite, startMcpSite } from "../mcp/site";
import { type WebhookPeer, webhookPeer } from "../hooks/webhook-peer";
import { api, at } from "../support/api";
import { idpRecord, operator } from "../tools/deployment";
import { printFigure } from "./figure";

const ROUNDS = 20;
const PROJECTS = ["default", "other"] as const;
type Project = (typeof PROJECTS)[number];

let site: McpSite;
let peer: WebhookPeer;
const keys = { default: "", other: "" };
beforeAll(async () => {
  site = await startMcpSite();
  peer = await webhookPeer();
  const { deployment } = site;
  const { runtime } = deployment;
  await runtime.identity.createProject(operator(), "other", "Other");
  for (const project of PROJECTS) {
    const by = operator(project);
    await runtime.providers.create(by, { ...idpRecord(deployment.idp), description: `of ${project}` });
    await deployment.give("alice", { project, access: `token-of-${project}` });
    await runtime.secrets.upsert(by, "TEST_KEY", { value: "v", description: `of ${project}` });
    await site.gateway(`of-${project}`, { instructions: `of ${project}` }, project);
    keys[project] = await site.key("admin", undefined, project);
  }
  // Only `other` hides a tool, and its answers are cached.
  await runtime.plugins.create(operator("other"), {
    name: "guard",
    plugin_type: "webhook",
    status: "active",
    webhook_config: {
      endpoints: {
        access: {
          url: `${peer.url}/access`,
          phase: "before",
          failure_mode: "fail_closed",
          cache_enabled: true,
          cache_ttl_ms: 600_000,
        },
      },
    },
  });
  peer.respond = () => ({ deny: { Test: { tools: { Look: [] } } } });
});
afterAll(async () => {
  peer[Symbol.dispose]();
  await site[Symbol.asyncDispose]();
});

let asked = 0;
afterAll(() =>
  printFigure(
    "a cache answered across projects",
    `${asked} answers in turns and at once: 0 of the other project`,
  ),
);

const agent = (project: Project) => api(site.url, keys[project]);
const foreign = (project: Project): string => (project === "default" ? "other" : "default");

/** The answers of both projects, in turns and at once, many times. */
async function askBoth(ask: (project: Project) => Promise<string>): Promise<[Project, string][]> {
  const answers: [Project, string][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const both = PROJECTS.map(async (project): Promise<[Project, string]> => [project, await ask(project)]);
    answers.push(...(await Promise.all(both)));
    for (const project of PROJECTS) answers.push([project, await ask(project)]);
  }
  asked += answers.length;
  return answers;
}

describe("both projects get their own", () => {
  test.each<[string, string]>([
    ["auth providers", "/v1/admin/auth_providers"],
    ["auth provider", "/v1/admin/auth_providers/idp"],
    ["secrets", "/v1/admin/secrets"],
    ["connections", "/v1/admin/user_connections?user_id=alice"],
    ["caller", "/v1/caller"],
  ])("%s", async (_what, path) => {
    const answers = await askBoth(async (project) => {
      const { headers, text } = await agent(project).get(path);
      // The version of one project is not that of the other.
      const etag = headers.get("etag");
      const init = {
        headers: { authorization: keys[project], ...(etag === null ? {} : { "if-none-match": etag }) },
      };
      expect((await fetch(site.url + path, init)).status).toBe(etag === null ? 200 : 304);
      return text;
    });

    for (const [project, text] of answers) {
      expect(text).toMatch(new RegExp(`of ${project}|"project_id":"${project}"`));
      expect(text).not.toMatch(new RegExp(`of ${foreign(project)}|"project_id":"${foreign(project)}"`));
    }
  });

  test("tokens, when tools run", async () => {
    const { platform } = site.deployment;
    for (let round = 0; round < ROUNDS; round++) {
      for (const project of PROJECTS) {
        const before = platform.calls.length;
        await agent(project).post("/v1/tools/execute", { tool_name: "Test.Call", user_id: "alice" });
        expect(platform.tokens().slice(before)).toEqual([`token-of-${project}`]);
      }
    }
    asked += ROUNDS * PROJECTS.length;
  });

  test("instructions of gateways", async () => {
    const answers = await askBoth(async (project) => {
      const { answer } = await client(`${site.url}/mcp/of-${project}`, {
        key: keys[project],
        user: "alice",
      }).initialize();
      return answer.text;
    });

    for (const [project, text] of answers)
      expect([text.includes(`of ${project}`), text.includes(`of ${foreign(project)}`)]).toEqual([
        true,
        false,
      ]);
  });

  test("answers under the same Idempotency-Key", async () => {
    const answers = await askBoth(async (project) => {
      const response = await fetch(`${site.url}/v1/tools/execute`, {
        method: "POST",
        headers: {
          authorization: keys[project],
          "content-type": "application/json",
          "idempotency-key": "same",
        },
        body: JSON.stringify({ tool_name: "Test.Act", user_id: "alice", input: {} }),
      });
      return String(at(await response.json(), "id"));
    });
    const idsOf = (project: Project) => new Set(answers.filter(([of]) => of === project).map(([, id]) => id));

    expect([idsOf("default").size, idsOf("other").size]).toEqual([1, 1]);
    expect([...idsOf("default")]).not.toEqual([...idsOf("other")]);
  });

  test("lists of tools: a hook of one hides nothing in the other, cached or not", async () => {
    const answers = await askBoth(async (project) => {
      const listed = await agent(project).get("/v1/tools?user_id=alice&toolkit=Test");
      const mcp = await client(`${site.url}/mcp/of-${project}`, { key: keys[project], user: "alice" }).modern(
        "tools/list",
      );
      return JSON.stringify([listed.text.includes('"Look"'), mcp.text.includes('"Test_Look"')]);
    });

    for (const [project, seen] of answers)
      expect([project, seen]).toEqual([project, project === "default" ? "[true,true]" : "[false,false]"]);
  });
});
