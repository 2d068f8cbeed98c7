// The page on which users enter keys of their own: forms of other sites, frames, the browser of another person, markup in the
// words of administrators, links that run scripts, and what a browser keeps of a key.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  addKeyProvider,
  authorizeKey,
  enterKey,
  type KeyService,
  sendForm,
  startKeyService,
  statusOf,
} from "../authorization/key-page";
import { arrived, signInFrom, startFor } from "../interop/oidc/consent";
import { signInAs } from "../interop/oidc/sign-in";
import { startSignInSite } from "../interop/oidc/site";
import { signedInAt, startVerifiedSite } from "../interop/oidc/verifier";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { bytesOf, found } from "../support/canaries";
import { type Site, startSite } from "../support/site";
import { openExchange } from "../../src/authorization/flow";
import { findFlow } from "../../src/authorization/repository";
import { findProvider } from "../../src/providers/repository";
import { query, run, touch } from "../../src/store";
import { printFigure } from "./figure";

const KEY = "key-of-a-person-CANARY-0123456789";

const UNSAFE = query(
  "UPDATE auth_providers SET api_key = replace(api_key, 'https://keys.example/', 'javascript:alert(1)')",
);

let site: Site;
let service: KeyService;
let tried = 0;
let stored = 0;
beforeAll(async () => {
  site = await startSite();
  service = startKeyService();
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.stop();
  printFigure(
    "page for users' own keys",
    `${tried} forged forms and foreign browsers: ${stored} keys stored`,
  );
});
beforeEach(async () => {
  const operator = await site.runtime.identity.operator("default");
  for (const { id } of (await site.runtime.providers.list(operator)).items)
    await site.runtime.providers.delete(operator, id);
  service.good.add(KEY);
  service.requests.length = 0;
});

const tested = () => ({
  location: "header" as const,
  addresses: [service.url],
  test: { url: `${service.url}/me` },
});

/** Whether the user has a key. */
async function hasKey(where: Site, user: string): Promise<boolean> {
  const admin = api(where.url, await where.key("admin"));
  const { body } = await admin.get(`/v1/admin/user_connections?user_id=${user}`);
  const has = at(body, "total_count") === 1;
  if (has) stored += 1;
  return has;
}

describe("a form is refused", () => {
  test.each<[string, (browser: Browser, page: Response) => Promise<Response>]>([
    [
      "from another site",
      (browser, page) => sendForm(browser, page, { key: KEY, origin: "https://evil.example" }),
    ],
    ["without the proof of our page", (browser, page) => sendForm(browser, page, { key: KEY, check: "" })],
    ["with a made-up proof", (browser, page) => sendForm(browser, page, { key: KEY, check: "A".repeat(43) })],
    [
      "from a browser that has not opened the page",
      (_browser, page) => sendForm(new Browser(), page, { key: KEY }),
    ],
  ])("%s, and the key goes nowhere", async (_name, send) => {
    tried += 1;
    await addKeyProvider(site, tested());
    const started = await authorizeKey(site, "alice");
    const browser = new Browser();
    const answer = await send(browser, await browser.open(started.url));

    expect(answer.status).toBeOneOf([400, 403]);
    expect(service.requests).toEqual([]);
    expect(await statusOf(site, started.id)).toEqual(["pending", undefined]);
    expect(await hasKey(site, "alice")).toBe(false);
  });

  test("with the proof of another consent of the same browser", async () => {
    tried += 1;
    await addKeyProvider(site, tested());
    const [own, other] = [await authorizeKey(site, "alice"), await authorizeKey(site, "bob")];
    const browser = new Browser();
    const page = await browser.open(own.url);
    const html = await (await browser.open(other.url)).text();
    const check = /name="check" value="([^"]+)"/.exec(html)?.[1] ?? "";

    expect((await sendForm(browser, page, { key: KEY, check })).status).toBe(400);
    expect(await hasKey(site, "alice")).toBe(false);
  });

  test("with the proof of the page of a user check", async () => {
    tried += 1;
    await addKeyProvider(site, tested());
    const started = await authorizeKey(site, "alice");
    const browser = new Browser();
    const page = await browser.open(started.url);
    const check = /name="check" value="([^"]+)"/.exec(await page.clone().text())?.[1] ?? "";
    const origin = new URL(started.url).origin;
    const confirmed = await browser.open(started.url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin },
      body: new URLSearchParams({ check, answer: "yes" }).toString(),
    });

    expect(confirmed.status).toBe(400);
    expect(await statusOf(site, started.id)).toEqual(["pending", undefined]);
  });

  test("at the callback of the provider, which has none", async () => {
    tried += 2;
    await addKeyProvider(site, tested());
    const started = await authorizeKey(site, "alice");
    const browser = new Browser();
    await browser.open(started.url);
    const { core } = site.runtime;
    // As if the secret of the page had leaked.
    const flow = await findFlow(core.store, "default", started.id);
    const { state = "" } = (flow && (await openExchange(core, flow))) ?? {};
    const { external_id = "" } = (await findProvider(core.store, "default", "tracker")) ?? {};
    expect([state, external_id]).not.toContain("");
    for (const answer of ["code=c", "error=access_denied"]) {
      const page = await browser.open(
        `${site.url}/api/v1/oauth/${external_id}/callback?state=${state}&${answer}`,
      );
      expect(page.status).toBe(400);
    }

    expect(await statusOf(site, started.id)).toEqual(["pending", undefined]);
  });
});

