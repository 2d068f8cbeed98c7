// `runtime login` of a person: with a browser on this machine, and with a code.
import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../../cli/program";
import { signInWithDevice } from "../../../cli/sign-in/device";
import { discover, type SignInServer } from "../../../cli/sign-in/server";
import { loadConfig } from "../../support/config";
import { refusal, until } from "../../connections/executing";
import { fakeIo, jsonOf, newTerminal } from "../support/fake-io";
import { type SignInSite, startSignInSite } from "./server";

type Terminal = ReturnType<typeof newTerminal>;

const fileIn = ({ home }: Terminal): string => join(home, ".config", "runtime", "logins.json");
const loginsIn = (terminal: Terminal) => JSON.parse(readFileSync(fileIn(terminal), "utf8"));

async function serverAt(url: string): Promise<SignInServer> {
  const found = await discover(url, loadConfig({ environment: {} }));
  if (found.kind !== "here") throw new Error(`no sign-in: ${found.kind}`);
  return found.server;
}

/** A terminal whose browser is that of a person. */
function browserOf(site: SignInSite, person: string) {
  const pages: Promise<string>[] = [];
  const addresses: string[] = [];
  return {
    pages,
    addresses,
    answers: [],
    browser: (address: string) => {
      addresses.push(address);
      pages.push(site.visit(address, person));
    },
  };
}

describe("a sign-in with a browser", () => {
  test("is stored for its owner only, and used by commands", async () => {
    await using site = await startSignInSite();
    const terminal = newTerminal();
    const person = browserOf(site, "alice");
    const made = await terminal.run(["login", site.url, "-o", "json"], person);

    expect(made.stderr).toContain("Opened in the browser");
    expect(jsonOf(made)).toEqual({
      server: site.url,
      project_id: "default",
      role: "run",
      user_id: "alice",
      file: fileIn(terminal),
    });
    expect(statSync(fileIn(terminal)).mode & 0o777).toBe(0o600);
    expect(loginsIn(terminal)).toMatchObject({
      current: site.url,
      keys: {},
      people: { [site.url]: { user: "alice", project: "default", resource: site.url } },
    });
    expect(await person.pages[0]).toContain("Go back to the terminal");
    const used = await terminal.run(["api", "GET", "/v1/caller"]);
    expect(jsonOf(used)).toMatchObject({ user_id: "alice" });
  });

  test("asks for exactly one resource with PKCE, a state and a port of this machine", async () => {
    await using site = await startSignInSite();
    const person = browserOf(site, "alice");
    await newTerminal().run(["login", site.url], person);

    const { searchParams } = new URL(person.addresses[0] ?? "");
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: "runtime-cli",
      response_type: "code",
      scope: "runtime offline_access",
      resource: site.url,
      code_challenge_method: "S256",
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    });
    expect(searchParams.get("state")?.length).toBeGreaterThan(40);
  });

  test("of another project names the API of that project", async () => {
    await using site = await startSignInSite();
    const terminal = newTerminal();
    const argv = ["login", site.url, "--project", "sales", "-o", "json"];
    const made = await terminal.run(argv, browserOf(site, "alice"));

    expect(jsonOf(made)).toMatchObject({ project_id: "sales" });
    expect(loginsIn(terminal).people[site.url].resource).toBe(`${site.url}/v1/orgs/default/projects/sales`);
  });

  test("shows no token and no code, in any format, nor in the configuration", async () => {
    await using site = await startSignInSite();
    const terminal = newTerminal();
    const runs = [await terminal.run(["login", site.url], browserOf(site, "alice"))];
    const { access_token, refresh_token } = loginsIn(terminal).people[site.url];
    for (const argv of [
      ["config", "list", "-o", "json"],
      ["api", "GET", "/v1/caller", "-o", "yaml"],
      ["logout"],
    ])
      runs.push(await terminal.run(argv));

    const printed = runs.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    for (const secret of [access_token, refresh_token, access_token.split(".")[2]])
      expect(printed).not.toContain(secret);
  });

  test("ignores what other pages send to its port", async () => {
    await using site = await startSignInSite();
    const statuses: number[] = [];
    const visit = async (address: string): Promise<void> => {
      const redirect = new URL(address).searchParams.get("redirect_uri") ?? "";
      const forged = [`${redirect}?code=forged&state=forged`, redirect, new URL("/", redirect).href];
      for (const each of forged) statuses.push((await fetch(each)).status);
      statuses.push((await fetch(redirect, { method: "POST" })).status);
      await site.visit(address, "alice");
    };
    const visits: Promise<void>[] = [];
    const made = await newTerminal().run(["login", site.url, "-o", "json"], {
      answers: [],
      browser: (address) => void visits.push(visit(address)),
    });
    await Promise.all(visits);

    expect(jsonOf(made)).toMatchObject({ user_id: "alice" });
    expect(statuses).toEqual([400, 400, 404, 404]);
  });

  test.each<[string, (redirect: URL, state: string) => void, string]>([
    [
      "a refusal",
      (redirect, state) => {
        redirect.search = new URLSearchParams({
          error: "access_denied",
          state,
          iss: redirect.origin,
        }).toString();
      },
      "was refused",
    ],
    [
      "a code of another server",
      (redirect, state) => {
        redirect.search = new URLSearchParams({ code: "c", state, iss: "https://other.example" }).toString();
      },
      "not valid",
    ],
    [
      "a code without its server",
      (redirect, state) => {
        redirect.search = new URLSearchParams({ code: "c", state }).toString();
      },
      "not valid",
    ],
  ])("stores nothing after %s", async (_name, change, message) => {
    await using site = await startSignInSite();
    const terminal = newTerminal();
    const made = await terminal.run(["login", site.url], {
      answers: [],
      browser: (address) => {
        const { searchParams } = new URL(address);
        const redirect = new URL(searchParams.get("redirect_uri") ?? "");
        change(redirect, searchParams.get("state") ?? "");
        if (redirect.searchParams.get("iss") === redirect.origin) redirect.searchParams.set("iss", site.url);
        void fetch(redirect).then((response) => response.text());
      },
    });

    expect([made.code === 0, made.stderr.includes(message)]).toEqual([false, true]);
    expect(site.requests).not.toContain("POST /token");
    expect(() => loginsIn(terminal)).toThrow();
  });

  test("replaces a key, and a key replaces it", async () => {
    await using site = await startSignInSite();
    const terminal = newTerminal();
    await terminal.run(["login", site.url], browserOf(site, "alice"));
    const { access_token } = loginsIn(terminal).people[site.url];
    // The stand-in takes its tokens for keys as well.
    await terminal.run(["login", site.url, "--key-file", "-"], { stdin: access_token });
    const withKey = loginsIn(terminal);
    await terminal.run(["login", site.url], browserOf(site, "bob"));

    expect([Object.keys(withKey.keys), withKey.people]).toEqual([[site.url], undefined]);
    expect(loginsIn(terminal)).toMatchObject({ keys: {}, people: { [site.url]: { user: "bob" } } });
  });
});

