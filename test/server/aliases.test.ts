// The other addresses under which clients call the same operations.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at, call } from "../support/api";
import { type Scenario, scenarios } from "./scenario";
import { type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const OWN = "/v1/orgs/default/projects/default";

describe("PUT of a secret", () => {
  test("does what POST does", async () => {
    const admin = api(stage.site.url, stage.keys.admin);
    const put = await admin.put("/v1/admin/secrets/BY_PUT", { value: "v" });
    expect(put.status).toBe(200);
    const posted = await admin.post("/v1/admin/secrets/BY_PUT", { value: "w" });
    expect(at(posted.body, "id")).toBe(at(put.body, "id") as string);
  });

  scenarios(
    () => stage,
    [
      {
        name: "needs a credential",
        method: "PUT",
        path: "/v1/admin/secrets/A",
        body: { value: "v" },
        status: 401,
      },
      {
        name: "needs the role",
        method: "PUT",
        path: "/v1/admin/secrets/A",
        as: "run",
        body: { value: "v" },
        status: 403,
      },
      {
        name: "checks the key",
        method: "PUT",
        path: "/v1/admin/secrets/a-b",
        as: "admin",
        body: { value: "v" },
        status: 400,
      },
    ],
  );
});

describe("the form that names the project", () => {
  const rows: Scenario[] = [
    {
      name: "lists tools",
      method: "GET",
      path: `${OWN}/tools?limit=1`,
      as: "run",
      status: 200,
      fields: { limit: 1 },
    },
    { name: "gets a tool", method: "GET", path: `${OWN}/tools/Chat.WhoAmI`, as: "read", status: 200 },
    {
      name: "lists providers",
      method: "GET",
      path: `${OWN}/auth_providers`,
      as: "read",
      status: 200,
      fields: { "items.0.id": "slack" },
    },
    {
      name: "writes a secret by PUT",
      method: "PUT",
      path: `${OWN}/secrets/SCOPED`,
      as: "admin",
      body: { value: "v" },
      status: 200,
    },
    {
      name: "lists it",
      method: "GET",
      path: "/v1/admin/secrets",
      as: "read",
      status: 200,
      contains: ["SCOPED"],
    },
    { name: "deletes it", method: "DELETE", path: `${OWN}/secrets/SCOPED`, as: "admin", status: 204 },
    {
      name: "serves the other project to its own key",
      method: "GET",
      path: "/v1/orgs/default/projects/other/secrets",
      as: "other",
      status: 200,
    },
    { name: "needs a credential", method: "GET", path: `${OWN}/tools`, status: 401 },
    {
      name: "needs the role",
      method: "PUT",
      path: `${OWN}/secrets/X`,
      as: "run",
      body: { value: "v" },
      status: 403,
    },
    {
      name: "hides another project",
      method: "GET",
      path: "/v1/orgs/default/projects/other/tools",
      as: "admin",
      status: 404,
      error: "not_found",
    },
    {
      name: "knows no project that is not there",
      method: "GET",
      path: "/v1/orgs/default/projects/none/tools",
      as: "admin",
      status: 404,
      error: "not_found",
    },
    {
      name: "knows no other organization",
      method: "GET",
      path: "/v1/orgs/none/projects/default/tools",
      as: "admin",
      status: 404,
      error: "not_found",
    },
    {
      name: "hides it before the body is looked at",
      method: "PUT",
      path: "/v1/orgs/default/projects/other/secrets/X",
      as: "admin",
      raw: "{",
      status: 404,
    },
    {
      name: "has no public operations",
      method: "GET",
      path: `${OWN}/health`,
      status: 404,
      error: "route_not_found",
    },
    {
      name: "has no second admin part",
      method: "GET",
      path: `${OWN}/admin/secrets`,
      as: "admin",
      status: 404,
      error: "route_not_found",
    },
  ];
  scenarios(() => stage, rows);

  test("says the same of a foreign project and of none", async () => {
    const texts = await Promise.all(
      ["other", "none"].map(async (project) => {
        const path = `/v1/orgs/default/projects/${project}/secrets`;
        return (await call(stage.site.url, { method: "GET", path, key: stage.keys.admin })).text;
      }),
    );
    expect(texts[0]).toBe(texts[1] ?? "");
  });
});
