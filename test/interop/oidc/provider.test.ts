// The provider itself: properties that the tests of this folder rely on.
import { expect, test } from "bun:test";
import { partsOf } from "./keys";
import { startOpenIdProvider } from "./provider";
import { refreshed, tokensOf } from "./sign-in";

test("the provider issues access tokens of RFC 9068 for the requested audience, and rotates refresh tokens", async () => {
  await using provider = await startOpenIdProvider();
  const first = await tokensOf(provider, "alice", "https://runtime.example");
  const { header, claims } = partsOf(first.access_token);

  expect(header).toMatchObject({ typ: "at+jwt", alg: "ES256", kid: provider.key.kid });
  expect(claims).toMatchObject({ iss: provider.url, sub: "alice", aud: "https://runtime.example" });

  const second = await refreshed(provider, first, "https://runtime.example");
  expect(second.refresh_token).not.toBe(first.refresh_token);
  const again = refreshed(provider, first, "https://runtime.example").then(
    () => "served",
    (error: unknown) => (error as { error?: string }).error,
  );
  expect(await again).toBe("invalid_grant");
});

test("a removed key is no longer in its key set, and the next token uses the new key", async () => {
  await using provider = await startOpenIdProvider();
  const before = provider.key.kid;
  provider.rotate("removed");
  const keySet = JSON.stringify(await (await fetch(`${provider.url}/jwks`)).json());

  expect([keySet.includes(before), keySet.includes(provider.key.kid)]).toEqual([false, true]);
  const { access_token } = await tokensOf(provider, "alice", "https://runtime.example");
  expect(partsOf(access_token).header["kid"]).toBe(provider.key.kid);
});
