// The well-known auth providers. A new one is a file in this folder and its line here; it may come without tools.
import type { ProviderPreset } from "../../src/providers";
import { googlePreset } from "./google";
import { slackPreset } from "./slack";
import { zohoPreset } from "./zoho";

export const presets: readonly ProviderPreset[] = [slackPreset, zohoPreset, googlePreset];
