// The operations by area, each loaded when it is first asked for: most of what a server takes to start are schemas that
// nobody has asked for yet.
import type { Operation } from "./operation";
import type { Area } from "./routing";

const AREAS: { readonly [A in Area]: () => Promise<readonly Operation[]> } = {
  "auth-providers": async () => (await import("./auth-providers")).authProviderOperations,
  secrets: async () => (await import("./secrets")).secretOperations,
  settings: async () => (await import("./settings")).settingsOperations,
  connections: async () => (await import("./connections")).connectionOperations,
  authorization: async () => (await import("./authorization")).authorizationOperations,
  tools: async () => (await import("./tools")).toolOperations,
  "formatted-tools": async () => (await import("./formatted-tools")).formattedToolOperations,
  hooks: async () => (await import("./hooks")).hookOperations,
  plugins: async () => (await import("./plugins")).pluginOperations,
  gateways: async () => (await import("./gateways")).gatewayOperations,
  llm: async () => (await import("./llm")).llmOperations,
  "scheduled-tools": async () => (await import("./scheduled-tools")).scheduledToolOperations,
  service: async () => (await import("./service")).serviceOperations,
  discovery: async () => (await import("./discovery")).discoveryOperations,
  keys: async () => (await import("./keys")).keyOperations,
  projects: async () => (await import("./projects")).projectOperations,
  manifest: async () => (await import("./manifest")).manifestOperations,
  "model-entries": async () => (await import("./model-entries")).modelEntryOperations,
  trail: async () => (await import("./trail")).trailOperations,
};

export async function loadOperation(area: Area, id: string): Promise<Operation> {
  const operations = await AREAS[area]();
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`${area} has no operation ${id}`);
  return found;
}

export { type AnyCall, type Operation, StatusAnswer } from "./operation";
export { type Area, type Method, type RoutedOperation, ROUTING } from "./routing";
