// What `runtime doctor` says about the workers of a project.
import { MAX_LIMIT } from "./base";
import { type Finding, ok, warning } from "./checkup";
import type { Principal } from "./identity";
import type { Runtime } from "./runtime";
import type { Worker } from "./workers";

/** Workers that are asked at the same time. */
const AT_ONCE = 10;

/** Whether each enabled worker answers, and whether changes of its catalog wait for an acceptance. */
export async function checkWorkers({ workers }: Runtime, principal: Principal): Promise<Finding[]> {
  const wanted: Worker[] = [];
  for (let offset = 0; ; offset += MAX_LIMIT) {
    const { items } = await workers.list(principal, { limit: MAX_LIMIT, offset });
    wanted.push(...items.filter(({ enabled }) => enabled));
    if (items.length < MAX_LIMIT) break;
  }
  const found = new Map<string, Finding[]>();
  const queue = [...wanted];
  const ask = async (): Promise<void> => {
    for (let worker = queue.shift(); worker !== undefined; worker = queue.shift()) {
      const health = await workers.catalogs.health(principal, worker.id);
      found.set(worker.id, [answering(worker, health), ...uncaged(worker), ...waiting(worker)]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return wanted.flatMap(({ id }) => found.get(id) ?? []);
}

function answering(
  { id }: Worker,
  { healthy, message = "" }: { healthy?: boolean; message?: string },
): Finding {
  if (healthy === true) return ok(`worker ${id}`, message);
  return warning(
    `worker ${id}`,
    `${message} Calls of its tools fail.`,
    `Start or correct it, then read its catalog: runtime workers refresh ${id}`,
  );
}

/** A program that can do what this server can. */
function uncaged({ id, mcp }: Worker): Finding[] {
  if (mcp?.stdio?.sandbox !== "none") return [];
  return [
    warning(
      `program of ${id}`,
      "It runs without a cage (sandbox: none): it can read and change what the user of this server can.",
      `If this kernel has a cage: runtime workers update ${id} --sandbox cage`,
    ),
  ];
}

function waiting({ id, catalog }: Worker): Finding[] {
  const { new: added, changed, missing } = catalog;
  if (added + changed + missing === 0) return [];
  return [
    warning(
      `catalog of ${id}`,
      `It has changed: ${added} new, ${changed} changed and ${missing} missing tools are not accepted.`,
      `Look at them and accept them: runtime workers diff ${id}, runtime workers accept ${id}`,
    ),
  ];
}
