// Workers over HTTP: a base address with three routes (health, tools, invoke), authenticated by a shared secret.
import { isObject, parsePlainJson } from "../../base";
import { type LoadedWorker, WorkerFailure, type WorkerKind } from "../tool";
import { baseAddress, HEALTH, TOOLS } from "./address";
import { ask, type Asking } from "./asking";
import { catalogFrom, MOST_BYTES } from "./catalog";
import { BASE, invoking } from "./invoke";

const MOST_HEALTH_BYTES = 65_536;

export function httpKind(asking: Asking): WorkerKind {
  return {
    read: async (worker, options) => {
      const question = { route: TOOLS, isSigned: true, maxBytes: MOST_BYTES };
      return catalogFrom(worker, await ask(asking, worker, question, options));
    },
    probe: async (worker, options) => {
      const question = { route: HEALTH, isSigned: false, maxBytes: MOST_HEALTH_BYTES };
      return { server: healthFrom(worker, await ask(asking, worker, question, options)) };
    },
    bases: (worker) => ({
      [BASE]: { url: baseAddress(worker.uri), credential: "none", receivesToken: worker.sendTokens },
    }),
    run: invoking,
  };
}

function healthFrom({ id }: LoadedWorker, text: string): { name: string; description?: string } {
  const { status, tool_count: count } = objectIn(text);
  if (typeof status !== "string")
    throw new WorkerFailure(
      "protocol",
      `The server at the address of ${id} is not a worker. Check the address.`,
    );
  if (status.toLowerCase() !== "ok")
    throw new WorkerFailure("refused", `The worker ${id} says that it is not healthy.`);
  // A number as text.
  const tools = /^\d{1,9}$/.test(String(count)) ? `${String(count)} tools` : undefined;
  return { name: "HTTP worker", ...(tools === undefined ? {} : { description: tools }) };
}

function objectIn(text: string): { [key: string]: unknown } {
  try {
    const value = parsePlainJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
