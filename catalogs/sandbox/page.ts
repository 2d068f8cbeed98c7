// What the consent pages of all platforms have in common: HTML without scripts and external resources.

export interface SandboxPage {
  status: number;
  title: string;
  /** `Chat`, `Records` or `Spreadsheet`. */
  platform: string;
  /** Of the text, in rem. */
  width?: number;
  /** HTML. */
  content: string;
}

export interface PageReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  // No form-action: browsers apply it to the redirect after the form, which goes to the product.
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

export function sandboxPage({ status, title, platform, width = 34, content }: SandboxPage): PageReply {
  const body = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · ${platform} sandbox</title>
    <style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: ${width}rem; margin: 3rem auto; padding: 0 1rem; }
  button { font: inherit; padding: .5rem 1rem; margin: .25rem .25rem .25rem 0; cursor: pointer; }
  code { background: #eee; color: #111; padding: .1rem .3rem; }
  label { display: block; }
</style>
  </head>
  <body>
    ${content}
  </body>
</html>
`;
  return { status, headers: { ...HEADERS }, body };
}

export function pageResponse(page: SandboxPage): Response {
  const { status, headers, body } = sandboxPage(page);
  return new Response(body, { status, headers });
}

/** The form of a consent: what it asks, who may answer, and a button to refuse. */
export function consentForm(options: {
  action: string;
  hidden: readonly (readonly [name: string, value: string])[];
  people: readonly string[];
  /** HTML before the buttons. */
  content?: string;
}): string {
  const { action, hidden, people, content = "" } = options;
  const fields = hidden.map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  const buttons = people.map(
    (name) => `<button name="user" value="${escape(name)}">Continue as ${escape(name)}</button>`,
  );
  return `<form method="post" action="${action}">
      ${fields.join("\n      ")}
      ${content}
      <p>${buttons.join("\n      ")}</p>
      <p><button name="user" value="cancel">Cancel</button></p>
    </form>`;
}

export function escape(value: string): string {
  return Bun.escapeHTML(value);
}
