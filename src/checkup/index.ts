// What can be wrong with an installation, and what to do about it.
export { checkFiles } from "./files";
export { type Finding, ok, problem, refused, warning } from "./finding";
export { checkAddresses, checkEndpoint, checkPort } from "./network";
