/** Body of `/version`. */
export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

/** `release` is that of steadyvm; the rest is the supported Kubernetes version. */
export function versionInfo(
  release: string,
  build: { readonly commit: string; readonly date: string; readonly platform: string },
): VersionInfo {
  return {
    major: '1',
    minor: '33',
    gitVersion: `v1.33.0+steadyvm-${release}`,
    gitCommit: build.commit,
    gitTreeState: 'clean',
    buildDate: build.date,
    // There is no Go in this server, and an invented version would mislead in bug reports.
    goVersion: '',
    compiler: '',
    platform: build.platform,
  }
}
