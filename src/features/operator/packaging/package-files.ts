/** Files of a package: content by path. */
export type PackageFiles = ReadonlyMap<string, string>
