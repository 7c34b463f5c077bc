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

/** Version of the Kubernetes API that we speak; `release` is our own version. */
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
    // Clients only show it. There is no Go in this server, and an invented version would mislead
    // whoever reads a bug report.
    goVersion: '',
    compiler: '',
    platform: build.platform,
  }
}
