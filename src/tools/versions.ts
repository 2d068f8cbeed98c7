// Versions of toolkits, by semantic order (semver.org, section 11): 1.10.0 is newer than 1.9.0, a release newer than its
// pre-releases.
const SEMANTIC = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** For sorting, newest first. What is no semantic version is older than all that are, and compared by its digits. */
export function newestFirst(left: string, right: string): number {
  const [leftFits, rightFits] = [SEMANTIC.test(left), SEMANTIC.test(right)];
  if (leftFits !== rightFits) return leftFits ? -1 : 1;
  // Build metadata counts for nothing in that order: then the text decides, so that the order is always the same.
  const order = leftFits ? Bun.semver.order(right, left) : 0;
  return order !== 0 ? order : right.localeCompare(left, "en", { numeric: true });
}
