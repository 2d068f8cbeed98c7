// Checks of an installation, with a fix for each problem.
export { checkFiles, leftoverKeysFinding, restsFinding } from "./files";
export { type Finding, ok, problem, refused, warning } from "./finding";
export { checkAddresses, checkEndpoint, checkPort } from "./network";
