// Standard Webhooks: the signatures of requests to hooks.
import { expect } from "bun:test";
import { Webhook } from "standardwebhooks";
import { type Chapter, must, mustNot, type Proof, should } from "../ledger";
import type { Asked, WebhookPeer } from "../../hooks/webhook-peer";

const secret = (byte: number, length = 32): string =>
  `whsec_${Buffer.alloc(length, byte).toString("base64")}`;
const [FIRST, SECOND] = [secret(1), secret(2)];

interface Made {
  asked: Asked[];
  update(webhook: object, status?: number): Promise<void>;
  call(): Promise<Asked>;
  /** A webhook server at another origin. */
  other: WebhookPeer;
  /** The record of the plugin. */
  shown(): Promise<string>;
  /** The rest of the ledger goes on at the later time. */
  move(ms: number): Promise<unknown>;
  /** The next requests are answered with 503. */
  fail(times: number): void;
}

/** A plugin whose pre hook is signed, and the requests that it got. */
function signed(
  look: (made: Made) => unknown,
  webhook: object = { signing_secret: FIRST },
  more: object = {},
): Proof {
  return async (world) => {
    const at = await world.hooked();
    for (const { id } of Object((await at.admin.get("/v1/hooks")).body).items)
      await at.admin.delete(`/v1/hooks/${id}`);
    const { id } = await at.plugin({ name: crypto.randomUUID(), points: ["pre"], webhook, more });
    at.project.asked.length = 0;
    await look({
      asked: at.project.asked,
      other: at.organization,
      update: async (change, status = 200) => {
        const answer = await at.admin.patch(`/v1/plugins/${id}`, { webhook_config: change });
        expect(answer.status, answer.text).toBe(status);
      },
      shown: async () => (await at.admin.get(`/v1/plugins/${id}`)).text,
      call: async () => {
        const answer = await at.agent.post("/v1/tools/execute", {
          tool_name: "Test.Call",
          user_id: "alice",
          input: {},
        });
        expect(answer.status, answer.text).toBe(200);
        return at.project.asked.at(-1) as Asked;
      },
      move: async (ms) => {
        at.deployment.clock.move(ms);
        await at.deployment.give("alice");
      },
      fail: (times) => {
        let left = times;
        at.project.respond = (_asked, response) => {
          if (left-- <= 0) return { code: "OK" };
          response.writeHead(503).end();
          return undefined;
        };
      },
    });
  };
}

