// The picker's addresses for browsers: two scripts, the sign-in window, the picker frame.
import type { Library } from "../drive/library";
import type { ConsentSettings } from "../oauth/consent";
import type { TokenStore } from "../oauth/tokens";
import { answerPicker, type Browsers } from "./frame";
import { API_SCRIPT, IDENTITY_SCRIPT } from "./scripts";
import { answerSelect } from "./select";

export const PICKER_PATHS = {
  api: "/js/api.js",
  identity: "/gsi/client",
  select: "/gsi/select",
  picker: "/picker",
} as const;

export interface PickerParts {
  readonly library: Library;
  readonly tokens: TokenStore;
  readonly consent: () => ConsentSettings;
  readonly browsers: Browsers;
}

/** Undefined for other addresses. */
export function answerBrowser(
  { library, tokens, consent, browsers }: PickerParts,
  request: Request,
  pathname: string,
): Response | Promise<Response> | undefined {
  if (pathname === PICKER_PATHS.api) return script(API_SCRIPT);
  if (pathname === PICKER_PATHS.identity) return script(IDENTITY_SCRIPT);
  if (pathname === PICKER_PATHS.select) return answerSelect(request, consent(), tokens);
  if (pathname === PICKER_PATHS.picker) return answerPicker(request, library, tokens, browsers);
  return undefined;
}

function script(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/javascript; charset=utf-8" } });
}
