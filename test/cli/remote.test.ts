// A command prints the same on the data folder and against a server.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { announceServer } from "../../src/serving";
import { makeCertificate } from "../support/certificates";
import { type Site, startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";
import { jsonOf, newTerminal } from "./support/fake-io";
import { runProcess } from "./support/processes";

let site: Site;
let key: string;
beforeAll(async () => {
  site = await startSite();
  await announceServer(site.runtime.core, site.url);
  key = await site.key("admin");
});
afterAll(() => site[Symbol.asyncDispose]());

/** A terminal on the server's machine, with its data folder, and the server by flag and environment. */
function both() {
  const terminal = newTerminal({ ...site.environment });
  const direct = (argv: readonly string[], stdin = "") => terminal.run(argv, { stdin });
  const remote = (argv: readonly string[], stdin = "") =>
    terminal.run([...argv, "--server", site.url], { stdin, env: { RUNTIME_API_KEY: key } });
  return { ...terminal, direct, remote };
}

// `status` prints on standard error where commands run.
function notes(stderr: string): string {
  return stderr.replace(/^Commands run .*\n/, "");
}

describe("commands", () => {
  test.each(
    [
      "tools list",
      "tools list -o json",
      "tools list -o name --toolkit Chat",
      "tools list --user alice --fields qualified_name,requirements.met -o ndjson",
      "tools search message channel -o json",
      "tools show Chat.SendMessage",
      "tools show Chat.SendMesage -o json",
      "tools exec Chat.WhoAmI --user alice -o json",
      "tools exec Chat.WhoAmI --user alice --nothing x -o json",
      "tools exec Chat.WhoAmI --user alice --input [1] -o json",
      `tools exec Chat.SendMessage --user alice --input {"message":"x","channel_name":"general"} -o json`,
      "keys list -o yaml",
      "keys show key_unknown -o json",
      "keys rotate key_00000000000000000000000000000000 -o json",
      "keys rotate nobody -o json",
      "clients list",
      "clients list -o json",
      "clients show unknown -o json",
      "clients revoke unknown --yes -o json",
      "workloads list",
      "workloads show unknown -o json",
      "workloads create w --issuer http://ci.example --audience a --subject s:t -o json",
      "workloads create w --issuer https://ci.example --audience a --subject *:* -o json",
      "workloads create w --issuer https://ci.example --audience a --subject s:t --role admin --user u -o json",
      "secrets list",
      "secrets delete UNKNOWN --yes -o json",
      "providers list",
      "providers show unknown -o json",
      "providers setup unknown -o json",
      "connections list --limit 3",
      "connections delete ac_unknown --yes -o json",
      "auth status ar_unknown -o json",
      "auth status ar_unknown --wait 60 -o json",
      "version -o json",
      "status --fields version,healthy,public_url,workers_down,queues,schema,backup,server.pid,server.started_at,server.log -o json",
      "users list -o json",
      "users invite alice -o json",
      "users invite alice --role king -o json",
      "users update nobody-known --role admin -o json",
      "users remove nobody-known --yes -o json",
      "orgs list",
      "orgs show nowhere -o json",
      "projects list",
      "projects show default -o yaml",
      "projects show elsewhere -o json",
      "projects update elsewhere --name x -o json",
      "projects update default --sign-in none -o yaml",
      "projects update default --sign-in default -o yaml",
      "users sessions alice -o json",
      "users sign-out alice",
      "users sign-out alice --session bs_unknown -o json",
      "settings show",
      "models list -o json",
      "models show nowhere -o json",
      "models delete nowhere --yes -o json",
      "models create m --type openai --base-url nonsense -o json",
      "models tools -o json",
      "models tools read_only",
      "scheduled list -o json",
      "scheduled show te_unknown -o json",
      "hooks list -o json",
      "plugins list -o json",
      "export -o json",
      "settings update --verifier-url https://verifier.test/v -o json",
      "settings update --verifier-url nonsense -o json",
      "settings update --no-verifier",
      "audit list --action session_verification --limit 2 --fields action,target,details -o json",
      "audit list --before au_unknown -o json",
      "gateways list",
      "gateways show nowhere -o json",
      "gateways slug tools -o json",
      "gateways slug NO -o json",
      "gateways slug free",
      "gateways create Both --slug tools -o json",
      "gateways create Both --tool No.Such -o json",
      "gateways create Both --auth user-token -o json",
      "gateways update nowhere --status inactive -o json",
      "gateways create Both --group ops -o json",
      "gateways delete nowhere --yes -o json",
      "gateways connect nowhere -o json",
      "tools list --all-versions --toolkit Chat -o name",
      "tools exec Chat.WhoAmI --user alice --run-at s3cr3t -o json",
      "scheduled list",
      "scheduled list --limit 2 -o json",
      "scheduled show te_unknown -o json",
      "executions list",
      "executions list --tool Chat.Nothing --status failed -o json",
    ].map((line) => [line]),
  )("%s", async (line) => {
    const { direct, remote } = both();
    const argv = line.split(" ");

    const [here, there] = [await direct(argv), await remote(argv)];

    expect(there.stdout).toBe(here.stdout);
    expect([there.code, notes(there.stderr)]).toEqual([here.code, notes(here.stderr)]);
  });
});

test.each([
  ["tools list --user zoe -o json"],
  ["tools show Chat.WhoAmI --user zoe -o json"],
  ["tools exec Chat.WhoAmI --user zoe --dry-run -o json"],
  ["tools exec Chat.WhoAmI --user zoe -o json"],
  ["tools authorize Chat.WhoAmI --user zoe -o json"],
])("%s is refused for a suspended user", async (line) => {
  const { direct, remote } = both();
  await direct(["users", "suspend", "zoe"]);
  const [here, there] = [await direct(line.split(" ")), await remote(line.split(" "))];
  await direct(["users", "resume", "zoe"]);

  expect([here.code, there.code]).toEqual([4, 4]);
  expect(here.stderr).toContain("This user is suspended.");
  expect([there.stdout, notes(there.stderr)]).toEqual([here.stdout, notes(here.stderr)]);
});

test("records written on the data folder are read over HTTP, and vice versa", async () => {
  const { direct, remote } = both();
  await remote(["secrets", "set", "WORD", "-", "--description", "for both"], "value\n");
  const { id } = jsonOf(await remote(["keys", "create", "made", "-o", "json"])) as { id: string };
  const body = JSON.stringify({
    id: "idp",
    oauth2: {
      client_id: "c",
      authorize_request: { endpoint: "https://idp.test/a" },
      token_request: { endpoint: "https://idp.test/t" },
    },
  });
  await remote(["providers", "create", "--file", "-"], body);

  for (const argv of [
    ["secrets", "list", "--fields", "key,description"],
    ["keys", "show", id, "-o", "json"],
    ["providers", "show", "idp", "-o", "json"],
    ["providers", "list", "-o", "name"],
  ]) {
    expect((await remote(argv)).stdout).toBe((await direct(argv)).stdout);
  }
  expect((await direct(["keys", "delete", id, "--yes"])).code).toBe(0);
  expect((await remote(["keys", "show", id])).code).toBe(3);
  expect((await remote(["providers", "delete", "idp", "--yes", "-o", "name"])).stdout).toBe("idp\n");
  expect((await direct(["providers", "show", "idp"])).code).toBe(3);
});

describe("the key", () => {
  test("can come from a file, never from an argument", async () => {
    const { run, home } = both();
    const file = join(home, "key");
    writeFileSync(file, `${key}\n`);

    expect((await run(["secrets", "list", "--server", site.url, "--key-file", file])).code).toBe(0);
    const { code, stderr } = await run(["secrets", "list", "--server", site.url, "--api-key", "SECRET"]);
    expect(code).toBe(2);
    expect(stderr).not.toContain("SECRET");
  });

  test("that is missing is reported, with the ways to set it", async () => {
    const { code, stderr } = await both().run(["secrets", "list", "--server", site.url]);

    expect(code).toBe(4);
    expect(stderr).toContain("--key-file");
  });

  test("that is revoked or has too low a role exits 4", async () => {
    const { run } = both();
    const as = (own: string) =>
      run(["secrets", "list", "--server", site.url], { env: { RUNTIME_API_KEY: own } });

    expect((await as(`${key}x`)).code).toBe(4);
    expect((await as(await site.key("run"))).code).toBe(4);
  });

  test("of a project other than the requested one exits 3", async () => {
    const { run } = both();
    const argv = ["secrets", "list", "--server", site.url, "--project", "sales"];

    expect((await run(argv, { env: { RUNTIME_API_KEY: key } })).code).toBe(3);
  });
});

describe("a server", () => {
  test("that is not reachable is reported in one line; nothing is created locally", async () => {
    const { run } = newTerminal({ RUNTIME_API_KEY: key });

    const { code, stdout, stderr } = await run([
      "keys",
      "list",
      "--server",
      "http://127.0.0.1:1",
      "-o",
      "json",
    ]);

    expect([code, JSON.parse(stdout).name]).toEqual([1, "unavailable"]);
    expect(stderr).toMatch(/^error: http:\/\/127\.0\.0\.1:1 cannot be reached.*\n$/);
  });

  test("that times out exits 8", async () => {
    const silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise(() => {}) });
    const { run } = newTerminal({ RUNTIME_API_KEY: key });

    const { code } = await run(["keys", "list", "--server", silent.url.href, "--timeout", "1"]);

    await silent.stop(true);
    expect(code).toBe(8);
  });

  test.each([
    [429, "rate_limited", 7],
    [409, "conflict", 5],
    [400, "a_name_of_tomorrow", 1],
    [404, "a_name_of_tomorrow", 3],
  ])("that answers %i %s exits %i", async (status, name, exit) => {
    const answer = () => Response.json({ name, message: "No.\u001b[2J" }, { status });
    const refusing = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
    const { run } = newTerminal({ RUNTIME_API_KEY: key });

    const { code, stderr } = await run(["keys", "list", "--server", refusing.url.href]);

    await refusing.stop(true);
    expect([code, stderr]).toEqual([exit, "error: No.\\x1b[2J\n"]);
  });

  test("of another product is reported", async () => {
    const page = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>") });
    const { run } = newTerminal({ RUNTIME_API_KEY: key });

    const { code, stderr } = await run(["keys", "list", "--server", page.url.href]);

    await page.stop(true);
    expect(code).toBe(1);
    expect(stderr).toContain("without a valid record");
  });

  test("that redirects is not followed, so that it cannot forward the key", async () => {
    const seen: string[] = [];
    const other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        seen.push(request.headers.get("authorization") ?? "");
        return Response.json({});
      },
    });
    const moved = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.redirect(other.url.href, 307),
    });
    const { run } = newTerminal({ RUNTIME_API_KEY: key });

    const { code } = await run(["keys", "list", "--server", moved.url.href]);

    await Promise.all([other.stop(true), moved.stop(true)]);
    expect([code, seen]).toEqual([1, []]);
  });

  test.each([["ftp://run.test"], ["run.test"], ["https://user:word@run.test"], ["https://run.test?x=1"]])(
    "%s is not the address of a server",
    async (address) => {
      expect((await newTerminal().run(["keys", "list", "--server", address])).code).toBe(2);
    },
  );

  test("and a data folder or a database exclude each other; `local` selects the data folder", async () => {
    const { run } = both();

    expect((await run(["keys", "list", "--server", site.url, "--data-dir", "/d"])).code).toBe(2);
    const database = await run(["keys", "list", "--server", site.url, "--database", "postgres://u@db1/app"]);
    expect([database.code, database.stderr]).toEqual([
      2,
      "error: --server and --database exclude each other. Use one of them.\n",
    ]);
    expect(
      (await run(["keys", "list", "--server", "local"], { env: { RUNTIME_SERVER: site.url } })).code,
    ).toBe(0);
    expect((await run(["keys", "rotate-root", "--yes"], { env: { RUNTIME_SERVER: site.url } })).code).toBe(2);
  });
});

