// `runtime login` at a server of the product: commands act as the person, until the grant ends.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endAccess } from "../../../src/people";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../../cli/program";
import { until } from "../../connections/executing";
import { type Browser, type SignInSite, startSignInSite } from "../../people/authorization-server/site";
import { operator } from "../../tools/deployment";
import { fakeIo, jsonOf, newTerminal } from "../support/fake-io";

let site: SignInSite;
beforeAll(async () => {
  site = await startSignInSite();
  await site.deployment.runtime.identity.createProject(operator(), "sales", "Sales");
  await site.gateway("by-key");
  await site.tokenGateway("by-token");
  await site.tokenGateway("of-sales", {}, "sales");
  await site.tokenGateway("for-few", { allowed_groups: ["few"] });
  await site.gateway("of-sales-by-key", {}, "sales");
}, 20_000);
afterAll(() => site[Symbol.asyncDispose]());

/** The person allows it on the pages, and the browser goes back to the terminal. */
async function visit(browser: Browser, address: string): Promise<void> {
  let page = await browser.open(address);
  if (page.text.includes('name="answer"')) page = await browser.submit(page, "yes");
  if (!page.url.startsWith(site.url)) await (await fetch(page.url)).text();
}

async function signedIn(user: string, project = "default") {
  const terminal = newTerminal();
  const browser = await site.browser(user, project);
  const visits: Promise<void>[] = [];
  const argv = ["login", site.url, ...(project === "default" ? [] : ["--project", project]), "-o", "json"];
  const made = await terminal.run(argv, {
    answers: [],
    browser: (address) => void visits.push(visit(browser, address)),
  });
  await Promise.all(visits);
  const file = join(terminal.home, ".config", "runtime", "logins.json");
  return { ...terminal, made, stored: () => JSON.parse(readFileSync(file, "utf8")).people[site.url] };
}

const ECHO = ["tools", "exec", "Test.Echo", "--text", "hello", "-o", "json"];
const ENDED = (): string =>
  `error: Your sign-in to ${site.url} has ended. Sign in again: runtime login ${site.url}\n`;

describe("a person who is signed in", () => {
  test("runs tools without --user, for itself only", async () => {
    const terminal = await signedIn("alice");
    const ran = await terminal.run(ECHO);
    const other = await terminal.run([...ECHO, "--user", "bob"]);
    const configured = await terminal.run(ECHO, { env: { RUNTIME_USER: "bob" } });

    expect(jsonOf(terminal.made)).toMatchObject({ user_id: "alice", project_id: "default" });
    expect([ran.code, configured.code, other.code]).toEqual([0, 0, 4]);
    expect(ran.stdout).toContain("hello");
    expect(other.stderr).toContain("user_id differs from the user of the token");
    const { items } = await site.deployment.runtime.trail.executions(operator(), { limit: 1 });
    expect(items).toMatchObject([{ user_id: "alice" }]);
  });

  test.each([
    [["tools", "list"], 0],
    [["tools", "show", "Test.Echo"], 0],
    [["scheduled", "list"], 0],
    [["status"], 0],
    [["api", "GET", "/v1/caller"], 0],
    [["__complete", "tools", "exec", "Test.E"], 0],
    [["keys", "list"], 4],
    [["secrets", "list"], 4],
    [["users", "list"], 4],
    [["workloads", "list"], 4],
  ])("%p exits %d", async (argv, code) => {
    const terminal = await signedIn("alice");
    const ran = await terminal.run(argv);

    expect(ran.code).toBe(code);
    expect(ran.stdout + ran.stderr).not.toContain(terminal.stored().access_token);
    if (code === 4) expect(ran.stderr).toStartWith("error: Your role member does not allow this.");
    else expect(ran.stdout + ran.stderr).not.toBe("");
  });

  test("at another project stays there", async () => {
    const terminal = await signedIn("alice", "sales");

    expect(jsonOf(await terminal.run(["api", "GET", "/v1/caller"]))).toMatchObject({ project_id: "sales" });
    expect((await terminal.run(["tools", "list", "--project", "default"])).code).toBe(3);
  });

  test("goes on when the access token has expired at the server", async () => {
    const terminal = await signedIn("alice");
    const before = terminal.stored();
    site.deployment.clock.move(20 * 60_000);
    const ran = await terminal.run(ECHO);

    expect(ran.code).toBe(0);
    expect(terminal.stored().refresh_token).not.toBe(before.refresh_token);
  });
});

