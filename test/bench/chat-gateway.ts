// The npm gateway for language models with which chat completions are compared, using the same model server.
import { join } from "node:path";
import type { Context } from "./bench";
import { SERVER_CORE } from "./children";
import type { Side } from "./compare";
import type { HttpRequest } from "./load/job";
import { node, peer } from "./peers";
import { freePort } from "./server-under-test";

const START_MS = 30_000;
const POLL_MS = 100;

/** Starts it without its pages. `model`: address of the model server. */
export async function startPortkey(
  { children, folder }: Context,
  model: string,
  request: HttpRequest,
): Promise<Side & { stop(): Promise<void> }> {
  const port = freePort();
  const script = peer("@portkey-ai/gateway", "build", "start-server.js");
  const child = children.spawn([node(), script, "--headless", `--port=${port}`], {
    core: SERVER_CORE,
    environment: { HOME: folder, NODE_ENV: "production", TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost" },
    errorFile: join(folder, "portkey.log"),
  });
  const headers = { "x-portkey-provider": "openai", "x-portkey-custom-host": `${model}/v1` };
  const until = performance.now() + START_MS;
  while (!(await answers(port, headers, request.body))) {
    if (child.exitCode() !== null || performance.now() > until) throw new Error("the gateway did not start");
    await Bun.sleep(POLL_MS);
  }
  const requests = [{ ...request, key: "key-of-the-model", headers }];
  return { port, pid: child.pid, requests, stop: () => child.stop() };
}

async function answers(port: number, headers: Record<string, string>, body: unknown): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, authorization: "Bearer key-of-the-model", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await answer.text()).includes("chatcmpl-bench");
  } catch {
    return false;
  }
}