describe("the browser of another person", () => {
  test("cannot give a key where users sign in", async () => {
    await using deployment = await startSignInSite();
    await addKeyProvider(deployment.site, tested());
    for (const [user, victim] of [
      ["alice", "bob"],
      ["bob", "alice"],
    ] as const) {
      tried += 1;
      const started = await authorizeKey(deployment.site, user);
      const browser = new Browser();
      const answer = await sendForm(browser, await browser.open(started.url), { key: KEY });
      const next = /url=(\S+)$/.exec(answer.headers.get("refresh") ?? "")?.[1] ?? "";
      const address = await signInFrom(browser, next);
      const page = await arrived(browser, await signInAs(deployment.provider.url, address, victim));

      expect(await page.text()).toContain("another user");
      expect((await statusOf(deployment.site, started.id))[0]).toBe("failed");
      expect(await hasKey(deployment.site, user)).toBe(false);
    }
    // The right person can.
    const started = await authorizeKey(deployment.site, "alice");
    const browser = new Browser();
    const answer = await sendForm(browser, await browser.open(started.url), { key: KEY });
    const next = /url=(\S+)$/.exec(answer.headers.get("refresh") ?? "")?.[1] ?? "";
    const address = await signInFrom(browser, next);
    await arrived(browser, await signInAs(deployment.provider.url, address, "alice"));
    expect((await statusOf(deployment.site, started.id))[0]).toBe("completed");
  }, 60_000);

  test("cannot give a key where the customer's verifier confirms users", async () => {
    await using deployment = await startVerifiedSite();
    await addKeyProvider(deployment.site, tested());
    tried += 1;
    const started = await authorizeKey(deployment.site, "alice");
    const browser = new Browser();
    await signedInAt(deployment.verifier, browser, "bob");
    const answer = await sendForm(browser, await browser.open(started.url), { key: KEY });
    const address = /url=(\S+)$/.exec(answer.headers.get("refresh") ?? "")?.[1] ?? "";
    await browser.open(address);

    expect((await statusOf(deployment.site, started.id))[0]).toBe("failed");
    expect(await hasKey(deployment.site, "alice")).toBe(false);
  }, 60_000);

  test("takes the page from the first one, whose form then has no effect", async () => {
    tried += 1;
    await addKeyProvider(site, tested());
    const started = await authorizeKey(site, "alice");
    const first = new Browser();
    const page = await first.open(started.url);
    await new Browser().open(started.url);

    expect((await sendForm(first, page, { key: KEY })).status).toBe(400);
    expect(await hasKey(site, "alice")).toBe(false);
  });

  test("takes it also while the key of the first one is being tested", async () => {
    tried += 1;
    const gate = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const slow = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async () => {
        arrived.resolve();
        await gate.promise;
        return new Response("{}");
      },
    });
    const url = `http://127.0.0.1:${slow.port}`;
    await addKeyProvider(site, { location: "header", addresses: [url], test: { url } });
    const started = await authorizeKey(site, "alice");
    const first = new Browser();
    const sent = sendForm(first, await first.open(started.url), { key: KEY });
    await arrived.promise;
    await new Browser().open(started.url);
    gate.resolve();

    expect((await sent).status).toBe(400);
    expect(await hasKey(site, "alice")).toBe(false);
    await slow.stop(true);
  });
});

