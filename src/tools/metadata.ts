// What a tool does to the world, in one line per tool: what is usual stands here, what is not with the tool.
import type { ToolMetadata } from "./definition";

type Behavior = ToolMetadata["behavior"];

/**
 * Metadata of tools over a service domain, if one fits. What is not said: it writes, destroys nothing, a repeat does it
 * again, and it talks to the world.
 *
 * @example
 * const of = metadataOf("messaging");
 * const READS = of("read", { read_only: true, idempotent: true });
 */
export function metadataOf(domain?: string) {
  return (operation: Behavior["operations"][number], behavior: Partial<Behavior> = {}): ToolMetadata => ({
    ...(domain === undefined ? {} : { classification: { service_domains: [domain] } }),
    behavior: {
      operations: [operation],
      read_only: false,
      destructive: false,
      idempotent: false,
      open_world: true,
      ...behavior,
    },
  });
}
