// `Deprecation` (RFC 9745) and what to use instead, on answers about a tool that has been replaced.
import type { Runtime } from "../src/runtime";

export function markDeprecated(
  headers: Headers,
  { core, tools }: Runtime,
  { name, version }: { name: string; version?: string | undefined },
): void {
  const deprecation = tools.deprecationOf(name, version);
  if (deprecation === undefined) return;
  headers.set("deprecation", `@${Math.floor(deprecation.since.getTime() / 1000)}`);
  headers.append(
    "link",
    `<${core.publicUrl()}/v1/tools/${deprecation.replacement}>; rel="successor-version"`,
  );
}
