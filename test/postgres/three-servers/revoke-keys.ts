// Revokes keys that every server has just used, and counts what the next request gets.
import { api, at } from "../../support/api";
import type { ThreeServers } from "./servers";

export interface Revoked {
  readonly tries: number;
  /** Requests before the deletion that were answered. */
  readonly answered: number;
  /** Requests after the deletion that were refused. */
  readonly refused: number;
  readonly others: readonly number[];
  /** Lines of the log about errors. */
  readonly errors: readonly string[];
}

/**
 * The keys are made and deleted at each server in turn. The servers must not limit bad credentials. `admin`: an
 * administrator's key.
 */
export async function revokeKeys(three: ThreeServers, admin: string, tries: number): Promise<Revoked> {
  const [answered, refused, others]: [number[], number[], number[]] = [[], [], []];
  for (let index = 0; index < tries; index++) {
    const keys = api(three.at(index).address, admin);
    const { body } = await keys.post("/v1/admin/keys", { name: `short-lived ${index}`, role: "run" });
    const ask = async (wanted: number, counted: number[]): Promise<void> => {
      const clients = three.all.map(({ address }) => api(address, String(at(body, "key"))));
      const answers = await Promise.all(clients.map((client) => client.get("/v1/tools?limit=1")));
      for (const { status } of answers) (status === wanted ? counted : others).push(status);
    };
    await ask(200, answered);
    const deleted = await keys.delete(`/v1/admin/keys/${String(at(body, "id"))}`);
    if (deleted.status !== 204) others.push(deleted.status);
    await ask(401, refused);
  }
  const errors = three.logLines.filter((line) => line.includes('"level":"error"'));
  return { tries, answered: answered.length, refused: refused.length, others, errors };
}
