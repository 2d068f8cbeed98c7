// Metadata of tools with defaults, so that each tool states only its differences.
import type { ToolMetadata } from "./definition";

type Behavior = ToolMetadata["behavior"];

/**
 * Metadata of tools in a service domain. `destructive`: the call removes or replaces what exists, so that it cannot be read
 * any more; adding is not destructive. Defaults: not read-only, not destructive, not idempotent, open
 * world.
 *
 * @example
 * const of = metadataOf("messaging");
 * const READS = of("read", { read_only: true, idempotent: true });
 */
export function metadataOf(domain: string) {
  return (operation: Behavior["operations"][number], behavior: Partial<Behavior> = {}): ToolMetadata => ({
    classification: { service_domains: [domain] },
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
