// Until when a platform accepts no more calls of a method. Platforms count calls per client and account, so all runs of the
// project that use them share what one of them was told, in all processes.
import type { MemoryKind, ToolContext } from "../../src/tools";
import { isJsonObject, numberIn } from "./json";

export const BLOCKS: MemoryKind = { name: "blocks", of: "account" };

type Context = Pick<ToolContext, "cache" | "memory" | "now">;

/** Milliseconds until calls of this name may be sent again; 0 when they may be sent now. */
export async function blockedMs(context: Context, name: string): Promise<number> {
  const own = knownBlockMs(context, name);
  if (own > 0) return own;
  const [block] = await context.memory.read(BLOCKS, name);
  const until = isJsonObject(block?.value) ? numberIn(block.value, "until") : 0;
  return Math.max(0, until - context.now());
}

/** The same, as far as runs of this connection were told. */
export function knownBlockMs({ cache, now }: Context, name: string): number {
  return Math.max(0, (cache.get<number>(keyOf(name)) ?? 0) - now());
}

/** Stores a block. A shorter one never ends a longer one. */
export async function block(context: Context, name: string, ms: number): Promise<void> {
  if (ms <= knownBlockMs(context, name)) return;
  const until = context.now() + ms;
  context.cache.set(keyOf(name), until, ms);
  await context.memory.write(BLOCKS, name, 0, { until }, ms);
}

function keyOf(name: string): string {
  return `blocked:${name}`;
}
