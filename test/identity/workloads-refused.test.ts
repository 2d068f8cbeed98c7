// Tokens that no workload has, and patterns that would match the tokens of others.
import { describe, expect, test } from "bun:test";
import { matchesSubject } from "../../src/identity/subject-pattern";
import { refusal } from "../connections/executing";
import { forgeries } from "../interop/oidc/forge";
import { newSigningKey, signed, signedWithHmac, unsigned } from "../interop/oidc/keys";
import { type OpenIdProvider, startOpenIdProvider } from "../interop/oidc/provider";
import { AUDIENCE, parts, stage, SUBJECT, token } from "./workload-stage";

describe("a token is refused with", () => {
  const now = Math.floor(Date.now() / 1000);
  const stranger = newSigningKey();
  test.each<[string, (issuer: OpenIdProvider) => string, string]>([
    ["another audience", (issuer) => token(issuer, { aud: "https://other.example.com" }), "no workload"],
    [
      "two audiences",
      (issuer) => token(issuer, { aud: [AUDIENCE, "https://other.example.com"] }),
      "more than one",
    ],
    ["the audience with a slash", (issuer) => token(issuer, { aud: `${AUDIENCE}/` }), "no workload"],
    ["another subject", (issuer) => token(issuer, { sub: "repo:acme/app:pull_request" }), "no workload"],
    ["a longer subject", (issuer) => token(issuer, { sub: `${SUBJECT}2` }), "no workload"],
    ["the subject in capitals", (issuer) => token(issuer, { sub: SUBJECT.toUpperCase() }), "no workload"],
    ["a line break in the subject", (issuer) => token(issuer, { sub: `${SUBJECT}\n` }), "subject"],
    ["no subject", (issuer) => token(issuer, { sub: undefined }), "it has no sub"],
    ["no audience", (issuer) => token(issuer, { aud: undefined }), "it has no aud"],
    ["no end", (issuer) => token(issuer, { exp: undefined }), "it has no exp"],
    ["no beginning", (issuer) => token(issuer, { iat: undefined }), "it has no iat"],
    ["an end as text", (issuer) => token(issuer, { exp: "4102444800" }), "exp"],
    ["an end that has passed", (issuer) => token(issuer, { iat: now - 900, exp: now - 60 }), "expired"],
    ["a lifetime of a week", (issuer) => token(issuer, { exp: now + 7 * 86_400 }), "24 hours"],
    ["a beginning in the future", (issuer) => token(issuer, { iat: now + 120 }), "future"],
    ["a time before which it is not valid", (issuer) => token(issuer, { nbf: now + 120 }), "not valid yet"],
    ["a key of its sender", (issuer) => token(issuer, { cnf: { jkt: "x" } }), "bound to a key"],
    ["another type", (issuer) => token(issuer, {}, { typ: "logout+jwt" }), "typ"],
    [
      "a stranger's key under the id of the issuer's key",
      (issuer) => signed(parts(issuer), stranger),
      "signature",
    ],
    [
      "a stranger's key under its own id",
      (issuer) => signed(parts(issuer, { header: { kid: stranger.kid } }), stranger),
      "not among the keys",
    ],
    [
      "the algorithm none",
      (issuer) => unsigned(parts(issuer, { header: { alg: "none" } }), "AA"),
      "algorithm",
    ],
    [
      "HS256 with the public key",
      (issuer) => signedWithHmac(parts(issuer, { header: { alg: "HS256" } }), issuer.key.pem),
      "algorithm",
    ],
  ])("%s", async (_name, forge, message) => {
    await using scene = await stage();
    await scene.accept();
    const { identity } = scene.deployment.runtime;
    expect(await identity.authenticate(token(scene.issuer))).toMatchObject({ kind: "key" });
    const given = forge(scene.issuer);
    const error = await refusal(identity.authenticate(given));

    expect([error.status, error.name]).toEqual([401, "invalid_authorization"]);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(given.split(".")[1] ?? "");
  });

  test("any of the forgeries of user tokens", async () => {
    await using scene = await stage();
    await scene.accept({ subject: "alice" });
    const { identity } = scene.deployment.runtime;
    const accepted: string[] = [];
    for (const [name, forged] of forgeries(scene.issuer, AUDIENCE)) {
      const principal = await identity.authenticate(forged).catch(() => undefined);
      if (principal !== undefined) accepted.push(name);
    }

    // Those two are how platforms write the tokens of their jobs.
    expect(accepted).toEqual(["the type of an ID token", "no type"]);
  });

  test("the key of another issuer", async () => {
    await using scene = await stage();
    await using other = await startOpenIdProvider();
    await scene.accept();
    await scene.accept({ name: "other", issuer: other.url, subject: "repo:other/app:x" });
    const crossed = signed(parts({ url: scene.issuer.url, key: other.key }), other.key);
    const { identity } = scene.deployment.runtime;

    expect((await refusal(identity.authenticate(crossed))).status).toBe(401);
    expect((await refusal(identity.authenticate(token(other)))).message).toContain("no workload");
  });
});

describe("a pattern", () => {
  test.each<[string, string, boolean]>([
    ["repo:acme/app:ref:refs/heads/*", "repo:acme/app:ref:refs/heads/main", true],
    ["repo:acme/*:ref:refs/heads/main", "repo:acme/app:ref:refs/heads/main", true],
    ["system:serviceaccount:agents:job-*", "system:serviceaccount:agents:job-17", true],
    ["repo:acme/app:ref:refs/heads/*", "repo:acme/app:ref:refs/heads/feature/x", false],
    ["repo:acme/*:ref:refs/heads/main", "repo:acme/app/x:ref:refs/heads/main", false],
    ["repo:acme/*:ref:refs/heads/main", "repo:acme/x:y:ref:refs/heads/main", false],
    ["repo:acme/*", "repo:acme:app", false],
    ["repo:acme/*", "repo:acme/", false],
    ["repo:acme/*", "repo:acmes/app", false],
    ["repo:acme/app-*", "repo:acme/app-", false],
    ["repo:acme/a*a", "repo:acme/a", false],
    ["repo:acme/app", "repo:acme/app:x", false],
    ["repo:acme.app", "repo:acmexapp", false],
  ])("%s of %s: %p", (pattern, subject, matches) => {
    expect(matchesSubject(pattern, subject)).toBe(matches);
  });

  test.each([["*"], ["*:*"], ["*/*:*"], ["repo:a*b*c"], [":*"], ["prefix-*"]])(
    "%s is refused: it would match the tokens of others",
    async (subject) => {
      await using scene = await stage();

      expect(await refusal(scene.accept({ subject }))).toMatchObject({
        status: 400,
        fieldErrors: [{ field: "subject" }],
      });
    },
  );
});