describe("login", () => {
  test("is stored, used, and removed", async () => {
    const { run, home } = newTerminal();
    const file = join(home, ".config", "runtime", "logins.json");

    const made = await run(["login", site.url, "--key-file", "-", "-o", "json"], { stdin: `${key}\n` });
    expect(jsonOf(made)).toEqual({ server: site.url, project_id: "default", role: "admin", file });
    expect(made.stdout + made.stderr).not.toContain(key);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(["status"])).stderr).toBe(`Commands run against ${site.url}.\n`);
    expect((await run(["keys", "list", "-o", "json"])).stdout).toContain('"test admin"');

    expect((await run(["keys", "list", "-o", "json", "--server", "local"])).stdout).toBe("[]\n");
    expect((await run(["projects", "create", "x"])).code).toBe(2);

    expect((await run(["logout", "-o", "name"])).stdout).toBe(`${site.url}\n`);
    expect((await run(["keys", "list", "-o", "json"])).stdout).toBe("[]\n");
    expect((await run(["logout"])).code).toBe(3);
  });

  test("stores nothing if the server rejects the key", async () => {
    const { run } = newTerminal();

    expect((await run(["login", site.url, "--key-file", "-"], { stdin: "rt_wrong" })).code).toBe(4);
    expect((await run(["status"])).stderr).toContain("data folder");
  });

  test("prompts for the key at a terminal, and names the flag without one", async () => {
    const { run } = newTerminal();

    expect((await run(["login", site.url], { answers: [key] })).code).toBe(0);
    const { code, stderr } = await run(["login", site.url]);
    expect([code, stderr.includes("--key-file")]).toEqual([2, true]);
  });
});

