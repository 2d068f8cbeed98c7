// Manifests that change, create and delete records of every kind in each round.
import type { Manifest } from "../../src/manifest";

const COUNT = 8;

/** Every record of the round carries its number: in its description, or in its id if it has none. */
export function manifestOf(round: number): Manifest {
  const description = `round ${round}`;
  const each = Array.from({ length: COUNT }, (_, index) => index);
  return {
    session_verification: { verifier_url: `https://verifier.test/${round}` },
    secrets: each.map((index) => ({ key: `KEY_${index}`, value: description, description })),
    providers: each.map((index) => ({ id: `idp-${index}`, description, oauth2: oauth2(description) })),
    gateways: each.map((index) => ({
      name: `G ${index}`,
      slug: `g-${round}-${index}`,
      auth_type: "arcade_header" as const,
      description,
    })),
    plugins: each.map((index) => ({
      name: `p-${index}`,
      plugin_type: "webhook" as const,
      description,
      webhook_config: { endpoints: { pre: { url: `https://p.test/${round}` } } },
    })),
    hooks: each.map((index) => ({
      plugin: `p-${index}`,
      name: `h-${round}-${index}`,
      hook_point: "tool.pre" as const,
      failure_mode: "fail_open" as const,
      priority: index,
    })),
    models: each.map((index) => ({ id: `m-${round}-${index}`, models: [description], openai: {} })),
  };
}

function oauth2(client_id: string) {
  return {
    client_id,
    authorize_request: { endpoint: "https://idp.test/a" },
    token_request: { endpoint: "https://idp.test/t" },
  };
}

/** The rounds whose records an exported configuration contains. */
export function roundsIn(exported: object): string[] {
  const found = JSON.stringify(exported).matchAll(/round (\d+)|[ghm]-(\d+)-\d|\.test\/(\d+)/g);
  return [...new Set([...found].map(([, text, id, address]) => text ?? id ?? address ?? ""))];
}
