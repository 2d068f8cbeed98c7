// The database goes away while a browser is at a page of a consent, or a program reads a public address: the answer is 503,
// never a page that says that the consent has failed or is unknown.
import { afterAll, beforeAll, describe, setDefaultTimeout, test } from "bun:test";
import { issued } from "../interop/oidc/forge";
import { type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { client } from "../mcp/site";
import { googleProvider, type SheetsSandbox, sheetsEnvironment, startSheetsSandbox } from "../sandbox/sheets";
import { agreed } from "../server/flows";
import { type Stage, startConsent, startStage } from "../server/stage";
import { api } from "../support/api";
import { Browser } from "../support/browser";
import { Failing } from "../support/failing-store";
import { type Answer, FAILURES, sweep } from "./sweep";

setDefaultTimeout(20_000);

type Page = [name: string, good: number[], prepare: () => Promise<() => Promise<Answer>>];

describe.each(FAILURES)("the database fails %s:", (_name, once) => {
  const failing = new Failing();
  let sheets: SheetsSandbox;
  let stage: Stage;
  beforeAll(async () => {
    sheets = await startSheetsSandbox();
    const environment = sheetsEnvironment(sheets);
    stage = await startStage({ parts: { openStore: failing.openStore }, environment });
    await api(stage.site.url, stage.keys.admin).post("/v1/admin/auth_providers", googleProvider(sheets));
  });
  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    await sheets.stop();
  });

  const newFlow = () => startConsent(stage, { user_id: crypto.randomUUID() });
  /** A grant that exists nowhere else is stored when the database is back: the browser waits for that. */
  const untilBack = async (answer: Promise<Response>): Promise<Response> => {
    const back = setTimeout(() => failing.end(), 300);
    return answer.finally(() => clearTimeout(back));
  };

  const pages: Page[] = [
    [
      "the address of a consent",
      [303],
      async () => {
        const { url } = await newFlow();
        return () => new Browser().open(url);
      },
    ],
    [
      "the callback",
      [200],
      async () => {
        const { browser, callback } = await agreed(stage);
        return () => untilBack(browser.open(callback));
      },
    ],
    [
      "the callback after a no",
      [200],
      async () => {
        const browser = new Browser();
        const callback = await browser.toCallback((await newFlow()).url, "cancel");
        return () => browser.open(callback);
      },
    ],
    [
      "the confirmation",
      [200],
      async () => {
        const { browser, callback } = await agreed(stage);
        const page = await browser.open(callback);
        return () => untilBack(browser.answer(page, stage.site.url, "yes"));
      },
    ],
    ["the keys of worker tokens", [200], async () => () => fetch(`${stage.site.url}/.well-known/jwks.json`)],
    [
      "a page of a catalog",
      [200],
      async () => {
        const { clientId } = sheets;
        const auth = { client_id: clientId, app_id: clientId.split("-")[0] };
        const config = Buffer.from(JSON.stringify({ auth })).toString("base64url");
        return () => fetch(`${stage.site.url}/google/drive_picker?config=${config}`);
      },
    ],
  ];

  test.each(pages)("%s", (_page, good, prepare) => sweep(failing, once, good, prepare));
});

describe.each(FAILURES)("with tokens of users, the database fails %s:", (_name, once) => {
  const failing = new Failing();
  let deployment: OpenIdSite;
  let token = "";
  beforeAll(async () => {
    deployment = await startOpenIdSite({ openStore: failing.openStore });
    const { runtime } = deployment.site;
    const operator = await runtime.identity.operator("default");
    await runtime.gateways.create(operator, { name: "Tokens", slug: "for-users" });
    token = issued(deployment.provider, deployment.audience, { sub: "alice", scope: "openid mcp" });
  });
  afterAll(() => deployment[Symbol.asyncDispose]());

  const gateway = (): string => `${deployment.site.url}/mcp/for-users`;
  const pages: Page[] = [
    [
      "the metadata of a gateway",
      [200],
      async () => () => fetch(`${gateway()}/.well-known/oauth-protected-resource`),
    ],
    [
      "a message to a gateway",
      [200],
      async () => () => client(gateway(), { key: token }).modern("tools/list"),
    ],
    ["a message without a token", [401], async () => () => client(gateway(), {}).modern("tools/list")],
    ["a request", [200], async () => () => api(deployment.site.url, token).get("/v1/tools?limit=1")],
  ];

  test.each(pages)("%s", (_page, good, prepare) => sweep(failing, once, good, prepare));
});
