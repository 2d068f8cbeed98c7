// The issuer of the users' provider as its metadata spells it: in the log at the start, and at gateways while the provider is
// down.
import { expect, test } from "bun:test";
import { startIdp } from "../standards/idp";
import { startSite } from "../support/site";
import { MovableClock } from "../tools/deployment";

const SPELLED = "spells its issuer in another way";

test("the start warns of a setting that is spelled in another way, once", async () => {
  await using idp = startIdp({ issuer: "/" });
  await using site = await startSite({ environment: { RUNTIME_AUTH_URL: idp.origin } });
  while (!site.logLines.some((line) => line.includes(SPELLED))) await Bun.sleep(5);
  await site.runtime.identity.readIssuers();

  const lines = site.logLines.filter((line) => line.includes(SPELLED));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ setting: idp.origin, issuer: idp.issuer }]);
});

test("the start does not warn of a setting that is spelled like the issuer", async () => {
  await using idp = startIdp();
  await using site = await startSite({ environment: { RUNTIME_AUTH_URL: idp.origin } });
  await site.runtime.identity.readIssuers();

  expect(site.logLines.filter((line) => line.includes(SPELLED))).toEqual([]);
});

test("metadata of a gateway names the last known issuer while the provider is down", async () => {
  const idp = startIdp({ issuer: "/" });
  const clock = new MovableClock();
  await using site = await startSite({ parts: { clock }, environment: { RUNTIME_AUTH_URL: idp.origin } });
  await site.runtime.identity.readIssuers();
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.gateways.create(operator, { name: "G", slug: "g" });
  await idp[Symbol.asyncDispose]();
  clock.move(60 * 60_000);

  const answer = await fetch(`${site.url}/.well-known/oauth-protected-resource/mcp/g`);

  expect([answer.status, Object(await answer.json()).authorization_servers]).toEqual([200, [idp.issuer]]);
});
