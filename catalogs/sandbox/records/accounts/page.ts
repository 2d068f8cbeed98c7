// The HTML of the consent page, without scripts and external resources.
import type { Reply } from "../server";

export interface ConsentPage {
  readonly scopes: readonly string[];
  readonly people: readonly string[];
  readonly hidden: readonly (readonly [name: string, value: string])[];
}

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
  button { font: inherit; padding: .5rem 1rem; margin: .25rem .25rem .25rem 0; cursor: pointer; }
  code { background: #eee; color: #111; padding: .1rem .3rem; }
`;

/** The page on which a person grants or refuses access. */
export function consentPage({ scopes, people, hidden }: ConsentPage): Reply {
  const fields = hidden.map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  const buttons = people.map(
    (name) => `<button name="user" value="${escape(name)}">Continue as ${escape(name)}</button>`,
  );
  const items = scopes.map((scope) => `<li><code>${escape(scope)}</code></li>`);
  return html(
    200,
    "Allow access",
    `<h1>Runtime asks for access to your records applications</h1>
    <p>This is the records sandbox: a stand-in for the real platform, with made-up people.</p>
    <p>On your behalf it may use:</p>
    <ul>${items.join("")}</ul>
    <form method="post" action="/oauth/v2/auth">
      ${fields.join("\n      ")}
      <p>${buttons.join("\n      ")}</p>
      <p><button name="user" value="cancel">Cancel</button></p>
    </form>`,
  );
}

/** Status 400 and a sentence, without a redirect. */
export function errorPage(message: string): Reply {
  return html(400, "Something went wrong", `<h1>Something went wrong</h1>\n    <p>${escape(message)}</p>`);
}

function html(status: number, title: string, content: string): Reply {
  const body = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · Records sandbox</title>
    <style>${STYLE}</style>
  </head>
  <body>
    ${content}
  </body>
</html>
`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    // No form-action: browsers apply it to the redirect after the form, which goes to the product.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
  };
  return { status, headers, body };
}

function escape(value: string): string {
  return Bun.escapeHTML(value);
}
