// The bundle of `runtime doctor --bundle`: what somebody needs who is to find a problem of an installation, without anything
// that is secret.
export { diagnose, type DiagnosisParts } from "./bundle";
export { type BundlePart, writeBundle } from "./archive";
export { Scrubber } from "./scrub";
export { settingPaths } from "./settings";
