// The HTML of the consent page, without scripts and external resources.

export interface ConsentPage {
  readonly team: string;
  readonly userScopes: readonly string[];
  readonly botScopes: readonly string[];
  readonly people: readonly string[];
  readonly hidden: readonly (readonly [name: string, value: string])[];
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
  button { font: inherit; padding: .5rem 1rem; margin: .25rem .25rem .25rem 0; cursor: pointer; }
  code { background: #eee; color: #111; padding: .1rem .3rem; }
`;

/** The page on which a person grants or refuses access. */
export function consentPage(page: ConsentPage): Response {
  const hidden = page.hidden.map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  const people = page.people.map(
    (name) => `<button name="user" value="${escape(name)}">Continue as ${escape(name)}</button>`,
  );
  return html(
    200,
    "Allow access",
    `<h1>Runtime asks for access to ${escape(page.team)}</h1>
    <p>This is the chat sandbox: a stand-in for the real platform, with made-up people.</p>
    ${scopes("On your behalf it may use:", page.userScopes)}
    ${scopes("As a bot it may use:", page.botScopes)}
    <form method="post" action="/oauth/v2/authorize">
      ${hidden.join("\n      ")}
      <p>${people.join("\n      ")}</p>
      <p><button name="user" value="cancel">Cancel</button></p>
    </form>`,
  );
}

/** Status 400 and a sentence, without a redirect. */
export function errorPage(message: string): Response {
  return html(400, "Something went wrong", `<h1>Something went wrong</h1>\n    <p>${escape(message)}</p>`);
}

function scopes(intro: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const items = names.map((name) => `<li><code>${escape(name)}</code></li>`);
  return `<p>${intro}</p>\n    <ul>${items.join("")}</ul>`;
}

function html(status: number, title: string, body: string): Response {
  const page = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · Chat sandbox</title>
    <style>${STYLE}</style>
  </head>
  <body>
    ${body}
  </body>
</html>
`;
  return new Response(page, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      // No form-action: browsers apply it to the redirect after the form, which goes to the product.
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
    },
  });
}

function escape(value: string): string {
  return Bun.escapeHTML(value);
}
