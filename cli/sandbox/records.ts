// The records of the sandbox's project: keys, auth providers, secrets, a model, workers and a gateway.
import type { Sandbox } from "../../catalogs/sandbox";
import { KEY_AND_USER } from "../../src/gateways/compat";
import type { Session } from "../session";

export const GATEWAY = "sandbox";

/** Creates all of them. Returns the keys. */
export async function createRecords(
  { runtime, principal }: Session,
  sandbox: Sandbox,
): Promise<{ admin: string; run: string }> {
  const { providers, secrets, models, workers, gateways, identity } = runtime;
  for (const provider of sandbox.providers) await providers.create(principal, provider);
  for (const [key, value] of Object.entries(sandbox.secrets)) await secrets.upsert(principal, key, { value });
  const { model, inventory, notesUrl } = sandbox;
  await models.create(principal, { id: "sandbox", models: [model.name], openai: { base_url: model.url } });
  const patience = { timeout: 10, retry: 0 };
  await workers.create(principal, {
    id: "inventory",
    http: { uri: inventory.url, secret: inventory.secret, ...patience },
    updates: "auto",
  });
  await workers.create(principal, {
    id: "notes",
    mcp: { uri: notesUrl, ...patience },
    trust_annotations: true,
    updates: "auto",
  });
  await gateways.create(principal, { name: "Sandbox", slug: GATEWAY, auth_type: KEY_AND_USER });
  const admin = await identity.createKey(principal, { name: "sandbox admin", role: "admin" });
  const run = await identity.createKey(principal, { name: "sandbox agent", role: "run" });
  return { admin: admin.key ?? "", run: run.key ?? "" };
}
