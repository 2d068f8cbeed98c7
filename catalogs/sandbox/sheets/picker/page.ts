// HTML of the windows and frames that the stand-in's scripts open.

/** A page that may be framed. `body` is HTML. */
export function page(status: number, title: string, body: string): Response {
  return new Response(
    `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>${title}</title>
    <style>body { font: 16px/1.5 system-ui, sans-serif; margin: 1.5rem; } label { display: block; }
    button { font: inherit; padding: .4rem .9rem; margin: .5rem .4rem 0 0; }</style>
    <h1>${title}</h1>${body}</html>`,
    { status, headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" } },
  );
}

/** A page that sends the result only to the window that opened or embeds it. */
export function telling(target: "opener" | "parent", origin: string, answer: object): Response {
  const [to, data] = [origin, JSON.stringify(answer)].map((text) => Bun.escapeHTML(text));
  return page(
    200,
    "One moment",
    `<script data-to="${to}" data-answer="${data}">
      const { to, answer } = document.currentScript.dataset;
      ${target}.postMessage(JSON.parse(answer), to);
    </script>`,
  );
}

/** A form that repeats the query as hidden fields. */
export function form(action: string, query: URLSearchParams, body: string): string {
  const hidden = [...query].map(
    ([name, value]) =>
      `<input type="hidden" name="${Bun.escapeHTML(name)}" value="${Bun.escapeHTML(value)}">`,
  );
  return `<form method="post" action="${action}">${hidden.join("")}${body}</form>`;
}

/** Sites that may use the scripts: loopback, and https anywhere. */
export function isSite(origin: string): boolean {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return false;
  return url.protocol === "https:" || ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
}