describe("api", () => {
  test("prints the response unchanged, and derives the exit code from its status", async () => {
    const { run } = both();
    const as = (...argv: string[]) =>
      run(["api", ...argv, "--server", site.url], { env: { RUNTIME_API_KEY: key } });

    expect(await as("GET", "/v1/health")).toMatchObject({ code: 0, stdout: '{"healthy":true}' });
    expect((await as("get", "/v1/tools?limit=1", "-o", "yaml")).stdout).toContain("total_count: 54");
    expect((await as("DELETE", "/v1/admin/secrets/NONE")).code).toBe(3);
    expect((await as("GET", "/v1/nowhere", "-i")).stdout).toStartWith("HTTP 404\n");
    expect((await as("GET", "v1/health")).code).toBe(2);
    expect((await as("FETCH", "/v1/health")).code).toBe(2);
    expect((await as("GET", "/v1/health", "--header", "Authorization: x")).code).toBe(2);
  });

  test("sends a body from standard input, and needs no key for public operations", async () => {
    const { run } = both();
    const argv = ["api", "POST", "/v1/tools/requirements", "--input", "-", "--server", site.url];
    const stdin = '\uFEFF{"tool_names": ["Chat.WhoAmI"], "user_id": "alice"}\r\n';

    const { code, stdout } = await run(argv, { stdin, env: { RUNTIME_API_KEY: key } });
    expect([code, jsonOf({ stdout })]).toEqual([0, expect.objectContaining({ met: false })]);
    expect((await run(argv, { stdin: "{", env: { RUNTIME_API_KEY: key } })).code).toBe(2);
    expect((await run(argv, { stdin })).code).toBe(4);
    expect((await run(["api", "GET", "/v1/health"])).code).toBe(0);
  });
});

test("distinguishes an untrusted certificate from an unreachable server", async () => {
  const made = makeCertificate(temporaryFolder(), "one");
  const tls = { cert: readFileSync(made.cert, "utf8"), key: readFileSync(made.key, "utf8") };
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls, fetch: () => new Response("{}") });
  const env = { HOME: temporaryFolder(), RUNTIME_API_KEY: "rt_x" };
  const line = ["api", "GET", "/v1/health", "--server", `https://127.0.0.1:${server.port}`];

  const { code, stderr } = await runProcess(line, { env });

  expect(code).toBe(1);
  expect(stderr).toContain("is not trusted. Set RUNTIME_EGRESS_CA_FILE");
});
