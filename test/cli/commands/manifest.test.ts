// `runtime export` and `runtime apply`: a project's configuration, out and in.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { announceServer } from "../../../src/serving";
import { type Site, startSite } from "../../support/site";
import { jsonOf, newTerminal } from "../support/fake-io";

const PROVIDER = {
  id: "idp",
  description: "Sign in",
  oauth2: {
    client_id: "0012345678901234567890",
    client_secret: "hidden secret",
    scope_delimiter: ",",
    authorize_request: { endpoint: "https://idp.test/a", params: { prompt: "consent" } },
    token_request: { endpoint: "https://idp.test/t", auth_method: "client_secret_basic" },
  },
};

/** A terminal with a project that has one of everything, and an empty project beside it. */
async function filled() {
  const terminal = newTerminal({ RUNTIME_REDIRECTS_ALLOW: "verifier.test" });
  const { run } = terminal;
  await run(["providers", "create", "--file", "-"], { stdin: JSON.stringify(PROVIDER) });
  await run(["secrets", "set", "WORD", "-", "--description", "the word"], { stdin: "hidden word" });
  await run(["secrets", "set", "OTHER", "-"], { stdin: "hidden other" });
  await run(["settings", "update", "--verifier-url", "https://verifier.test/v"]);
  expect((await run(["projects", "create", "empty"])).code).toBe(0);
  return terminal;
}

const VALUES = { WORD: "hidden word", OTHER: "hidden other", IDP_CLIENT_SECRET: "hidden secret" };

test("export | apply --dry-run on an empty project, then apply, gives an equal export", async () => {
  const { run } = await filled();
  const { stdout: document } = await run(["export"]);
  expect(document).not.toContain("hidden");

  const into = (...flags: string[]) =>
    run(["apply", "-f", "-", "--project", "empty", ...flags], { stdin: document, env: VALUES });
  const planned = await into("--dry-run");
  expect(planned.stderr).toBe("4 would change, 0 stay as they are.\n");
  expect((await run(["providers", "list", "-o", "json", "--project", "empty"])).stdout).toBe("[]\n");

  expect((await into()).stdout).toBe(planned.stdout);
  expect((await run(["export", "--project", "empty"])).stdout).toBe(document);
  const again = await run(["apply", "-f", "-", "--dry-run", "--project", "empty"], { stdin: document });
  expect(again.stderr).toBe("0 would change, 4 stay as they are.\n");
});

test("export names another variable for each provider, however alike their ids are", async () => {
  const { run } = newTerminal();
  for (const id of ["my-idp", "my.idp", "MY_IDP"]) {
    const { code } = await run(["apply", "-f", "-"], {
      stdin: JSON.stringify({ providers: [{ ...PROVIDER, id }] }),
    });
    expect(code).toBe(0);
  }
  const { stdout } = await run(["export"]);
  const variables = [...stdout.matchAll(/env: (\w+_CLIENT_SECRET)/g)].map(([, name]) => name);
  expect(new Set(variables).size).toBe(3);
});

test("export as JSON is the same document, and says where values come from", async () => {
  const { run } = await filled();

  const { stdout } = await run(["export", "-o", "json"]);

  expect(JSON.parse(stdout)).toEqual(Bun.YAML.parse((await run(["export"])).stdout) as object);
  expect(JSON.parse(stdout)).toMatchObject({
    session_verification: { verifier_url: "https://verifier.test/v" },
    providers: [{ id: "idp", oauth2: { client_secret_from: { env: "IDP_CLIENT_SECRET" } } }],
    secrets: [{ key: "OTHER" }, { key: "WORD", description: "the word", value_from: { env: "WORD" } }],
    gateways: [],
  });
});

describe("apply", () => {
  test("changes only what differs, and says which fields", async () => {
    const { run } = await filled();
    const stdin = JSON.stringify({
      providers: [{ id: "idp", description: "Another", oauth2: { client_id: PROVIDER.oauth2.client_id } }],
      session_verification: { verifier_url: "https://verifier.test/v" },
    });

    const ran = await run(["apply", "-f", "-", "-o", "json"], { stdin });

    expect(jsonOf(ran)).toEqual([
      { kind: "session_verification", name: "project", action: "unchanged" },
      { kind: "provider", name: "idp", action: "update", fields: ["description"] },
    ]);
    const shown = await run(["providers", "show", "idp", "-o", "json"]);
    expect(jsonOf(shown)).toMatchObject({
      description: "Another",
      oauth2: { client_secret: { exists: true }, token_request: { auth_method: "client_secret_basic" } },
    });
  });

  test("without a value that is needed names it and changes nothing", async () => {
    const { run } = await filled();
    const { stdout: document } = await run(["export"]);

    const ran = await run(["apply", "-f", "-", "--project", "empty"], { stdin: document });

    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("Give first: the value of the secret OTHER, the value of the secret WORD");
    expect((await run(["providers", "list", "-o", "json", "--project", "empty"])).stdout).toBe("[]\n");
  });

  test("takes values from files beside the document", async () => {
    const { run, home } = newTerminal();
    writeFileSync(join(home, "word"), "hidden\r\n");
    const file = join(home, "project.yaml");
    writeFileSync(file, "\uFEFFsecrets:\r\n  - key: WORD\r\n    value_from: {file: word}\r\n");

    expect((await run(["apply", "--file", file])).stdout).toMatch(/create +secret +WORD/);
    expect((await run(["secrets", "list", "-o", "name"])).stdout).toBe("WORD\n");
  });

  test.each([
    ["no document", "[1]", "must hold one document", 1],
    ["no YAML", "a: [", "is not valid YAML or JSON", 1],
    ["a field of the wrong type", "secrets: {}", "secrets must be array", 1],
    ["a source that is none", "secrets: [{key: A, value_from: {vault: x}}]", "{env: VARIABLE}", 1],
    ["a file that is not there", "secrets: [{key: A, value_from: {file: /none}}]", "cannot be read", 2],
  ])("refuses %s", async (_what, stdin, message, exit) => {
    const { code, stderr } = await newTerminal().run(["apply", "-f", "-"], { stdin });

    expect([code, stderr.includes(message), stderr]).toEqual([exit, true, stderr]);
  });
});

describe("against a server", () => {
  let site: Site;
  let key: string;
  beforeAll(async () => {
    site = await startSite();
    await announceServer(site.runtime.core, site.url);
    await site.addChatProvider();
    key = await site.key("admin");
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test.each([["export"], ["export -o json"], ["apply -f - --dry-run -o json"], ["apply -f - -o ndjson"]])(
    "%s prints the same",
    async (line) => {
      const { run } = newTerminal(site.environment);
      const stdin = JSON.stringify({ secrets: [{ key: "A", value: "x" }] });
      await run(["secrets", "delete", "A"]);
      const here = await run(line.split(" "), { stdin });
      await run(["secrets", "delete", "A"]);

      const there = await run([...line.split(" "), "--server", site.url], {
        stdin,
        env: { RUNTIME_API_KEY: key },
      });

      expect([there.code, there.stdout, there.stderr]).toEqual([0, here.stdout, here.stderr]);
    },
  );
});
