/** Whether `path` is `folder` or lies below it. Both are real paths. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}
