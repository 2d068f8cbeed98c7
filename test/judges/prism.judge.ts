// Prism between clients and the server, with its errors on: it checks each request and each answer against the description.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Arcade from "@arcadeai/arcadejs";
import OpenAI from "openai";
import { join } from "node:path";
import { documentOf } from "../../server/openapi/document";
import { contractOperations } from "../../server/operations";
import { badInputs } from "../generated/inputs";
import { toCall, validRequest } from "../generated/requests";
import { standing, sweep } from "../generated/sweep";
import { MODEL, startWorld, USER, type World } from "../generated/world";
import { may } from "../generated/credentials";
import { type ApiCall, at } from "../support/api";
import { describedOperations, successOf } from "../support/described";
import { temporaryFolder } from "../support/temporary";
import { FOLDER, judge } from "./packages";

/** At most so many wrong requests of one operation: each passes through Prism and then goes to the server alone. */
const MOST_WRONG = 12;

let world: World;
let prism: Prism;
let stay: ReadonlySet<string>;
beforeAll(async () => {
  judge();
  world = await startWorld();
  stay = await standing(world);
  prism = await startPrism(world.site.url);
}, 300_000);
afterAll(async () => {
  await prism[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

interface Answer {
  status: number;
  body: unknown;
}

async function send(address: string, { method, path, key, body }: ApiCall): Promise<Answer> {
  const response = await fetch(address + path, {
    method,
    redirect: "manual",
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, body: isJson && text !== "" ? JSON.parse(text) : text };
}

/** What Prism itself complains about; undefined: nothing. */
function complaint({ body }: Answer): string | undefined {
  const type = String(at(body, "type") ?? "");
  return type.includes("prism") ? JSON.stringify(body) : undefined;
}

describe.each(describedOperations.map((one) => [one.id, one] as const))("%s", (_id, operation) => {
  afterAll(() => sweep(world, stay));

  test("has valid requests and answers, with each credential that may call it", async () => {
    const credentials = (
      ["a read key", "a run key", "a user token", "a verify key", "an admin key"] as const
    ).filter((credential) => may(operation, credential));
    for (const credential of credentials) {
      const request = toCall(await validRequest(world, world.own, operation), world.credentials[credential]);
      const answer = await send(prism.address, request);
      expect([credential, answer.status, complaint(answer)]).toEqual([
        credential,
        successOf(operation),
        undefined,
      ]);
    }
  }, 60_000);

  test("refuses what its description refuses, with answers of the description", async () => {
    const valid = await validRequest(world, world.own, operation);
    const wrong = badInputs(valid).map(({ name, request }) => ({
      name,
      call: toCall(request, world.own.admin),
    }));
    const every = Math.max(1, Math.ceil(wrong.length / MOST_WRONG));
    const faults: string[] = [];
    for (const { name, call } of wrong.filter((_, index) => index % every === 0)) {
      const judged = await send(prism.address, call);
      const said = complaint(judged);
      if (said === undefined) continue;
      // Prism refuses an invalid request before the server does; an invalid answer is a fault in any case.
      const own = await send(world.site.url, call);
      if (judged.status !== 422 || own.status < 400)
        faults.push(`${name}: ${said}; the server: ${own.status}`);
    }
    expect(faults).toEqual([]);
  }, 120_000);
});

describe("clients behind Prism", () => {
  test("the public client lists, checks and runs tools", async () => {
    const client = new Arcade({ baseURL: prism.address, apiKey: world.own.admin, maxRetries: 0 });
    const tools = await client.tools.list({ limit: 5 });
    const formatted = await client.tools.formatted.list({ format: "openai", limit: 5 });
    const authorized = await client.tools.authorize({ tool_name: "Chat.WhoAmI", user_id: USER });
    const ran = await client.tools.execute({ tool_name: "Chat.WhoAmI", user_id: USER });
    const scheduled = await client.tools.scheduled.list();
    const health = await client.health.check();

    expect([tools.items.length, formatted.items.length, authorized.status]).toEqual([5, 5, "completed"]);
    expect([ran.success, scheduled.items.length >= 0, health.healthy]).toEqual([true, true, true]);
  });

  test("the openai client completes with parts, functions and a schema", async () => {
    const client = new OpenAI({ baseURL: `${prism.address}/v1`, apiKey: world.own.admin, maxRetries: 0 });
    const answer = await client.chat.completions.create({
      model: MODEL,
      messages: [
        { role: "developer", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Hello" },
            { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
          ],
        },
      ],
      reasoning_effort: "low",
      response_format: {
        type: "json_schema",
        json_schema: { name: "a", strict: true, schema: { type: "object" } },
      },
      tools: [
        {
          type: "function",
          function: { name: "f", parameters: { type: "object", properties: {} }, strict: true },
        },
      ],
    });
    const models = await client.models.list();

    expect(answer.choices[0]?.message.role).toBe("assistant");
    expect(models.data.map(({ id }) => id)).toContain(MODEL);
  });
});

interface Prism extends AsyncDisposable {
  address: string;
}

async function startPrism(upstream: string): Promise<Prism> {
  const file = join(temporaryFolder(), "openapi.json");
  await Bun.write(file, JSON.stringify(documentOf(contractOperations, upstream)));
  const port = freePort();
  const program = judge("@stoplight", "prism-cli", "dist", "index.js");
  const child = Bun.spawn(
    ["node", program, "proxy", file, upstream, "--errors", "--host", "127.0.0.1", "--port", String(port)],
    {
      cwd: FOLDER,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
      // The document does not change. Watching it by the system's events fails where there are few of them.
      env: { PATH: process.env["PATH"] ?? "", CHOKIDAR_USEPOLLING: "true" },
    },
  );
  const reader = child.stdout.getReader();
  let printed = "";
  while (!printed.includes("Prism is listening")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`Prism ended: ${printed}`);
    printed += new TextDecoder().decode(value);
  }
  // Keeps reading, so that it never blocks on a full pipe.
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    address: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child.exited;
    },
  };
}

function freePort(): number {
  using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  return taken.port;
}
