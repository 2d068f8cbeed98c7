// Behind nginx: forged forwarding headers change nothing, and of two clients only the one with bad credentials is refused.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/base";
import { newApiKey, systemRandom } from "../../src/crypto";
import { testWith } from "../support/require";
import { type Stage, startStage } from "../server/stage";
import { printFigure } from "./figure";

const NGINX = Bun.which("nginx", { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` });
const testNginx = testWith("nginx", NGINX !== null);

// Only tests move it, so that no bucket fills on a slow machine.
const clock = { ...systemClock, monotonic: () => 0 };
const folder = mkdtempSync(join(tmpdir(), "runtime-nginx-"));
let stage: Stage;
let nginx: Bun.Subprocess | undefined;
let port = 0;

/** As most proxies: it adds to `X-Forwarded-For` and passes every other header on. */
function configuration(upstream: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
    daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
    events { worker_connections 256; }
    http {
      access_log off; ${temporary.join(" ")}
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${upstream};
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }
      }
    }`;
}

beforeAll(async () => {
  if (NGINX === null) return;
  stage = await startStage({ environment: { RUNTIME_HTTP_TRUSTED_PROXIES: "127.0.0.1" }, parts: { clock } });
  // A port that is free at the moment.
  const free = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  port = free.port ?? 0;
  await free.stop(true);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "nginx.conf"), configuration(stage.site.url));
  nginx = Bun.spawn([NGINX, "-p", folder, "-c", join(folder, "nginx.conf")], {
    stdout: "ignore",
    stderr: "ignore",
  });
  for (let tries = 0; tries < 500; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/health`).catch(() => undefined);
    if (answer?.status === 200) return;
    await Bun.sleep(20);
  }
  throw new Error("nginx did not start");
});
afterAll(async () => {
  nginx?.kill();
  await nginx?.exited;
  if (NGINX !== null) await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Sent {
  /** The address of the client: on loopback each of them can be used. */
  from: string;
  key?: string;
  headers?: Record<string, string>;
}

/** The status of a request through nginx. */
async function send({ from, key = newApiKey(systemRandom), headers = {} }: Sent): Promise<number> {
  const answered = Promise.withResolvers<number>();
  const sent = request({
    host: "127.0.0.1",
    port,
    path: "/v1/tools?limit=1",
    localAddress: from,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  sent.on("response", (response) => {
    response.resume();
    answered.resolve(response.statusCode ?? 0);
  });
  sent.on("error", answered.reject);
  sent.end();
  return answered.promise;
}

async function sendMany(count: number, each: (index: number) => Sent): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push(await send(each(index)));
  return statuses;
}

testNginx("of two clients only the one with bad credentials gets 429", async () => {
  const [bad, good] = ["127.0.0.11", "127.0.0.12"];
  const statuses = await sendMany(60, () => ({ from: bad }));
  expect(statuses).toEqual([...Array<number>(50).fill(401), ...Array<number>(10).fill(429)]);
  expect(await send({ from: good })).toBe(401);
  expect(await send({ from: good, key: stage.keys.run })).toBe(200);
  expect(await send({ from: bad, key: stage.keys.run })).toBe(200);
  printFigure("behind nginx", "10 of 60 bad credentials refused, none of the other client's requests");
});

testNginx("forged forwarding headers change nothing", async () => {
  const forged: ((index: number) => Record<string, string>)[] = [
    (index) => ({ "x-forwarded-for": `198.51.100.${index}` }),
    (index) => ({ "x-forwarded-for": `198.51.100.${index}, 127.0.0.1` }),
    (index) => ({ forwarded: `for=198.51.100.${index}` }),
    (index) => ({ "x-real-ip": `198.51.100.${index}`, "cf-connecting-ip": `198.51.100.${index}` }),
  ];
  for (const [kind, headersOf] of forged.entries()) {
    const from = `127.0.0.${21 + kind}`;
    const statuses = await sendMany(60, (index) => ({ from, headers: headersOf(index) }));
    expect({ kind, refused: statuses.filter((status) => status === 429).length }).toEqual({
      kind,
      refused: 10,
    });
  }
  // Nor do they make another client suffer.
  const victim = "127.0.0.31";
  await sendMany(60, () => ({ from: "127.0.0.32", headers: { "x-forwarded-for": victim } }));
  expect(await send({ from: victim })).toBe(401);
});