describe("a sign-in with a code", () => {
  test("works without a terminal and without a browser here", async () => {
    await using site = await startSignInSite();
    const terminal = newTerminal();
    const io = fakeIo({ env: terminal.env });
    const running = main(["login", site.url, "--device", "-o", "json"], io);
    const shown = (): string | undefined => /^[A-Z]{4}-[A-Z]{4}$/m.exec(io.stderr)?.[0];
    await until(() => shown() !== undefined);
    await site.enter(shown() ?? "", "alice");

    expect(await running).toBe(0);
    expect(JSON.parse(io.stdout)).toMatchObject({ user_id: "alice" });
    expect(io.stderr).toContain(`${site.url}/device`);
  }, 20_000);

  test("asks as often as the server wants, and less often when it is told to", async () => {
    await using site = await startSignInSite();
    const pauses: number[] = [];
    const answers = ["authorization_pending", "slow_down", "authorization_pending"];
    site.before = (path, response) => {
      const error = path === "/token" ? answers.shift() : undefined;
      if (error === undefined) return false;
      response.statusCode = 400;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ error }));
      return true;
    };
    const found = await serverAt(site.url);
    const io = fakeIo();
    const waiting = {
      now: () => 0,
      sleep: async (ms: number) => {
        pauses.push(ms);
        const code = /^[A-Z]{4}-[A-Z]{4}$/m.exec(io.stderr)?.[0] ?? "";
        if (pauses.length === 1) await site.enter(code, "alice");
      },
    };
    const tokens = await signInWithDevice(io, found, site.url, waiting);

    expect(pauses).toEqual([5000, 5000, 10_000, 10_000]);
    expect(tokens.refresh_token).toBeDefined();
  });

  test("ends when the code has expired", async () => {
    await using site = await startSignInSite();
    let now = 0;
    const waiting = { now: () => now, sleep: async () => void (now += 200_000) };

    expect(
      await refusal(signInWithDevice(fakeIo(), await serverAt(site.url), site.url, waiting)),
    ).toMatchObject({ name: "gateway_timeout" });
  });
});

describe("a server", () => {
  test("at which people do not sign in gets a key, as before", async () => {
    await using site = await startSignInSite();
    site.metadata = () => undefined;
    const terminal = newTerminal();
    const answers = ["not a token"];
    const device = await terminal.run(["login", site.url, "--device"]);
    const { io } = await terminal.run(["login", site.url], { answers });

    expect([device.code, device.stderr.includes("--with-key")]).toEqual([4, true]);
    expect(io.prompted).toEqual([`API key for ${site.url}`]);
  });

  test("that has another public address is named, and gets a key", async () => {
    await using site = await startSignInSite();
    site.metadata = (metadata) => ({ ...metadata, issuer: "https://runtime.example.com" });
    const { io, stderr } = await newTerminal().run(["login", site.url], { answers: ["not a token"] });

    expect(stderr).toContain("runtime login https://runtime.example.com");
    expect(io.prompted).toHaveLength(1);
  });

  test("that sends the terminal to another server gets no code and no token", async () => {
    await using site = await startSignInSite();
    await using other = await startSignInSite();
    site.metadata = (metadata) => ({ ...metadata, token_endpoint: `${other.url}/token` });
    const made = await newTerminal().run(["login", site.url], browserOf(site, "alice"));

    expect([made.code, made.stderr.includes("names another server")]).toEqual([4, true]);
    expect(other.requests).toEqual([]);
  });

  test.each([
    [["--device", "--with-key"], "--device is for people"],
    [[], "--key-file"],
    [["--with-key"], "--key-file"],
  ])("is not asked with %p without a terminal", async (flags, message) => {
    await using site = await startSignInSite();
    const { code, stderr } = await newTerminal().run(["login", site.url, ...flags]);

    expect([code, stderr.includes(message)]).toEqual([2, true]);
    expect(site.requests).toEqual([]);
  });
});
