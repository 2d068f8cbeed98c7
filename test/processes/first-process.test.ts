// The server as the first process of a container.
import { expect, onTestFinished } from "bun:test";
import { readFileSync } from "node:fs";
import { Installation } from "../support/runtime-process";
import { testIfAllowed } from "../support/require";

const ALONE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
const isAllowed = Bun.spawnSync([...ALONE, "true"]).success;
const SOURCES = [process.execPath, `${import.meta.dir}/../../cli/main.ts`];

testIfAllowed("a namespace of processes", isAllowed)(
  "collects processes that others left behind, and stops at SIGTERM",
  async () => {
    const installation = new Installation(undefined, [...ALONE, ...SOURCES]);
    onTestFinished(() => installation[Symbol.asyncDispose]());
    const { address, pid: outer } = await installation.serve();
    const [first = 0] = childrenOf(outer);
    expect((await fetch(`${address}/v1/health`)).status).toBe(200);

    const inside = ["nsenter", "--target", String(first), "--pid", "--mount"];
    Bun.spawnSync([...inside, "sh", "-c", "(sleep 0.1 & exec sleep 0.01) & exit 0"]);

    while (childrenOf(first).length === 0) await Bun.sleep(10);
    while (childrenOf(first).length > 0) await Bun.sleep(50);
    process.kill(first, "SIGTERM");
    while (stateOf(outer) !== undefined && stateOf(outer) !== "Z") await Bun.sleep(20);
    expect((await installation.run(["status", "-o", "json"])).stdout).toContain('"healthy": true');
  },
  30_000,
);

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
}

function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.[0];
  } catch {
    return undefined;
  }
}