const signatures = ({ headers }: Asked): string[] => (headers["webhook-signature"] ?? "").split(" ");
/** Verifies with the library of the standard, whose clock is the real one. */
function verifies({ text, headers }: Asked, key: string): boolean {
  try {
    new Webhook(key).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}
const one = (look: (asked: Asked) => unknown): Proof => signed(async ({ call }) => look(await call()));

export const webhooks: Chapter = {
  id: "Standard Webhooks",
  title: "Standard Webhooks 1.0.0",
  url: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
  rows: [
    must(
      "Headers",
      "a request has webhook-id, webhook-timestamp and webhook-signature",
      one(({ headers }) =>
        expect(Object.keys(headers)).toEqual(
          expect.arrayContaining(["webhook-id", "webhook-timestamp", "webhook-signature"]),
        ),
      ),
    ),
    must(
      "Headers",
      "the id has no full stop",
      one(({ headers }) => expect(headers["webhook-id"]).not.toContain(".")),
    ),
    should(
      "Headers",
      "the id begins with a prefix",
      one(({ headers }) => expect(headers["webhook-id"]).toMatch(/^msg_[\w-]{20,}/)),
    ),
    must(
      "Headers",
      "two messages have different ids",
      signed(async ({ call }) =>
        expect((await call()).headers["webhook-id"]).not.toBe((await call()).headers["webhook-id"]),
      ),
    ),
    must(
      "Headers",
      "the timestamp is in seconds since the epoch",
      one(({ headers }) => expect(headers["webhook-timestamp"]).toMatch(/^\d{10}$/)),
    ),
    must(
      "Signature scheme",
      "the signature is of id, timestamp and body, joined by full stops",
      one(({ text, headers }) => {
        const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
        const own = new Bun.CryptoHasher("sha256", Buffer.alloc(32, 1)).update(content).digest("base64");
        expect(headers["webhook-signature"]).toBe(`v1,${own}`);
      }),
    ),
    must(
      "Signature scheme",
      "a symmetric signature has the version v1",
      one((asked) => expect(signatures(asked)[0]).toStartWith("v1,")),
    ),
    must(
      "Signature scheme",
      "the library of the standard accepts it",
      one((asked) => expect(verifies(asked, FIRST)).toBe(true)),
    ),
    must(
      "Signature scheme",
      "the library of the standard refuses it under another secret",
      one((asked) => expect(verifies(asked, SECOND)).toBe(false)),
    ),
    must(
      "Signature scheme",
      "the body that is signed is the body that is sent, byte for byte",
      one((asked) => expect(verifies({ ...asked, text: `${asked.text} ` }, FIRST)).toBe(false)),
    ),
    must(
      "Signature scheme",
      "a secret has 24 to 64 bytes: shorter ones are refused",
      signed(({ update }) => update({ signing_secret: secret(1, 23) }, 400)),
    ),
    must(
      "Signature scheme",
      "a secret has 24 to 64 bytes: longer ones are refused",
      signed(({ update }) => update({ signing_secret: secret(1, 65) }, 400)),
    ),
    should(
      "Signature scheme",
      "a secret is base64 with the prefix whsec_",
      signed(({ update }) => update({ signing_secret: "whsec_!" }, 400)),
    ),
    should(
      "Key rotation",
      "while a secret is replaced, a message has a signature of each, separated by spaces",
      signed(async ({ update, call }) => {
        await update({ signing_secret: SECOND });
        const asked = await call();
        expect([signatures(asked).length, verifies(asked, FIRST), verifies(asked, SECOND)]).toEqual([
          2,
          true,
          true,
        ]);
      }),
    ),
    should(
      "Key rotation",
      "the signature of the new secret is the first",
      signed(async ({ update, call }) => {
        await update({ signing_secret: SECOND });
        const asked = await call();
        const [first = ""] = signatures(asked);
        expect(
          verifies({ ...asked, headers: { ...asked.headers, "webhook-signature": first } }, SECOND),
        ).toBe(true);
      }),
    ),
    should(
      "Key rotation",
      "a second replacement keeps the one before only",
      signed(async ({ update, call }) => {
        await update({ signing_secret: SECOND });
        await update({ signing_secret: secret(3) });
        const asked = await call();
        expect([verifies(asked, FIRST), verifies(asked, SECOND), verifies(asked, secret(3))]).toEqual([
          false,
          true,
          true,
        ]);
      }),
    ),
    should(
      "Key rotation",
      "another change of the plugin does not end a rotation",
      signed(async ({ update, call }) => {
        await update({ signing_secret: SECOND });
        await update({ health_check_path: "/health" });
        expect(signatures(await call())).toHaveLength(2);
      }),
    ),
    should(
      "Key rotation",
      "setting the same secret again does not rotate it",
      signed(async ({ update, call }) => {
        await update({ signing_secret: FIRST });
        expect(signatures(await call())).toHaveLength(1);
      }),
    ),
    must(
      "Key rotation",
      "after a day, the former secret signs no more",
      signed(async ({ update, call, move }) => {
        await update({ signing_secret: SECOND });
        await move(25 * 3_600_000);
        const asked = await call();
        expect(signatures(asked)).toHaveLength(1);
      }),
    ),
    mustNot(
      "Key rotation",
      "a former secret signs for endpoints at another origin",
      signed(async ({ update, call, other }) => {
        const pre = { url: `${other.url}/pre` };
        await update({ endpoints: { pre }, signing_secret: SECOND });
        await call();
        expect(signatures(other.asked.at(-1) as Asked)).toHaveLength(1);
      }),
    ),
    mustNot(
      "Key rotation",
      "a former secret is shown",
      signed(async ({ update, shown }) => {
        await update({ signing_secret: SECOND });
        expect(await shown()).not.toMatch(/AQEB|former/);
      }),
    ),
    must(
      "Delivery",
      "without a secret there are no signature headers",
      signed(
        async ({ call }) =>
          expect(Object.keys((await call()).headers).filter((name) => name.startsWith("webhook-"))).toEqual(
            [],
          ),
        {},
      ),
    ),
    should(
      "Delivery",
      "attempts of one message have the same id",
      signed(
        async ({ asked, call, fail }) => {
          fail(1);
          await call();
          expect(asked.map(({ headers }) => headers["webhook-id"])).toEqual([
            asked[0]?.headers["webhook-id"],
            asked[0]?.headers["webhook-id"],
          ]);
        },
        { signing_secret: FIRST },
        { retry: { enabled: true, max_attempts: 2, base_delay_ms: 1 } },
      ),
    ),
    should(
      "Payload",
      "a message is JSON",
      one(({ headers, text }) => {
        expect(headers["content-type"]).toBe("application/json");
        expect(() => JSON.parse(text)).not.toThrow();
      }),
    ),
  ],
};
