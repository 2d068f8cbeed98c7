// A credential that calls what its role does not permit: the table of docs/roles.md, tried over HTTP at every address.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { issued } from "../interop/oidc/forge";
import { type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { COLUMNS, type Column, PEOPLE, ROLE_OF, ROLE_TABLE, type TableRow } from "../support/role-table";
import { printFigure } from "./figure";

let deployment: OpenIdSite;
let credentials: Readonly<Record<Column, string | undefined>>;
beforeAll(async () => {
  deployment = await startOpenIdSite({
    environment: {
      RUNTIME_SIGN_IN: "oidc",
      RUNTIME_AUTH_CLIENT_ID: "people",
      // Secrets in addresses are unknown here.
      RUNTIME_LIMITS_BAD_CREDENTIALS: "0",
    },
  });
  const { site, provider } = deployment;
  const operator = await site.runtime.identity.operator("default");
  const gateway = { name: "keys", slug: "keys", auth_type: "arcade_header" } as const;
  await site.runtime.gateways.create(operator, gateway);
  await site.runtime.gateways.create(operator, { name: "tokens", slug: "tokens" });
  for (const column of PEOPLE)
    await site.runtime.invitations.invite(operator, { user_id: column, role: ROLE_OF[column] });
  const person = (column: Column): string => issued(provider, site.url, { sub: column });
  credentials = {
    none: undefined,
    read: await site.key("read"),
    run: await site.key("run"),
    member: person("member"),
    approver: person("approver"),
    auditor: person("auditor"),
    administrator: person("administrator"),
    verify: await site.key("verify"),
    metrics: await site.key("metrics"),
    admin: await site.key("admin"),
  };
});
afterAll(() => deployment[Symbol.asyncDispose]());

/** What is missing in the request is only complained about to those who may call. */
async function statusOf({ address, what }: TableRow, column: Column): Promise<number> {
  const [method = "", template = ""] = address.split(" ");
  const path = template
    .replace("{org_id}/projects/{project_id}", "default/projects/default")
    .replace("{slug}", what.includes("user tokens") ? "tokens" : "keys")
    .replaceAll(/\{\w+\}/g, "unknown");
  const credential = credentials[column];
  const response = await fetch(deployment.site.url + path, {
    method,
    redirect: "manual",
    headers: {
      "x-user-id": "alice",
      "content-type": "application/json",
      // Without them, a GET at a gateway asks for nothing that needs a credential.
      accept: "text/event-stream, */*",
      "mcp-session-id": "unknown",
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
    },
    ...(method === "GET" ? {} : { body: "{}" }),
  });
  await response.body?.cancel();
  return response.status;
}

/** A gateway accepts one kind of credential; another kind is not valid there. */
const refusals = ({ address }: TableRow, column: Column): number[] =>
  column === "none" ? [401] : /^\w+ \/mcp\/\{slug\}$/.test(address) ? [401, 403] : [403];

const tried = { permitted: 0, refused: 0 };
afterAll(() => {
  printFigure(
    "a role that may not call an address",
    `${ROLE_TABLE.length} addresses × ${COLUMNS.length} credentials: ${tried.refused} refused, ${tried.permitted} permitted, as in the table`,
  );
});

test.each(ROLE_TABLE.map((row) => [`${row.address} (${row.what})`, row] as const))(
  "%s",
  async (_name, row) => {
    const open = row.may.has("none") ? await statusOf(row, "none") : undefined;
    for (const column of COLUMNS) {
      const status = await statusOf(row, column);
      const permitted = row.may.has(column);
      // Nothing in these requests exists, so a permitted call may fail too, but not because of the credential.
      if (open !== undefined) expect([column, status]).toEqual([column, open]);
      else if (permitted) expect([401, 403].includes(status), `${column}: ${status}`).toBe(false);
      else expect(refusals(row, column), column).toContain(status);
      tried[permitted ? "permitted" : "refused"] += 1;
    }
  },
);
