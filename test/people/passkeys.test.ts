// What passkeys and one-time links refuse: every answer that was not made for this server, project, person and browser, now.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { endAccess } from "../../src/people";
import { generateKeyPairSync } from "node:crypto";
import { makeCertificate } from "../support/certificates";
import { startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";
import { type PasskeySite, Person, startPasskeySite } from "./stage";

let stage: PasskeySite;
let alice: Person;
beforeAll(async () => {
  stage = await startPasskeySite();
});
afterAll(() => stage[Symbol.asyncDispose]());

const sessionsOf = async (user: string, project = "default") =>
  (await stage.site.runtime.sessions.list(project, user)).length;

/** An invited person with a passkey. */
async function member(user_id = "alice", project = "default"): Promise<Person> {
  const { link = "" } = await stage.invite({ user_id }, project);
  const person = stage.person();
  const accepted = await person.accept(link);
  if (accepted.status !== 200) throw new Error(accepted.message);
  return person;
}

async function remove(user: string): Promise<void> {
  await stage.site.runtime.invitations.remove(stage.operator, user).catch(() => undefined);
}

beforeEach(async () => {
  await remove("alice");
  await remove("bob");
  alice = await member();
  await stage.site.runtime.core.store.write(() => endAccess("default", "alice"));
});

describe("a sign-in", () => {
  test("works with the passkey of the person, without a user name", async () => {
    const { status, body } = await alice.signIn();

    expect([status, body]).toEqual([200, { to: "/me" }]);
    const found = await stage.site.runtime.sessions.find("default", alice.session());
    expect(found).toMatchObject({ userId: "alice", method: "passkey" });
  });

  test("works with an authenticator that counts", async () => {
    alice.passkey.counter = 7;
    expect((await alice.signIn()).status).toBe(200);
    alice.passkey.counter = 8;
    expect((await alice.signIn()).status).toBe(200);
  });

  const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  test.each([
    ["of another origin", { origin: "https://runtime.example" }],
    ["of the address in place of the name", { origin: "http://127.0.0.1:1" }],
    ["of another host's authenticator", { rpId: "evil.example" }],
    ["of a page inside another site", { crossOrigin: true }],
    ["without user verification", { unverified: true }],
    ["that is one to create a passkey", { type: "webauthn.create" }],
    ["signed by another key", { key: stranger }],
    ["to a challenge of its own", { challenge: Buffer.from("own").toString("base64url") }],
    ["to an empty challenge", { challenge: "" }],
    ["for another person", { userHandle: Buffer.from("bob").toString("base64url") }],
  ])("refuses an answer %s", async (_name, faults) => {
    const { status } = await alice.signIn("default", faults);
    expect([status, await sessionsOf("alice")]).toEqual([403, 0]);
  });

  test("refuses an answer that was sent before, also when its session has ended", async () => {
    const answer = alice.passkey.get(await alice.signInOptions(), stage.origin);
    expect((await alice.verify(answer)).status).toBe(200);
    await stage.site.runtime.core.store.write(() => endAccess("default", "alice"));

    expect((await alice.verify(answer)).status).toBe(403);
    expect(await sessionsOf("alice")).toBe(0);
  });

  test("refuses an answer that was sent before, after a clock that jumped ahead is set back", async () => {
    const answer = alice.passkey.get(await alice.signInOptions(), stage.origin);
    expect((await alice.verify(answer)).status).toBe(200);
    await stage.site.runtime.core.store.write(() => endAccess("default", "alice"));
    const bob = stage.person();
    const { link = "" } = await stage.invite({ user_id: "bob" });
    stage.clock.move(60 * 60_000);
    await bob.accept(link);
    expect((await bob.signIn()).status).toBe(200);
    stage.clock.move(-60 * 60_000);

    expect((await alice.verify(answer)).status).toBe(403);
  });

  test("uses an answer once, however many are sent at once", async () => {
    const answer = alice.passkey.get(await alice.signInOptions(), stage.origin);
    const all = await Promise.all(Array.from({ length: 8 }, () => alice.verify(answer)));

    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await sessionsOf("alice")).toBe(1);
  });

  test("refuses the answer to a challenge of another browser", async () => {
    const other = stage.person();
    const answer = alice.passkey.get(await other.signInOptions(), stage.origin);
    await alice.signInOptions();

    expect((await alice.verify(answer)).message).toContain("another browser");
  });

  test("refuses a browser without its cookie", async () => {
    const answer = alice.passkey.get(await alice.signInOptions(), stage.origin);
    expect((await stage.person().verify(answer)).message).toContain("cookie");
  });

  test("refuses an answer after five minutes", async () => {
    const answer = alice.passkey.get(await alice.signInOptions(), stage.origin);
    stage.clock.move(5 * 60_000);
    expect((await alice.verify(answer)).message).toContain("too long");
  });

  test("refuses a passkey of another project, and a challenge of one", async () => {
    const there = await member("alice", "other");
    expect((await there.signIn("default")).message).toContain("not known in this project");
    const answer = alice.passkey.get(await alice.signInOptions("other"), stage.origin);
    expect((await alice.verify(answer)).status).toBe(403);
    expect((await there.signIn("other")).status).toBe(200);
  });

  test("refuses a counter that went back: the passkey may be a copy", async () => {
    alice.passkey.counter = 5;
    expect((await alice.signIn()).status).toBe(200);

    expect((await alice.signIn("default", { counter: 5 })).message).toContain("may have been copied");
    expect((await alice.signIn("default", { counter: 0 })).message).toContain("may have been copied");
    expect(stage.site.logLines.join("\n")).toContain("its counter went back");
    expect(await sessionsOf("alice")).toBe(1);
  });

  test("refuses requests that no page of this server has sent", async () => {
    const answer = alice.passkey.get(await alice.signInOptions(), stage.origin);
    for (const origin of ["https://evil.example", "null", ""])
      expect(
        (await alice.send("/sign-in/passkey/verify", { project: "default", answer }, origin)).status,
      ).toBe(403);
    expect(await sessionsOf("alice")).toBe(0);
  });

  test("refuses a suspended person", async () => {
    const { users } = stage.site.runtime;
    await users.suspend(stage.operator, "alice");
    expect((await alice.signIn()).message).toContain("suspended");
    await users.resume(stage.operator, "alice");
  });

  test("refuses passkeys where people sign in otherwise now", async () => {
    const there = await member("alice", "other");
    const answer = there.passkey.get(await there.signInOptions("other"), stage.origin);
    const { identity } = stage.site.runtime;
    await identity.projects.update(stage.operator, "other", { sign_in: "none" });
    const { status, message } = await there.verify(answer, "other");
    await identity.projects.update(stage.operator, "other", { sign_in: "passkey" });

    expect([status, message.includes("not sign in to this project with passkeys")]).toEqual([403, true]);
  });

  test("leaves nothing behind before a passkey has answered", async () => {
    const { store } = stage.site.runtime.core;
    const before = await store.generation("sessions");
    for (let flood = 0; flood < 200; flood++) await stage.person().signInOptions();
    expect(await store.generation("sessions")).toBe(before);
  });

  test("replaces the session that the browser had", async () => {
    await alice.signIn();
    const former = alice.session();
    await alice.signIn();

    expect(alice.session()).not.toBe(former);
    expect(await stage.site.runtime.sessions.find("default", former)).toBeUndefined();
  });
});

