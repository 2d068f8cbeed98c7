// What there is, whoever asks.
import type { Catalog } from "./definition";
import type { Tool } from "./registry";

/** A toolkit and its tools, sorted by name. */
export interface CatalogSummary {
  toolkit: Catalog["toolkit"];
  tools: { name: string; description: string; replacement: string | undefined }[];
}

export function summaryOf(tools: readonly Tool[]): CatalogSummary[] {
  const toolkits = new Set(tools.map(({ catalog }) => catalog.toolkit));
  return [...toolkits].map((toolkit) => ({
    toolkit,
    tools: tools
      .filter(({ catalog }) => catalog.toolkit === toolkit)
      .map(({ qualifiedName: name, definition: { description, replacement } }) => ({
        name,
        description,
        replacement,
      })),
  }));
}

/** All scopes that the tools of a well-known provider need, sorted. */
export function scopesFor(providerId: string, tools: readonly Tool[]): string[] {
  const needs = tools.map(({ definition }) => definition.authorization);
  const scopes = needs.flatMap((need) => (need?.provider === providerId ? need.scopes : []));
  return [...new Set(scopes)].toSorted();
}
