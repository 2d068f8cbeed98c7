// The tokens of a stored sign-in: renewed once by many commands, ended by either side.
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storedSignIn } from "../../../cli/sign-in/tokens";
import { loadConfig } from "../../support/config";
import { newTerminal } from "../support/fake-io";
import { runProcess } from "../support/processes";
import { type SignInSite, startSignInSite } from "./server";

const ASK = ["api", "GET", "/v1/caller"];

/** A terminal at which alice is signed in. */
async function signedIn(site: SignInSite) {
  const terminal = newTerminal();
  const pages: Promise<string>[] = [];
  await terminal.run(["login", site.url], {
    answers: [],
    browser: (address) => void pages.push(site.visit(address, "alice")),
  });
  await Promise.all(pages);
  const file = join(terminal.home, ".config", "runtime", "logins.json");
  const stored = () => JSON.parse(readFileSync(file, "utf8")).people[site.url];
  return {
    ...terminal,
    file,
    stored,
    /** The access token is about to expire. */
    age: () => {
      const logins = JSON.parse(readFileSync(file, "utf8"));
      logins.people[site.url].expires_at = Date.now() + 1000;
      writeFileSync(file, JSON.stringify(logins));
    },
    refreshes: () => site.requests.filter((request) => request === "POST /token").length - 1,
  };
}

describe("an access token", () => {
  test("is used until shortly before it expires, then renewed and stored", async () => {
    await using site = await startSignInSite();
    const terminal = await signedIn(site);
    const before = terminal.stored();
    expect((await terminal.run(ASK)).code).toBe(0);
    const unused = terminal.refreshes();
    terminal.age();
    expect((await terminal.run(ASK)).code).toBe(0);
    const after = terminal.stored();

    expect([unused, terminal.refreshes()]).toEqual([0, 1]);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(site.tokens.at(-1)).toBe(after.access_token);
  });

  test("is renewed once by many requests of a command, and by many commands", async () => {
    await using site = await startSignInSite();
    const terminal = await signedIn(site);
    terminal.age();
    const config = loadConfig({ environment: terminal.env });
    const commands = [1, 2, 3, 4].map(() => storedSignIn(config, site.url));
    const tokens = await Promise.all(
      commands.flatMap((one) => [1, 2, 3].map(() => one?.token() ?? Promise.resolve(""))),
    );

    expect(new Set(tokens)).toEqual(new Set([terminal.stored().access_token]));
    expect(terminal.refreshes()).toBe(1);
  });

  test("is renewed once by many processes, and the grant lives on", async () => {
    await using site = await startSignInSite();
    const terminal = await signedIn(site);
    terminal.age();
    const results = await Promise.all([1, 2, 3, 4].map(() => runProcess(ASK, { env: terminal.env })));

    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(terminal.refreshes()).toBe(1);
    terminal.age();
    expect((await terminal.run(ASK)).code).toBe(0);
  }, 30_000);

  test("that the server refuses is renewed, and the request is sent again once", async () => {
    await using site = await startSignInSite();
    const terminal = await signedIn(site);
    let refusals = 1;
    site.before = (path, response) => {
      if (path !== "/v1/caller" || refusals-- <= 0) return false;
      response.statusCode = 401;
      response.end("{}");
      return true;
    };
    const { code } = await terminal.run(ASK);

    expect([code, terminal.refreshes()]).toEqual([0, 1]);
  });
});

describe("a sign-in that has ended at the server", () => {
  test("exits 4 with one sentence, each time, and nothing stored is changed", async () => {
    await using site = await startSignInSite();
    const terminal = await signedIn(site);
    const before = readFileSync(terminal.file, "utf8");
    await site.end(terminal.stored().refresh_token);

    for (const argv of [
      ASK,
      ["tools", "list"],
      ["status"],
      ["tools", "exec", "Chat.WhoAmI"],
      ["keys", "list"],
    ]) {
      const { code, stdout, stderr } = await terminal.run(argv);
      expect([argv, code, stdout]).toEqual([argv, 4, ""]);
      expect(stderr).toBe(
        `error: Your sign-in to ${site.url} has ended. Sign in again: runtime login ${site.url}\n`,
      );
    }
    expect(readFileSync(terminal.file, "utf8")).toBe(before);
  });

  test("is not mistaken for a server that cannot be reached", async () => {
    await using site = await startSignInSite();
    const terminal = await signedIn(site);
    terminal.age();
    site.before = (_path, response) => {
      response.statusCode = 503;
      response.end("{}");
      return true;
    };
    const { code, stderr } = await terminal.run(ASK);
    site.before = undefined;

    expect([code, stderr.includes("has ended")]).toEqual([1, false]);
    expect((await terminal.run(ASK)).code).toBe(0);
  });

  test("can be begun again", async () => {
    await using site = await startSignInSite();
    const terminal = await signedIn(site);
    await site.end(terminal.stored().refresh_token);
    const pages: Promise<string>[] = [];
    const again = await terminal.run(["login", site.url], {
      answers: [],
      browser: (address) => void pages.push(site.visit(address, "alice")),
    });

    expect(again.code).toBe(0);
    expect((await terminal.run(ASK)).code).toBe(0);
  });
});

describe("logout", () => {
  test("ends the grant at the server and forgets it here", async () => {
    await using site = await startSignInSite();
    const terminal = await signedIn(site);
    const { refresh_token } = terminal.stored();
    const { code, stderr } = await terminal.run(["logout"]);
    const again = await fetch(`${site.url}/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", client_id: "runtime-cli", refresh_token }),
    });

    expect([code, stderr]).toEqual([0, ""]);
    expect(readFileSync(terminal.file, "utf8")).not.toContain(refresh_token);
    expect(site.requests).toContain("POST /token/revocation");
    expect(again.status).toBe(400);
  });

  test("forgets the sign-in, with a warning, if the server cannot be reached", async () => {
    const site = await startSignInSite();
    const terminal = await signedIn(site);
    await site[Symbol.asyncDispose]();
    const { code, stderr } = await terminal.run(["logout"]);

    expect([code, stderr.includes("only forgotten here")]).toEqual([0, true]);
    expect(terminal.stored).toThrow();
  });
});

test("status says who is signed in, and of what a member may see", async () => {
  await using site = await startSignInSite();
  const terminal = await signedIn(site);
  const { code, stdout, stderr } = await terminal.run(["status", "-o", "json"]);

  expect([code, stderr]).toEqual([0, `Commands run against ${site.url}, as alice.\n`]);
  expect(JSON.parse(stdout)).toEqual({
    healthy: true,
    public_url: site.url,
    project_id: "default",
    user_id: "alice",
    role: "run",
  });
});

test("a command for administrators exits 4 with the reason of the server", async () => {
  await using site = await startSignInSite();
  const { code, stderr } = await (await signedIn(site)).run(["keys", "list"]);

  expect([code, stderr]).toEqual([4, "error: Your role member does not allow this.\n"]);
});

test("a key in the environment or in a file is used instead of the sign-in", async () => {
  await using site = await startSignInSite();
  const terminal = await signedIn(site);
  const { code } = await terminal.run(ASK, { env: { RUNTIME_API_KEY: "rt_other" } });

  expect([code, site.tokens.at(-1)]).toEqual([4, "rt_other"]);
  expect(terminal.refreshes()).toBe(0);
});