describe("a one-time link", () => {
  test("sets one passkey and signs in", async () => {
    const { link = "", expires_at = "", kind } = await stage.invite({ user_id: "bob", role: "auditor" });
    expect(kind).toBe("passkey");
    expect(Date.parse(expires_at) - stage.clock.now()).toBeLessThanOrEqual(7 * 86_400_000);
    const bob = stage.person();

    expect((await bob.accept(link)).status).toBe(200);
    expect(bob.session()).toBeDefined();
    expect((await bob.signIn()).status).toBe(200);
  });

  test("takes an attestation for none: certificates could name addresses that this server then loads", async () => {
    const asked: string[] = [];
    using list = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        asked.push(request.url);
        return new Response();
      },
    });
    const folder = temporaryFolder();
    const { cert } = makeCertificate(
      folder,
      "authenticator",
      "ec",
      `crlDistributionPoints=URI:${list.url.href}`,
    );
    const pem = await Bun.file(cert).text();
    const certificate = Buffer.from(pem.replaceAll(/-----[A-Z ]+-----/g, ""), "base64");
    const { link = "" } = await stage.invite({ user_id: "bob" });

    expect((await stage.person().accept(link, { certificate })).status).toBe(200);
    expect(asked).toEqual([]);
  });

  test("refuses what is not an answer of an authenticator", async () => {
    const { link = "" } = await stage.invite({ user_id: "bob" });
    const person = stage.person();
    const path = new URL(link).pathname;
    const answer = person.passkey.create(
      await person.asked(`${path}/options`),
      stage.site.runtime.core.publicUrl(),
    );
    for (const attestationObject of ["AA", "oA", Buffer.from("not CBOR").toString("base64url")]) {
      const broken = { ...answer, response: { ...answer.response, attestationObject } };
      expect((await person.send(`${path}/passkey`, { answer: broken, name: "Laptop" })).status).toBe(403);
    }
  });

  test("is not used up by reading its page, and no robot can read the secret elsewhere", async () => {
    const { link = "" } = await stage.invite({ user_id: "bob" });
    const path = new URL(link).pathname;
    for (const method of ["GET", "HEAD"]) {
      const page = await fetch(stage.site.url + path, { method, headers: { host: "localhost" } });
      expect(page.status).toBe(200);
      expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    }
    expect((await stage.person().accept(link)).status).toBe(200);
  });

  test("works once, and not after it was replaced or has expired", async () => {
    const { link: used = "" } = await stage.invite({ user_id: "bob" });
    await stage.person().accept(used);
    const { link: replaced = "" } = await stage.invite({ user_id: "bob" });
    const { link: expired = "" } = await stage.invite({ user_id: "bob" });
    for (const link of [used, replaced]) expect((await stage.person().accept(link)).status).toBe(404);
    stage.clock.move(7 * 86_400_000);
    expect((await stage.person().accept(expired)).status).toBe(404);
    expect((await fetch(stage.site.url + new URL(expired).pathname)).status).toBe(404);
  });

  test("is used by one of many who try at once", async () => {
    const { link = "" } = await stage.invite({ user_id: "bob" });
    const all = await Promise.all(Array.from({ length: 6 }, () => stage.person().accept(link)));

    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await stage.site.runtime.passkeys.list({ projectId: "default", userId: "bob" })).toHaveLength(1);
  });

  test.each([
    ["of another origin", { origin: "https://evil.example" }],
    ["of another host's authenticator", { rpId: "evil.example" }],
    ["without user verification", { unverified: true }],
    ["of a page inside another site", { crossOrigin: true }],
    ["that is a sign-in", { type: "webauthn.get" }],
    ["to a challenge of its own", { challenge: Buffer.from("own").toString("base64url") }],
  ])("refuses a new passkey %s, and still works", async (_name, faults) => {
    const { link = "" } = await stage.invite({ user_id: "bob" });
    const bob = stage.person();
    expect((await bob.accept(link, faults)).status).toBe(403);
    expect((await bob.accept(link)).status).toBe(200);
  });

  test("refuses the challenge of another person's invitation", async () => {
    const { link: ours = "" } = await stage.invite({ user_id: "bob" });
    const { link: theirs = "" } = await stage.invite({ user_id: "carol" });
    const bob = stage.person();
    const asked = await bob.asked(`${new URL(ours).pathname}/options`);
    const answer = bob.passkey.create(asked, stage.origin);

    expect((await bob.send(`${new URL(theirs).pathname}/passkey`, { answer, name: "x" })).status).toBe(403);
  });

  test("does not take a passkey that somebody has already", async () => {
    const { link = "" } = await stage.invite({ user_id: "bob" });
    const path = new URL(link).pathname;
    const answer = alice.passkey.create(await alice.asked(`${path}/options`), stage.origin);
    const { status, message } = await alice.send(`${path}/passkey`, { answer, name: "x" });

    expect([status, message]).toEqual([400, "This passkey is known already. Use it to sign in."]);
  });

  test("recovers a person who has lost a device, whose other passkeys stay", async () => {
    const phone = await member();
    expect((await phone.signIn()).status).toBe(200);
    expect((await alice.signIn()).status).toBe(200);
  });
});

