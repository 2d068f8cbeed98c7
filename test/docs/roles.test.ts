// docs/roles.md lists every address of the server, and gives each operation the roles of its row.
import { expect, test } from "bun:test";
import { createApp } from "../../server/app";
import { operations } from "../../server/operations";
import type { Right } from "../../src/identity";
import { type Column, COLUMNS, mayCall, ROLE_TABLE, rowsOfTable } from "../support/role-table";
import { startSite } from "../support/site";

const SCOPED = "/v1/orgs/{org_id}/projects/{project_id}/";

test("the table lists every address, once for each kind of gateway, and no others", async () => {
  await using site = await startSite();
  const { routes } = createApp(site.runtime, new AbortController().signal);
  const served = new Set(routes.map((route) => route.replaceAll(/:(\w+)/g, "{$1}")));
  served.delete("ALL /*");
  const listed = ROLE_TABLE.map(({ address }) => address);
  // Other names of an operation have its rights.
  const others = operations.flatMap(({ method, alias = method, path, alsoAt = [] }) => {
    const scoped = SCOPED + path.slice((path.startsWith("/v1/admin/") ? "/v1/admin/" : "/v1/").length);
    return [path, scoped, ...alsoAt].flatMap((each) => [`${method} ${each}`, `${alias} ${each}`]);
  });

  expect([...served].filter((address) => !listed.includes(address) && !others.includes(address))).toEqual([]);
  expect(listed.filter((address) => !served.has(address))).toEqual([]);
  expect(listed.filter((address, at) => listed.indexOf(address) !== at)).toEqual([
    "POST /mcp/{slug}",
    "GET /mcp/{slug}",
  ]);
});

test.each(operations.map((one) => [`${one.method} ${one.path}`, one] as const))(
  "%s has the roles of the table",
  (_address, { method, path, credential }) => {
    const may = mayCall(method, path);
    const columns = credential === "public" ? COLUMNS : credential.flatMap((right) => HAVE[right]);

    expect([...may].toSorted()).toEqual([...new Set(columns)].toSorted());
  },
);

/** Who has each right. */
const HAVE: Readonly<Record<Right, readonly Column[]>> = {
  admin: ["admin", "administrator"],
  read: ["read", "auditor"],
  run: ["run", "member", "approver", "auditor", "administrator"],
  verify: ["verify"],
  metrics: ["metrics"],
  approve: ["approver"],
  audit: ["auditor"],
};

test("a cell with anything but yes is an error", () => {
  expect(() => rowsOfTable("| `GET /v1/x` | Get x | no | yes | | | | | | | | |")).toThrow("GET /v1/x");
});
