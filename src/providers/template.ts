// Placeholders of request templates: `{{client_id}}` and the like.
export const PLACEHOLDERS = [
  "client_id",
  "client_secret",
  "redirect_uri",
  "scopes",
  "existing_scopes",
  "refresh_token",
  "access_token",
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];
export type PlaceholderValues = { readonly [K in Placeholder]?: string };

const FORM = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Whether a template holds a placeholder that does not exist. */
export function hasUnknownPlaceholder(template: string): boolean {
  return [...template.matchAll(FORM)].some((match) => !PLACEHOLDERS.some((known) => known === match[1]));
}

/** Fills a template in. A placeholder without a value becomes empty text. */
export function fill(template: string, values: PlaceholderValues): string {
  return template.replaceAll(FORM, (_whole, name: string) => {
    const placeholder = PLACEHOLDERS.find((known) => known === name);
    return (placeholder === undefined ? undefined : values[placeholder]) ?? "";
  });
}

/** Fills an address in: in its query values are encoded, so that they arrive as they are. */
export function fillAddress(template: string, values: PlaceholderValues): string {
  const at = template.indexOf("?");
  if (at < 0) return fill(template, values);
  const encoded = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)]),
  );
  return fill(template.slice(0, at), values) + fill(template.slice(at), encoded);
}

/** Whether a template mentions a placeholder. */
export function mentions(template: string, placeholder: Placeholder): boolean {
  return [...template.matchAll(FORM)].some((match) => match[1] === placeholder);
}