describe("runtime mcp", () => {
  const LIST = `${JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "Test_Echo",
      arguments: { text: "hello" },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  })}\n`;

  test.each([["by-key"], ["by-token"]])("serves the gateway %s to the person", async (slug) => {
    const terminal = await signedIn("alice");
    const ran = await terminal.run(["mcp", "--gateway", slug], { stdin: LIST });

    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(ran.stdout).toContain("hello");
  });

  test.each([
    ["of another project", "of-sales", "for another address"],
    ["of groups that the person is not in", "for-few", "certain groups"],
    ["of another project, for keys", "of-sales-by-key", "of its own project"],
  ])("does not serve a gateway %s", async (_name, slug, reason) => {
    const terminal = await signedIn("alice");
    const ran = await terminal.run(["mcp", "--gateway", slug], { stdin: LIST });

    expect(ran.stdout).toContain(reason);
    expect(ran.stdout).not.toContain("hello");
  });
});

describe("the next command after the end exits 4 with one sentence:", () => {
  test.each<[string, (terminal: Awaited<ReturnType<typeof signedIn>>) => Promise<unknown>]>([
    [
      "revoked by the person or an administrator",
      async () => {
        const { store } = site.deployment.runtime.core;
        await store.write(() => endAccess("default", "carol"));
      },
    ],
    ["suspended", () => site.deployment.runtime.users.suspend(operator(), "carol")],
  ])("%s", async (_name, end) => {
    const terminal = await signedIn("carol");
    expect((await terminal.run(ECHO)).code).toBe(0);
    await end(terminal);
    const ran = await terminal.run(["tools", "list"]);

    expect([ran.code, ran.stdout, ran.stderr]).toEqual([4, "", ENDED()]);
  });
});

test("another name of this machine is the same server", async () => {
  const terminal = newTerminal();
  const browser = await site.browser("alice");
  const visits: Promise<void>[] = [];
  const { port } = new URL(site.url);
  const made = await terminal.run(["login", `http://127.0.0.1:${port}`, "-o", "json"], {
    answers: [],
    browser: (address) => void visits.push(visit(browser, address)),
  });
  await Promise.all(visits);

  expect(jsonOf(made)).toMatchObject({ server: site.url });
  expect((await terminal.run(ECHO)).code).toBe(0);
});

test("logout ends the tokens at the server", async () => {
  const terminal = await signedIn("dora");
  const { access_token } = terminal.stored();
  const ask = async () =>
    (await fetch(`${site.url}/v1/tools`, { headers: { authorization: `Bearer ${access_token}` } })).status;
  const before = await ask();
  const { code, stderr } = await terminal.run(["logout"]);

  expect([code, stderr, before, await ask()]).toEqual([0, "", 200, 401]);
});

test("a code that is entered elsewhere signs in here", async () => {
  const terminal = newTerminal();
  const io = fakeIo({ env: terminal.env });
  const running = main(["login", site.url, "--device", "-o", "json"], io);
  const shown = (): string | undefined => /^[A-Z]{4}-[A-Z]{4}$/m.exec(io.stderr)?.[0];
  await until(() => shown() !== undefined);
  const browser = await site.browser("alice");
  await browser.submit(await browser.open(`${site.url}/device?user_code=${shown()}`), "yes");

  expect(await running).toBe(0);
  expect(JSON.parse(io.stdout)).toMatchObject({ user_id: "alice" });
  expect((await terminal.run(ECHO)).code).toBe(0);
}, 20_000);