describe("the page", () => {
  test("cannot be framed, runs nothing, loads nothing and sends its form only here", async () => {
    await addKeyProvider(site, tested());
    const page = await new Browser().open((await authorizeKey(site, "alice")).url);
    const policy = page.headers.get("content-security-policy") ?? "";

    for (const rule of [
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toContain("script");
    expect(await page.text()).not.toContain("<script");
  });

  test("shows the words of administrators as text", async () => {
    const help = '<script>alert(1)</script>\n<img src=x onerror="alert(1)"> "quotes" \u202Etxt';
    await addKeyProvider(site, { ...tested(), help });
    const html = await (await new Browser().open((await authorizeKey(site, "alice")).url)).text();

    for (const markup of ["<script>", "<img", "\u202E"]) expect(html).not.toContain(markup);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "//evil.example",
    "http://evil.example",
    "https://u:p@x.example",
  ])("cannot link to %s", async (help_url) => {
    const admin = api(site.url, await site.key("admin"));
    const record = { id: "tracker", type: "api_key", api_key: { ...tested(), help_url } };
    const answer = await admin.post("/v1/admin/auth_providers", record);

    expect([answer.status, String(at(answer.body, "message"))]).toEqual([
      400,
      expect.stringContaining("api_key.help_url"),
    ]);
  });

  test("does not link to a script that is in the database all the same", async () => {
    await addKeyProvider(site, { ...tested(), help_url: "https://keys.example/" });
    await site.runtime.core.store.write(function* () {
      yield* run(UNSAFE);
      yield* touch("providers");
    });
    const started = await authorizeKey(site, "alice");
    const html = await (await new Browser().open(started.url)).text();

    expect(html).not.toContain("javascript:");
  });

  test("lets browsers keep nothing: no cache, no referrer, no saved password, no second sending", async () => {
    await addKeyProvider(site, tested());
    const started = await authorizeKey(site, "alice");
    const browser = new Browser();
    const page = await browser.open(started.url);
    const html = await page.clone().text();

    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(/<input id="key"[^>]*>/.exec(html)?.[0]).toMatch(
      /type="password".*autocomplete="off".*data-1p-ignore/,
    );
    expect(/<form[^>]*>/.exec(html)?.[0]).toContain('method="post"');
    for (const key of ["refused-key", KEY]) {
      const answer = await sendForm(browser, page, { key });
      // Loading the next page again sends no form.
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).not.toContain(key);
      expect(await answer.text()).not.toContain(key);
    }
  });
});

test("a key is in no answer, log line, audit entry or file in clear", async () => {
  await addKeyProvider(site, { ...tested(), location: "query", name: "api_key" });
  const started = await authorizeKey(site, "alice");
  const refused = await enterKey(started.url, `${KEY}-refused`);
  const page = await enterKey(started.url, KEY);
  const admin = api(site.url, await site.key("admin"));
  const answers = await Promise.all(
    [
      "/v1/admin/auth_providers",
      "/v1/admin/user_connections",
      `/v1/auth/status?id=${started.id}`,
      "/v1/admin/audit?limit=100",
    ].map((path) => admin.get(path)),
  );
  const texts = [await refused.text(), await page.text(), JSON.stringify(answers), site.logLines.join("\n")];

  expect(await hasKey(site, "alice")).toBe(true);
  stored -= 1;
  expect(texts.flatMap((text) => found({ key: KEY }, text))).toEqual([]);
  expect(found({ key: KEY }, bytesOf(site.folder))).toEqual([]);
});

test("a consent of tokens is not finished by the form for keys", async () => {
  tried += 1;
  await using deployment = await startSignInSite();
  const started = await startFor(deployment.site, "alice");
  const browser = new Browser();
  await browser.open(started.url);
  const answer = await browser.open(started.url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: new URL(started.url).origin },
    body: new URLSearchParams({ check: "x", key: KEY, answer: "yes" }).toString(),
  });

  expect(answer.status).toBe(400);
  expect(await hasKey(deployment.site, "alice")).toBe(false);
}, 30_000);
