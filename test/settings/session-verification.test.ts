// Session verification settings over HTTP: validation, unchanged fields and audit entries.
import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { api, at, type ApiAnswer } from "../support/api";
import { type Site, type SiteOptions, startSite } from "../support/site";
import { RuntimeError } from "../../src/errors";
import { checkVerifierUrl } from "../../src/settings";
import { openSqlite } from "../../src/store";
import { databaseOf } from "../server/stage";
import { testOnSqlite } from "../support/on-sqlite";

const PATH = "/v1/admin/settings/session_verification";
const VERIFIER = "https://verifier.example/check";
const DEFAULTS = {
  verifier_url: null,
  unsafe_skip_verification: false,
  unsafe_skip_verification_choice_allowed: false,
};

async function started(environment: Record<string, string> = {}) {
  const options: SiteOptions = {
    environment,
    parts: { openStore: (store) => openSqlite({ ...store, durability: "normal" }) },
  };
  const site = await startSite(options);
  const admin = api(site.url, await site.key("admin"));
  return {
    site,
    get: () => admin.get(PATH),
    put: (body: unknown) => admin.put(PATH, body),
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}

function auditRows(site: Site): unknown[] {
  const database = new Database(databaseOf(site), { readonly: true });
  try {
    const columns = "project_id, actor, action, target, details";
    return database
      .query(`SELECT ${columns} FROM audit WHERE action = 'session_verification.update' ORDER BY number`)
      .all();
  } finally {
    database.close();
  }
}

function outcome({ status, body }: ApiAnswer): unknown {
  return status === 200 ? at(body, "verifier_url") : [status, at(body, "name")];
}

test("a project that never changed them has the defaults", async () => {
  await using deployment = await started();

  expect((await deployment.get()).body).toEqual(DEFAULTS);
});

describe("a field", () => {
  test.each<[string, object, object]>([
    [
      "that is given is set",
      { verifier_url: "https://other.example/" },
      { verifier_url: "https://other.example/" },
    ],
    ["verifier_url: null takes the verifier away", { verifier_url: null }, { verifier_url: null }],
    ["verifier_url: empty text does so too", { verifier_url: "" }, { verifier_url: null }],
    ["that is absent keeps its value", {}, {}],
    [
      "unsafe_skip_verification: true",
      { unsafe_skip_verification: true },
      { unsafe_skip_verification: true },
    ],
    ["unsafe_skip_verification: null is as if absent", { unsafe_skip_verification: null }, {}],
    ["that is unknown is ignored", { verifier: "x", unsafe_skip_verification_choice_allowed: false }, {}],
  ])("%s", async (_name, change, changed) => {
    await using deployment = await started({ RUNTIME_UNSAFE_SKIP_VERIFICATION_ALLOWED: "true" });
    await deployment.put({ verifier_url: VERIFIER });
    const answer = await deployment.put(change);

    const expected = {
      verifier_url: VERIFIER,
      unsafe_skip_verification: false,
      unsafe_skip_verification_choice_allowed: true,
      ...changed,
    };
    expect([answer.status, answer.body]).toEqual([200, expected]);
    expect((await deployment.get()).body).toEqual(expected);
  });

  test("of the wrong type is 400 and changes nothing", async () => {
    await using deployment = await started();
    await deployment.put({ verifier_url: VERIFIER });

    for (const body of [
      { verifier_url: 7 },
      { verifier_url: [VERIFIER] },
      { unsafe_skip_verification: "true" },
      { unsafe_skip_verification: 1 },
      [],
      "text",
    ]) {
      expect(outcome(await deployment.put(body))).toEqual([400, "malformed_request"]);
    }
    expect((await deployment.get()).body).toEqual({ ...DEFAULTS, verifier_url: VERIFIER });
  });
});

describe("the address of a verifier", () => {
  const BAD = "invalid_parameter";

  function checkedAddress(text: string, listed: string[] = []): string {
    try {
      return checkVerifierUrl(text, listed);
    } catch (error) {
      return error instanceof RuntimeError ? error.name : "";
    }
  }

  test.each<[string, string]>([
    ["https://verifier.example", "https://verifier.example/"],
    ["https://verifier.example:8443/a?b=c", "https://verifier.example:8443/a?b=c"],
    ["HTTPS://Verifier.Example/A", "https://verifier.example/A"],
    ["http://localhost:3000/verify", "http://localhost:3000/verify"],
    ["http://app.localhost:3000/verify", "http://app.localhost:3000/verify"],
    ["http://127.0.0.1:3000/", "http://127.0.0.1:3000/"],
    ["http://127.9.9.9/", "http://127.9.9.9/"],
    ["http://[::1]:3000/", "http://[::1]:3000/"],
    ["http://verifier.example/", BAD],
    ["http://10.0.0.1/", BAD],
    ["http://127.0.0.1.example.com/", BAD],
    ["http://localhost.example.com/", BAD],
    ["http://localhost@evil.example/", BAD],
    ["https://user@verifier.example/", BAD],
    ["https://user:word@verifier.example/", BAD],
    ["https://:word@verifier.example/", BAD],
    ["https://verifier.example/#part", BAD],
    ["ftp://verifier.example/", BAD],
    ["javascript:alert(1)", BAD],
    ["data:text/html,x", BAD],
    ["//verifier.example/", BAD],
    ["/verify", BAD],
    ["verifier.example", BAD],
    ["https:verifier.example", BAD],
    ["https:/\\verifier.example", BAD],
    ["https://verifier.example\\@evil.example/", BAD],
    ["https://verifier.example/a b", BAD],
    [" https://verifier.example/", BAD],
    ["https://verifier.example/\r\nx: y", BAD],
    ["https://verifier.example/\n", BAD],
    ["https://", BAD],
    ["https://verifier.example:99999/", BAD],
    [" ", BAD],
  ])("%j → %j", (text, expected) => {
    expect(checkedAddress(text)).toBe(expected);
  });

  test.each([
    ["a fragment (#)", "https://verifier.example/#part"],
    ["a fragment (#)", "https://verifier.example/#"],
    ["a user name or password", "https://user:word@verifier.example/"],
  ])("must not contain %s, and is told so: %s", async (what, verifier_url) => {
    await using deployment = await started();
    const { status, body } = await deployment.put({ verifier_url });

    expect([status, at(body, "message")]).toEqual([400, `verifier_url must not contain ${what}.`]);
  });

  test("is 400 if it is not valid, and changes nothing", async () => {
    await using deployment = await started();
    await deployment.put({ verifier_url: VERIFIER });

    expect(outcome(await deployment.put({ verifier_url: "http://verifier.example/" }))).toEqual([400, BAD]);
    expect((await deployment.get()).body).toEqual({ ...DEFAULTS, verifier_url: VERIFIER });
  });

  test("of more than 2,000 characters is 400", async () => {
    await using deployment = await started();

    expect(
      (await deployment.put({ verifier_url: `https://verifier.example/${"a".repeat(2000)}` })).status,
    ).toBe(400);
  });

  test("must match redirects.allow", async () => {
    await using deployment = await started({ RUNTIME_REDIRECTS_ALLOW: "app.example" });

    expect(outcome(await deployment.put({ verifier_url: VERIFIER }))).toEqual([400, BAD]);
    expect(outcome(await deployment.put({ verifier_url: "https://app.example/" }))).toBe(
      "https://app.example/",
    );
  });

  test.each<[string, string]>([
    ["https://app.example/verify", "https://app.example/verify"],
    ["https://APP.example/verify", "https://app.example/verify"],
    ["http://app.example/verify", BAD],
    ["https://app.example:8443/verify", BAD],
    ["http://plain.example:8080/verify", "http://plain.example:8080/verify"],
    ["http://plain.example/verify", BAD],
    ["https://www.upper.example/", "https://www.upper.example/"],
    ["https://other.example/", BAD],
    ["https://sub.app.example/", BAD],
    ["https://app.example.evil.example/", BAD],
    ["https://app.example@evil.example/", BAD],
    ["http://localhost:3000/", BAD],
  ])("must match redirects.allow if that is set: %j → %j", (text, expected) => {
    expect(checkedAddress(text, ["app.example", "WWW.Upper.example", "http://plain.example:8080"])).toBe(
      expected,
    );
  });
});

describe("skipping the check", () => {
  testOnSqlite("is 403 if it is not allowed, with any other fields, and changes nothing", async () => {
    await using deployment = await started();
    const answer = await deployment.put({ unsafe_skip_verification: true, verifier_url: VERIFIER });

    expect(outcome(answer)).toEqual([403, "forbidden"]);
    expect((await deployment.get()).body).toEqual(DEFAULTS);
    expect(auditRows(deployment.site)).toEqual([]);
  });

  test("can always be set to false", async () => {
    await using deployment = await started();

    expect((await deployment.put({ unsafe_skip_verification: false })).body).toEqual(DEFAULTS);
  });
});

testOnSqlite("every change is audited, before and after; a refused one is not", async () => {
  await using deployment = await started();
  await deployment.put({ verifier_url: `${VERIFIER}?key=hidden` });
  await deployment.put({ verifier_url: "ftp://x" });
  await deployment.put({ verifier_url: null });
  const rows = auditRows(deployment.site);

  // The query of an address may contain a secret.
  const shown = { verifier_url: `${VERIFIER}?[not shown]` };
  expect(rows).toEqual([
    {
      project_id: "default",
      actor: expect.stringMatching(/^key:key_/),
      action: "session_verification.update",
      target: "default",
      details: JSON.stringify({
        skip: false,
        verifier: true,
        after: { ...shown, unsafe_skip_verification: false },
      }),
    },
    expect.objectContaining({
      details: JSON.stringify({ skip: false, verifier: false, before: shown, after: { verifier_url: null } }),
    }),
  ]);
  expect(JSON.stringify(rows)).not.toContain("hidden");
});

test("each project has its own, only at its own path", async () => {
  await using deployment = await started();
  const { site } = deployment;
  await site.runtime.identity.createProject(
    await site.runtime.identity.operator("default"),
    "other",
    "Other",
  );
  const other = api(site.url, await site.key("admin", undefined, "other"));
  const scoped = (project: string): string =>
    `/v1/orgs/default/projects/${project}/settings/session_verification`;
  await deployment.put({ verifier_url: VERIFIER });

  expect((await other.get(PATH)).body).toEqual(DEFAULTS);
  expect((await other.put(scoped("default"), { verifier_url: "https://evil.example" })).status).toBe(404);
  expect((await other.get(scoped("default"))).status).toBe(404);
  expect((await other.put(scoped("other"), { verifier_url: "https://own.example" })).status).toBe(200);
  expect(at((await deployment.get()).body, "verifier_url")).toBe(VERIFIER);
  expect(at((await other.get(PATH)).body, "verifier_url")).toBe("https://own.example/");
});

test.each<["run" | "read", number, number]>([
  ["run", 403, 403],
  ["read", 200, 403],
])("a key that may %s gets %i for reading and %i for changing", async (role, reads, changes) => {
  await using deployment = await started();
  const client = api(deployment.site.url, await deployment.site.key(role));

  expect((await client.get(PATH)).status).toBe(reads);
  expect((await client.put(PATH, { verifier_url: VERIFIER })).status).toBe(changes);
  expect((await deployment.get()).body).toEqual(DEFAULTS);
});
