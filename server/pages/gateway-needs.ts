// The tools of a gateway for a person, and the consents that they need.
import type { Gateway } from "../../src/gateways";
import { ownerOf, type Person } from "../../src/person-overview";
import type { Runtime } from "../../src/runtime";

/** What the tools of the gateway need at one provider. */
export interface GatewayNeed {
  /** The id of the provider record; the name that the tools declare if there is none. */
  key: string;
  name: string;
  scopeWords: Readonly<Record<string, string>>;
  met: boolean;
  /** Whether an administrator has set the provider up. */
  isConfigured: boolean;
  takesKey: boolean;
  missing: readonly string[];
}

export interface GatewayNeeds {
  tools: number;
  toolkits: number;
  needs: GatewayNeed[];
}

/** After access hooks: only tools that the person may see count. */
export async function needsAt(runtime: Runtime, gateway: Gateway, person: Person): Promise<GatewayNeeds> {
  const { mcp, tools: service, providers } = runtime;
  const tools = await mcp.toolsFor(gateway, person.userId);
  const { authorization } = await service.needsOf(ownerOf(person), person.userId, tools);
  const needs = Object.entries(authorization.items).map(async ([key, item]): Promise<GatewayNeed> => {
    const provider = await providers.find(gateway.projectId, key);
    return {
      key,
      name: provider?.name ?? item.provider_id,
      scopeWords: provider?.scopeWords ?? {},
      met: item.met,
      isConfigured: item.status === "active",
      takesKey: item.provider_type === "api_key",
      missing: item.oauth2.scopes,
    };
  });
  return {
    tools: tools.length,
    toolkits: new Set(tools.map(({ catalog }) => catalog.toolkit.name)).size,
    needs: await Promise.all(needs),
  };
}
