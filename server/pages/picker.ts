// The page on which a person picks files for the application.
import type { PickerOutcome } from "../../src/authorization";
import type { Runtime } from "../../src/runtime";
import { requestUrl } from "../request-url";
import { readCookie } from "./cookie";
import { escape, htmlPage, policyOf } from "./html";
import { PICKER_SCRIPT } from "./picker-script";
import { redirect } from "./redirect";

type ScriptsPage = Extract<PickerOutcome, { kind: "scripts" }>;

const GO_BACK = "Go back to the application and run the tool again.";

/** GET /google/drive_picker?config=… */
export async function openPicker(runtime: Runtime, request: Request): Promise<Response> {
  const publicUrl = runtime.core.publicUrl();
  const configs = requestUrl(request).searchParams.getAll("config");
  return pickerAnswer(await runtime.picker.open(configs, readCookie(request, publicUrl)), publicUrl);
}

/** GET /google/drive_picker.js */
export function pickerScript(): Response {
  return new Response(PICKER_SCRIPT, {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-cache",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    },
  });
}

/** What the browser gets to see of a step of picking. */
export function pickerAnswer(outcome: PickerOutcome, publicUrl: string): Response {
  switch (outcome.kind) {
    case "redirect":
      return redirect(outcome.location, outcome.cookie, publicUrl);
    case "scripts":
      return scriptsPage(outcome);
    case "picked": {
      const files = outcome.files === 1 ? "1 file was" : `${outcome.files} files were`;
      return htmlPage(200, "Done", `<p>${files} picked. ${GO_BACK}</p>`);
    }
    case "not_picked":
      return htmlPage(
        200,
        "Nothing was picked",
        `<p>${escape(outcome.reason)}</p><p>To pick files after all, open the link of the application again.</p>`,
      );
    case "refused":
      return htmlPage(outcome.status, "This did not work", `<p>${escape(outcome.reason)}</p>`);
  }
}

function scriptsPage(page: ScriptsPage): Response {
  const data = Object.entries({
    "client-id": page.clientId,
    "app-id": page.appId,
    scope: page.scope,
    "mime-type": page.mimeType,
  }).map(([name, value]) => `data-${name}="${escape(value)}"`);
  const body =
    "<p>Choose the spreadsheets that the application may use. Nothing else of yours becomes open to it.</p>" +
    "<p>Sign in with the account that you have connected to the application.</p>" +
    `<button class="main" id="pick" disabled>Pick spreadsheets</button>` +
    `<p id="message" role="status"></p><noscript><p>This page needs JavaScript.</p></noscript>` +
    [page.picker, page.identity].map(({ url }) => `<script defer src="${escape(url)}"></script>`).join("") +
    // Relative: stays below the prefix that a proxy in front may want.
    `<script defer src="drive_picker.js" ${data.join(" ")}></script>`;
  return htmlPage(200, "Pick spreadsheets", body, {
    "content-security-policy": policyFor(page),
    // A stricter value would cut the window in which the person signs in off from this page.
    "cross-origin-opener-policy": "same-origin-allow-popups",
    // The platform wants to know which site embeds it; the query stays here.
    "referrer-policy": "strict-origin",
  });
}

function policyFor({ picker, identity }: ScriptsPage): string {
  const union = (kind: "scripts" | "frames" | "connects"): string[] => [
    ...new Set([...picker[kind], ...identity[kind]]),
  ];
  return policyOf({
    "script-src": ["'self'", ...union("scripts")],
    "frame-src": union("frames"),
    "connect-src": union("connects"),
    // The picker styles its frame from script.
    "style-src": ["'unsafe-inline'"],
    "form-action": ["'none'"],
  });
}
