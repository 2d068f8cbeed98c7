// The well-known auth providers. A new one is a file in this folder and a line in `list.ts`; it works without tools.
import type { ProviderPreset } from "../../src/providers";
import * as list from "./list";

export const presets: readonly ProviderPreset[] = Object.values(list);
