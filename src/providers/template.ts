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

// The name is trimmed after matching: a pattern that also skips the spaces takes cubic time on `{{` and many spaces.
const FORM = /\{\{([^{}]*)\}\}/g;

/** Whether a template contains an unknown placeholder. */
export function hasUnknownPlaceholder(template: string): boolean {
  return namesIn(template).some((name) => !PLACEHOLDERS.some((known) => known === name));
}

/** Fills in a template. A placeholder without a value becomes empty text. */
export function fill(template: string, values: PlaceholderValues): string {
  return template.replaceAll(FORM, (_whole, name: string) => {
    const placeholder = PLACEHOLDERS.find((known) => known === name.trim());
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
  return namesIn(template).includes(placeholder);
}

function namesIn(template: string): string[] {
  return Array.from(template.matchAll(FORM), ([, name = ""]) => name.trim());
}
