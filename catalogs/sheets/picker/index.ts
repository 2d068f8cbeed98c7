// File picker: the user gives the application access to single files. The platform stores that permission per user and
// project; the stored token then works for the picked files.
import type { CatalogCallback, CatalogPage } from "../../../src/tools";
import { PICKER_PATH, PICKER_STATE_PREFIX } from "../platform";

// Loaded on the first request.
const page = () => import("./page");

export const pickerPages: readonly CatalogPage[] = [
  { method: "GET", path: PICKER_PATH, handle: async (context) => (await page()).openPicker(context) },
  { method: "GET", path: `${PICKER_PATH}.js`, handle: async () => (await page()).pickerScript() },
];

export const pickerCallback: CatalogCallback = {
  statePrefix: PICKER_STATE_PREFIX,
  handle: async (context, externalId) => (await page()).pickerCallback(context, externalId),
};
