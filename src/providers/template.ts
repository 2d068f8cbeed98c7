// Placeholders of request templates, such as `{{client_id}}`.
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

/** Whether a template contains an unknown placeholder. */
export function hasUnknownPlaceholder(template: string): boolean {
  return [...template.matchAll(FORM)].some((match) => !PLACEHOLDERS.some((known) => known === match[1]));
}

/** Fills in a template. A placeholder without a value becomes empty text. */
export function fill(template: string, values: PlaceholderValues): string {
  return template.replaceAll(FORM, (_whole, name: string) => {
    const placeholder = PLACEHOLDERS.find((known) => known === name);
    return (placeholder === undefined ? undefined : values[placeholder]) ?? "";
  });
}

/** Fills in an address. Values in the query are encoded. */
export function fillAddress(template: string, values: PlaceholderValues): string {
  const at = template.indexOf("?");
  if (at < 0) return fill(template, values);
  const encoded = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)]),
  );
  return fill(template.slice(0, at), values) + fill(template.slice(at), encoded);
}

/** Whether a template contains a placeholder. */
export function mentions(template: string, placeholder: Placeholder): boolean {
  return [...template.matchAll(FORM)].some((match) => match[1] === placeholder);
}