describe("a removed person", () => {
  test("is out at the next request, with passkeys, links and sessions", async () => {
    await alice.signIn();
    const { link = "" } = await stage.invite();
    const removed = await stage.site.runtime.invitations.remove(stage.operator, "alice");

    expect(removed).toMatchObject({ passkeys: 1, sessions: 1, clients: 0 });
    expect(await stage.site.runtime.sessions.find("default", alice.session())).toBeUndefined();
    expect((await alice.signIn()).status).toBe(403);
    expect((await stage.person().accept(link)).status).toBe(404);
  });

  test("is out on every server", async () => {
    const { site } = stage;
    await using second = await startSite({
      folder: site.folder,
      chat: site.chat,
      environment: { RUNTIME_SIGN_IN: "passkey" },
    });
    await alice.signIn();
    const there = () => second.runtime.sessions.find("default", alice.session());
    const { invitations } = site.runtime;
    expect(await there()).toMatchObject({ userId: "alice" });
    expect(await second.runtime.people.roleOf("default", "alice")).toBe("member");
    await invitations.update(stage.operator, { user_id: "alice", role: "auditor" });
    expect(await second.runtime.people.roleOf("default", "alice")).toBe("auditor");
    await invitations.remove(stage.operator, "alice");

    expect(await there()).toBeUndefined();
    expect(await second.runtime.people.isKnown("default", "alice")).toBe(false);
  });

  test("gets no session from an answer that was on its way", async () => {
    const answer = alice.passkey.get(await alice.signInOptions(), stage.origin);
    const [{ status }] = await Promise.all([alice.verify(answer), remove("alice")]);

    expect([200, 403]).toContain(status);
    expect(await sessionsOf("alice")).toBe(0);
  });
});

