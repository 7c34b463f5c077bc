import { compareSemver } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'

/** A released version, and what an upgrade from it or past it depends on. */
export interface ReleasedVersion {
  readonly version: string
  /**
   * Defaults of its HyperConverged spec in v1, where they differ from those of the release before.
   */
  readonly defaults?: object
  /**
   * Ids of the upgrade patches that it shipped. Those that later releases dropped may be left out.
   */
  readonly upgradePatches?: readonly string[]
  /**
   * True if no upgrade may jump over it: a later release does not understand what was before it.
   */
  readonly isRequiredStop?: boolean
}

/**
 * Released versions in their order: those of KubeVirt's own operator, whose installations can be
 * taken over, then our own. A row is added when a version is released; tests compare the last row
 * with the schema. Values are facts of the default objects that each version shipped.
 */
export const releasedVersions: readonly ReleasedVersion[] = [
  {
    version: '1.16.0',
    defaults: {
      virtualization: {
        liveMigrationConfig: {
          parallelMigrationsPerCluster: 5,
          parallelOutboundMigrationsPerNode: 2,
          completionTimeoutPerGiB: 150,
          progressTimeout: 150,
          allowAutoConverge: false,
          allowPostCopy: false,
          allowWorkloadDisruption: false,
        },
        workloadUpdateStrategy: {
          workloadUpdateMethods: ['LiveMigrate'],
          batchEvictionSize: 10,
          batchEvictionInterval: '1m0s',
        },
        virtualMachineOptions: { disableFreePageReporting: false, disableSerialConsoleLog: false },
        higherWorkloadDensity: { memoryOvercommitPercentage: 100 },
        vmiCPUAllocationRatio: 10,
      },
      workloadSources: { enableCommonBootImageImport: true },
      security: {
        certConfig: {
          ca: { duration: '48h0m0s', renewBefore: '24h0m0s' },
          server: { duration: '24h0m0s', renewBefore: '12h0m0s' },
        },
      },
      deployment: {
        uninstallStrategy: 'BlockUninstallIfWorkloadsExist',
        applicationAwareConfig: {
          enable: false,
          vmiCalcConfigName: 'DedicatedVirtualResources',
          allowApplicationAwareClusterResourceQuota: false,
        },
        deployVmConsoleProxy: false,
      },
    },
  },
  { version: '1.17.0' },
  { version: '1.18.0' },
  {
    version: '1.19.0',
    defaults: {
      virtualization: { liveMigrationConfig: { parallelOutboundMigrationsPerNode: 1, completionTimeoutPerGiB: 20 } },
      deployment: { deployNetworkResourcesInjector: true },
    },
    upgradePatches: ['completion-timeout-20'],
  },
  { version: 'v0.1.0', upgradePatches: ['completion-timeout-20'] },
]

/**
 * Compares versions by the order in which they were released: negative if `one` is older. Versions
 * of KubeVirt's own operator, which have no leading `v`, are older than all of ours, although their
 * numbers are greater. Undefined if one is no version; the empty text is older than all. Pure.
 */
export function compareReleases(one: string, other: string): number | undefined {
  const [left, right] = [one, other].map((text) => parseTolerant(text === '' ? '0.0.0' : text))
  if (left === undefined || right === undefined) return undefined
  const isOurs = (text: string): boolean => text.trim().startsWith('v')
  return isOurs(one) === isOurs(other) ? compareSemver(left, right) : isOurs(one) ? 1 : -1
}
