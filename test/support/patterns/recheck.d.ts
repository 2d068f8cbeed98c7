// The build that needs neither Java nor a native program. The package has types only for its entry point.
declare module "recheck/lib/browser.js" {
  export { checkSync } from "recheck";
}