describe("passkeys of a person who is signed in", () => {
  const own = { projectId: "default", userId: "alice" };
  const principal = { kind: "user", ...own } as const;
  const list = () => stage.site.runtime.passkeys.list(own);

  test("are listed, renamed and removed, the last one too", async () => {
    const { passkeys } = stage.site.runtime;
    const [first] = await list();
    const of = { ...own, id: first?.id ?? "" };
    await passkeys.rename(principal, of, "Desk");
    expect((await list()).map(({ name }) => name)).toEqual(["Desk"]);
    await passkeys.remove(principal, of);
    expect(await list()).toEqual([]);
    expect((await alice.signIn()).status).toBe(403);
  });

  test("are not changed by others, or in other projects", async () => {
    const { passkeys } = stage.site.runtime;
    const [first] = await list();
    for (const other of [
      { projectId: "default", userId: "bob" },
      { projectId: "other", userId: "alice" },
    ]) {
      const of = { ...other, id: first?.id ?? "" };
      const by = { kind: "user", ...other } as const;
      await expect(passkeys.remove(by, of)).rejects.toThrow("no passkey with this id");
      await expect(passkeys.rename(by, of, "x")).rejects.toThrow("no passkey with this id");
    }
    expect(await list()).toHaveLength(1);
  });

  test("are added with a form of the session only", async () => {
    await alice.signIn();
    const person = await stage.site.runtime.sessions.find("default", alice.session());
    const second = new Person(stage.site, stage.origin);
    const path = "/sign-in/passkey/new";
    const proof = { project: "default", token: person?.formToken ?? "" };
    expect((await alice.send(`${path}/options`, { ...proof, token: "made up" })).status).toBe(403);
    expect((await second.send(`${path}/options`, proof)).status).toBe(403);

    const answer = second.passkey.create(await alice.asked(`${path}/options`, proof), stage.origin);
    expect((await alice.send(path, { ...proof, answer, name: "Phone" })).status).toBe(200);
    expect((await alice.send(path, { ...proof, answer, name: "Phone" })).status).toBe(403);
    expect((await list()).map(({ name }) => name)).toEqual(["Laptop", "Phone"]);
  });
});
