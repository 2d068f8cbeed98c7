// The presets that the runtime ships, one line each.
export { googlePreset } from "./google";
export { slackPreset } from "./slack";
export { zohoChinaPreset, zohoPreset } from "./zoho";
