// Checks of an installation, with a fix for each problem.
export { backupFindings } from "./backups";
export { checkFiles, restsFinding } from "./files";
export { leftoverKeysFinding, rootKeyIdFinding } from "./root-key";
export { type Finding, ok, problem, refused, warning } from "./finding";
export { checkIssuer } from "./issuer";
export { checkPostgresServer, type PostgresFindings } from "./postgres";
export { checkAddresses, checkEndpoint, checkMetricsPort, checkPort } from "./network";
export { collectorFindings, headsFileFinding } from "./telling";
export { workFolderFindings } from "./work-folders";
